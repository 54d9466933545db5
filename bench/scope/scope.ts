import { setTimeout as pause } from 'node:timers/promises'
import { IngressController } from '../../src/ingress/kinds.ts'
import { azure } from '../../src/ingress/platforms/azure.ts'
import type { Client } from '../../src/kube/client.ts'
import { Service } from '../../src/kube/kinds.ts'
import type { Kind, ObjectRef } from '../../src/kube/objects.ts'
import { say } from '../say.ts'
import { operandNamespace, operatorNamespace, Stage } from '../stage.ts'
import { median, type Row } from '../table.ts'
import { until } from '../until.ts'

const flips = 40
/** So that nobody is still at work on the change before. */
const restMs = 100
const name = 'edge'
const { key } = azure.scope

/**
 * A change of scope in place: from the PATCH of the IngressController, as kubectl sends it, to the annotation of the
 * Service, as a watch shows it. Against a PATCH of that annotation itself, seen by the same watch: less cannot be.
 */
export async function benchScope(): Promise<Row[]> {
  const stage = await Stage.open()
  const operator = stage.operator(['--platform', 'Azure', '--domain', 'apps.example.com'])
  try {
    await operator.says('Leading')
    const { client } = stage
    await client.create(IngressController, {
      metadata: { namespace: operatorNamespace, name },
      spec: { endpointPublishingStrategy: strategy('External') },
    })
    const service = { namespace: operandNamespace, name: await serviceOf(client) }
    say(`Changing the scope of a load balancer in place, ${flips} times, and its annotation alone as often`)
    const controller = { namespace: operatorNamespace, name }
    const stop = new AbortController()
    const services = new Seen(client, Service, service, stop.signal)
    const controllers = new Seen(client, IngressController, controller, stop.signal)
    const [ours, bare, first]: [number[], number[], number[]] = [[], [], []]
    try {
      for (let flip = 0; flip < flips; flip++) {
        const isInternal = flip % 2 === 0
        ours.push(
          await services.after(key, isInternal ? 'true' : undefined, () => changeScope(client, isInternal)),
        )
        await pause(restMs)
        bare.push(
          await services.after('bench', `${flip}`, () => annotate(client, Service, service, `${flip}`)),
        )
        await pause(restMs)
        first.push(
          await controllers.after('bench', `${flip}`, () =>
            annotate(client, IngressController, controller, `${flip}`),
          ),
        )
        await pause(restMs)
      }
    } finally {
      stop.abort(new Error('measured'))
    }
    const took = median(ours)
    return [
      {
        name: `scope changed in place, ${flips} times, against a bare PATCH of the annotation (within 3×)`,
        ours: told(ours),
        theirs: told(bare),
        ratio: median(bare) / took,
        bar: 1 / 3,
      },
      {
        name: '  against the two PATCHes that it is made of: of the IngressController, then of the Service',
        ours: `${took.toFixed(1)} ms`,
        theirs: `${median(first).toFixed(1)} ms + ${median(bare).toFixed(1)} ms`,
        ratio: (median(first) + median(bare)) / took,
      },
      {
        name: '  cluster-ingress-operator (reference, not measured here)',
        ours: `${took.toFixed(0)} ms`,
        theirs: '118 ms',
        ratio: 118 / took,
      },
    ]
  } finally {
    await operator.end()
    await stage.close()
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

const told = (times: readonly number[]) =>
  `${median(times).toFixed(1)} ms (${Math.min(...times).toFixed(1)} to ${Math.max(...times).toFixed(1)})`

async function serviceOf(client: Client): Promise<string> {
  let found: string | undefined
  await until(async () => {
    const { items } = await client.list(Service, { namespace: operandNamespace })
    found = items.find(({ spec }) => spec?.type === 'LoadBalancer')?.metadata.name
    return found !== undefined
  }, 'there is a load balancer')
  return found ?? ''
}

/** One watch of an object, for as long as the benchmark lasts. */
class Seen {
  #annotations: Readonly<Record<string, string>> = {}
  #changed: () => void = () => {}
  #problem: unknown

  constructor(client: Client, kind: Kind, ref: ObjectRef, signal: AbortSignal) {
    this.#follow(client, kind, ref, signal).catch((error: unknown) => {
      if (signal.aborted) return
      this.#problem = error
      this.#changed()
    })
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

  async #follow(
    client: Client,
    kind: Kind,
    { namespace, name }: ObjectRef,
    signal: AbortSignal,
  ): Promise<void> {
    const selection = { namespace, fieldSelector: `metadata.name=${name}` }
    const { resourceVersion } = await client.list(kind, selection)
    const options = { ...selection, resourceVersion, timeoutSeconds: 600, signal }
    for await (const events of await client.watchOnce(kind, options)) {
      for (const { type, object } of events) {
        if (type === 'MODIFIED') this.#annotations = object.metadata.annotations ?? {}
      }
      this.#changed()
    }
    throw new Error(`The watch of ${kind.kind} ${name} ended.`)
  }
}
