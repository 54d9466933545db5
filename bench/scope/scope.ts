import { setTimeout as pause } from 'node:timers/promises'
import { type Client, type Kind, type KubeObject, type ObjectRef, Service } from '@portcullis/kube'
import type { WatchStream } from '@portcullis/kube/internal/client/api.ts'
import { IngressController, routerName } from '@portcullis/operator'
import { azure } from '@portcullis/operator/internal/ingress/platforms/azure.ts'
import { InstalledCluster, operandNamespace, operatorNamespace } from '../installed-cluster.ts'
import { logProgress } from '../progress.ts'
import { type Growth, type Measured, median, type Row } from '../table.ts'
import { waitUntil } from '../wait-until.ts'

const flips = 60
/** Before these, Node and the API server still compile, or look things up for the first time. */
const warmUps = 20
/** So that the change before has settled. */
const restMs = 100
const name = 'edge'
const { key } = azure.scope

/** How many controllers there are, of which one changes: what is claimed is of the first. */
const sizes = [1, 4, 16]

/** The clients: an admin, and one with the rights of the operator. */
interface Clients {
  readonly admin: Client
  readonly bare: Client
}

/** Milliseconds, one for each flip. */
interface Times {
  readonly controllers: number
  readonly ours: readonly number[]
  readonly service: readonly number[]
  readonly controller: readonly number[]
}

/**
 * A change of scope in place: from the PATCH of the IngressController, as kubectl sends it, to the annotation of the
 * Service, as a watch shows it. Against a PATCH of that annotation itself, seen by the same watch: less cannot be.
 */
export async function benchScope(): Promise<Measured> {
  const cluster = await InstalledCluster.create()
  const bare = await cluster.asOperator()
  const operator = cluster.operator(['--platform', 'Azure', '--domain', 'apps.example.com'])
  try {
    await operator.logged('Leading')
    await publishUpTo(cluster.client, 1)
    logProgress('Changing the scope a few times, so that everybody is awake')
    await measure({ admin: cluster.client, bare }, 1, warmUps)
    const all: Times[] = []
    for (const controllers of sizes) {
      await publishUpTo(cluster.client, controllers)
      logProgress(
        `Changing the scope of one of ${controllers}, ${flips} times, and the annotation alone as often`,
      )
      all.push(await measure({ admin: cluster.client, bare }, controllers, flips))
    }
    return { rows: rowsOf(all[0] as Times), growth: growthOf(all) }
  } finally {
    await operator.end()
    await bare.close()
    await cluster.close()
  }
}

async function publishUpTo(client: Client, count: number): Promise<void> {
  const { items } = await client.list(IngressController, { namespace: operatorNamespace })
  for (let number = items.length; number < count; number++)
    await client.create(IngressController, {
      metadata: { namespace: operatorNamespace, name: number === 0 ? name : `other-${number}` },
      spec: { domain: `${number}.example.com`, endpointPublishingStrategy: strategy('External') },
    })
  await waitUntil(async () => {
    const services = await client.list(Service, { namespace: operandNamespace })
    return services.items.filter(({ spec }) => spec?.type === 'LoadBalancer').length === count
  }, `there are ${count} load balancers`)
  await pause(1_000)
}

async function measure({ admin, bare }: Clients, count: number, flips: number): Promise<Times> {
  const ref = { namespace: operatorNamespace, name }
  const serviceRef = { namespace: operandNamespace, name: routerName(name) }
  const [ours, service, controller]: [number[], number[], number[]] = [[], [], []]
  await watching(admin, Service, serviceRef, async (services) => {
    for (let flip = 0; flip < flips; flip++) {
      const isInternal = flip % 2 === 0
      const note = `${count}-${flips}-${flip}`
      ours.push(
        await services.after(key, isInternal ? 'true' : undefined, () => changeScope(admin, isInternal)),
      )
      await pause(restMs)
      service.push(await services.after('bench', note, () => annotate(bare, Service, serviceRef, note)))
      await pause(restMs)
    }
  })
  await watching(admin, IngressController, ref, async (controllers) => {
    for (let flip = 0; flip < flips; flip++) {
      const note = `${count}-${flips}-${flip}`
      controller.push(
        await controllers.after('bench', note, () => annotate(admin, IngressController, ref, note)),
      )
      await pause(restMs)
    }
  })
  return { controllers: count, ours, service, controller }
}

