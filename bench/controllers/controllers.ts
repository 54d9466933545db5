import { writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import {
  type Client,
  Deployment,
  findCondition,
  IngressClass,
  type Kind,
  Namespace,
  PodDisruptionBudget,
  Service,
} from '@portcullis/kube'
import { IngressController } from '@portcullis/operator'
import type { AuditedRequest } from '../../testing/installation/audit.ts'
import { inParallel } from '../ingresses.ts'
import { InstalledCluster, lineOf, operandNamespace, operatorNamespace } from '../installed-cluster.ts'
import { type Measurement, runMeasuredProcess } from '../measured-process.ts'
import { logProgress } from '../progress.ts'
import type { Growth, Measured, Row } from '../table.ts'
import { waitUntil } from '../wait-until.ts'
import type { BareObject } from './bare-object.ts'

/** The second is what is claimed; the others show how it grows. */
const sizes = [12, 50, 200]
const claimed = 50
const concurrency = 16
const mostPatches = 4
const writes = ['create', 'update', 'patch', 'delete', 'deletecollection']

/**
 * Many Private controllers created at once: until all are admitted and have their Deployments, against a bare client
 * that creates the same objects. Nothing runs beside the API server, so that nobody else's work is counted.
 */
export async function benchControllers(): Promise<Measured> {
  const measured: Size[] = []
  for (const count of sizes) measured.push(await measureAt(count))
  const settled = measured.find(({ count }) => count === claimed)
  return { rows: settled === undefined ? [] : rowsOf(settled), growth: growthOf(measured) }
}

interface Size {
  readonly count: number
  readonly seconds: number
  readonly bare: Measurement
  /** Until everything was quiet again, by what was asked for: `create services`. */
  readonly requests: ReadonlyMap<string, number>
  readonly objectsMade: number
  readonly cpuSeconds: number
  readonly residentMb: number
}

async function measureAt(count: number): Promise<Size> {
  const cluster = await InstalledCluster.create()
  const operator = cluster.operator(['--platform', 'None', '--domain', 'apps.example.com'])
  try {
    await operator.logged('Leading')
    await cluster.resetRequests()
    logProgress(`Creating ${count} Private controllers at once`)
    const cpuBefore = await operator.cpuSeconds()
    const seconds = await publish(cluster.client, count)
    await quiet(cluster)
    const cpuSeconds = (await operator.cpuSeconds()) - cpuBefore
    const residentMb = await operator.residentMb()
    const asked = (await cluster.requests()).filter(isOfControllers)
    await operator.end()
    const objects = await objectsMade(cluster.client)
    logProgress(`Creating the same ${objects.length} objects by a bare client`)
    const bare = await createBarely(cluster, objects)
    const requests = new Map<string, number>()
    for (const line of asked.map(lineOf)) requests.set(line, (requests.get(line) ?? 0) + 1)
    return { count, seconds, bare, requests, objectsMade: objects.length - count, cpuSeconds, residentMb }
  } finally {
    await operator.end()
    await cluster.close()
  }
}

const controller = (name: string) => ({
  metadata: { namespace: operatorNamespace, name },
  spec: { domain: `${name}.example.com`, endpointPublishingStrategy: { type: 'Private' as const } },
})

/** @returns seconds until all are admitted and have their Deployments */
async function publish(client: Client, count: number): Promise<number> {
  const start = performance.now()
  await inParallel(count, concurrency, (at) => client.create(IngressController, controller(`edge-${at}`)))
  await waitUntil(
    async () => (await client.list(Deployment, { namespace: operandNamespace })).items.length === count,
    'there are all Deployments',
    { seconds: 120, everyMs: 100 },
  )
  await waitUntil(
    async () => {
      const { items } = await client.list(IngressController)
      const admitted = items.filter(
        ({ status }) => findCondition(status?.conditions, 'Admitted')?.status === 'True',
      )
      return admitted.length === count
    },
    'all are admitted',
    { everyMs: 100 },
  )
  return (performance.now() - start) / 1000
}

/** Until the operator has asked for nothing for a while. */
async function quiet(cluster: InstalledCluster): Promise<void> {
  let [before, since] = [-1, performance.now()]
  await waitUntil(
    async () => {
      const now = (await cluster.requests()).filter(isOfControllers).length
      if (now !== before) [before, since] = [now, performance.now()]
      return performance.now() - since > 3_000
    },
    'the operator has come to rest',
    { seconds: 120, everyMs: 250 },
  )
}

/** Lease and watches are there however many controllers are. */
function isOfControllers({ verb, objectRef }: AuditedRequest): boolean {
  return objectRef !== undefined && objectRef.resource !== 'leases' && verb !== 'watch'
}

// ── the same objects, by a bare client ──

/** All that there is for a controller, itself included. */
const kinds: readonly { readonly kind: Kind; readonly plural: string; readonly namespace?: string }[] = [
  { kind: IngressController, plural: 'ingresscontrollers', namespace: operatorNamespace },
  { kind: Service, plural: 'services', namespace: operandNamespace },
  { kind: Deployment, plural: 'deployments', namespace: operandNamespace },
  { kind: PodDisruptionBudget, plural: 'poddisruptionbudgets', namespace: operandNamespace },
  { kind: IngressClass, plural: 'ingressclasses' },
]

/** Where nobody looks after them. */
const elsewhere = 'elsewhere'

async function objectsMade(client: Client): Promise<BareObject[]> {
  const made: BareObject[] = []
  for (const { kind, plural, namespace } of kinds) {
    const { apiVersion } = kind
    const root = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`
    const path = `${root}${namespace === undefined ? '' : `/namespaces/${elsewhere}`}/${plural}`
    const { items } = await client.list(kind, { namespace })
    for (const item of items) {
      const { name, labels, annotations } = item.metadata
      const {
        clusterIP: _,
        clusterIPs: __,
        ...spec
      } = (item as { spec?: Record<string, unknown> }).spec ?? {}
      const at = namespace === undefined ? { name: `${name}-again` } : { name, namespace: elsewhere }
      const metadata = { ...at, labels, annotations }
      made.push({ path, body: JSON.stringify({ apiVersion, kind: kind.kind, metadata, spec }) })
    }
  }
  return made
}

async function createBarely(
  { client, plane }: InstalledCluster,
  objects: readonly BareObject[],
): Promise<Measurement> {
  await client.create(Namespace, { metadata: { name: elsewhere } })
  const file = join(dirname(plane.kubeconfigPath), 'objects.json')
  await writeFile(file, JSON.stringify(objects))
  const { kubeconfigPath: kubeconfig, server, ca, adminToken: token } = plane
  const count = objects.length
  return runMeasuredProcess('controllers/bare.ts', {
    kubeconfig,
    server,
    ca,
    token,
    count,
    concurrency,
    round: 0,
    file,
  })
}

// ── results ──

const times = (requests: ReadonlyMap<string, number>, isWanted: (verb: string, what: string) => boolean) =>
  [...requests].reduce((sum, [line, number]) => {
    const [verb = '', what = ''] = line.split(' ')
    return isWanted(verb, what) ? sum + number : sum
  }, 0)

function rowsOf({ count, seconds, bare, requests, objectsMade, residentMb }: Size): Row[] {
  const written = times(requests, (verb) => writes.includes(verb))
  const read = times(requests, (verb) => !writes.includes(verb))
  const most = objectsMade / count + mostPatches
  return [
    {
      name: `${count} Private controllers at once: admitted, with Deployments, against a bare client (within 5×)`,
      ours: `${seconds.toFixed(2)} s`,
      theirs: `${bare.seconds.toFixed(2)} s`,
      ratio: bare.seconds / seconds,
      bar: 1 / 5,
    },
    {
      name: `  writes for each: ${objectsMade / count} objects and at most ${mostPatches} patches`,
      ours: (written / count).toFixed(1),
      theirs: `${most.toFixed(1)} at most`,
      ratio: most / (written / count),
      bar: 1,
    },
    {
      name: '  reads beside lists at the start and watches',
      ours: String(read),
      theirs: '0',
      ratio: read === 0 ? 1 : 0,
      bar: 1,
    },
    {
      name: '  cluster-ingress-operator: time (reference, not measured here)',
      ours: `${seconds.toFixed(1)} s`,
      theirs: '23 to 26 s',
      ratio: 23 / seconds,
    },
    {
      name: '  cluster-ingress-operator: writes for each (reference, not measured here)',
      ours: (written / count).toFixed(1),
      theirs: '39',
      ratio: 39 / (written / count),
    },
    {
      name: '  cluster-ingress-operator: resident (reference, not measured here)',
      ours: `${residentMb.toFixed(0)} MB`,
      theirs: '199 MB',
      ratio: 199 / residentMb,
    },
  ]
}

function growthOf(sizes: readonly Size[]): Growth {
  return {
    columns: [
      'Private controllers',
      'all published after',
      'bare client',
      'writes for each',
      'processor time for each',
      'resident',
    ],
    rows: sizes.map(({ count, seconds, bare, requests, cpuSeconds, residentMb }) => [
      String(count),
      `${seconds.toFixed(2)} s`,
      `${bare.seconds.toFixed(2)} s`,
      (times(requests, (verb) => writes.includes(verb)) / count).toFixed(1),
      `${((1000 * cpuSeconds) / count).toFixed(0)} ms`,
      `${residentMb.toFixed(0)} MB`,
    ]),
  }
}