/** One watch at a time: each that is open is served at everybody's cost. */
async function watching(
  client: Client,
  kind: Kind,
  ref: ObjectRef,
  measure: (watch: AnnotationWatch) => Promise<void>,
): Promise<void> {
  const stop = new AbortController()
  try {
    await measure(await AnnotationWatch.from(client, kind, ref, stop.signal))
  } finally {
    stop.abort(new Error('measured'))
  }
}

function rowsOf({ ours, service, controller }: Times): Row[] {
  const took = median(ours)
  return [
    {
      name: `scope changed in place, ${flips} times, against a bare PATCH of the annotation (within 3×)`,
      ours: formatted(ours),
      theirs: formatted(service),
      ratio: median(service) / took,
      bar: 1 / 3,
    },
    {
      name: '  against the two PATCHes that it is made of: of the IngressController, then of the Service',
      ours: `${took.toFixed(1)} ms`,
      theirs: `${median(controller).toFixed(1)} ms + ${median(service).toFixed(1)} ms`,
      ratio: (median(controller) + median(service)) / took,
    },
    {
      name: '  cluster-ingress-operator (reference, not measured here)',
      ours: `${took.toFixed(0)} ms`,
      theirs: '118 ms',
      ratio: 118 / took,
    },
  ]
}

function growthOf(all: readonly Times[]): Growth {
  return {
    columns: [
      'controllers',
      'scope of one changed after',
      'bare PATCH of its Service',
      'of the IngressController',
    ],
    rows: all.map(({ controllers, ours, service, controller }) => [
      String(controllers),
      ...[ours, service, controller].map((times) => `${median(times).toFixed(1)} ms`),
    ]),
  }
}

const strategy = (scope: 'External' | 'Internal') => ({
  type: 'LoadBalancerService' as const,
  loadBalancer: { scope, dnsManagementPolicy: 'Managed' as const },
})

function changeScope(client: Client, isInternal: boolean): Promise<unknown> {
  const scope = isInternal ? 'Internal' : 'External'
  const body = { spec: { endpointPublishingStrategy: { loadBalancer: { scope } } } }
  return client.patch(IngressController, { namespace: operatorNamespace, name }, { type: 'merge', body })
}

function annotate(client: Client, kind: Kind, ref: ObjectRef, value: string): Promise<unknown> {
  const body = { metadata: { annotations: { bench: value } } }
  return client.patch(kind, ref, { type: 'merge', body })
}

const formatted = (times: readonly number[]) =>
  `${median(times).toFixed(1)} ms (${Math.min(...times).toFixed(1)} to ${Math.max(...times).toFixed(1)})`

/** One watch of an object, for as long as the benchmark lasts. */
class AnnotationWatch {
  #annotations: Readonly<Record<string, string>> = {}
  #changed: () => void = () => {}
  #problem: unknown

  /** What is done from now on is seen. */
  static async from(
    client: Client,
    kind: Kind,
    ref: ObjectRef,
    signal: AbortSignal,
  ): Promise<AnnotationWatch> {
    const selection = { namespace: ref.namespace, fieldSelector: `metadata.name=${ref.name}` }
    const { resourceVersion } = await client.list(kind, selection)
    const options = { ...selection, resourceVersion, timeoutSeconds: 600, signal }
    const watch = new AnnotationWatch()
    watch.#follow(await client.watchOnce(kind, options)).catch((error: unknown) => {
      if (signal.aborted) return
      watch.#problem = error
      watch.#changed()
    })
    return watch
  }

  /** Milliseconds from when something is done to when an annotation is as wanted. */
  async after(annotation: string, wanted: string | undefined, act: () => Promise<unknown>): Promise<number> {
    const start = performance.now()
    const acted = act()
    while (this.#annotations[annotation] !== wanted) {
      if (this.#problem !== undefined) throw new Error('The watch ended.', { cause: this.#problem })
      await new Promise<void>((resolve) => (this.#changed = resolve))
    }
    const took = performance.now() - start
    await acted
    return took
  }

  async #follow(watch: WatchStream<KubeObject>): Promise<void> {
    for await (const events of watch) {
      for (const { type, object } of events) {
        if (type === 'MODIFIED') this.#annotations = object.metadata.annotations ?? {}
      }
      this.#changed()
    }
    throw new Error('The watch ended.')
  }
}
