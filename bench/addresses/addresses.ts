import { Ingress } from '@portcullis/kube'
import { startControlPlane } from '../../testing/clusters/control-plane.ts'
import { connect, createIngresses, inParallel, nameOf, namespace } from '../ingresses.ts'
import { runMeasuredProcess, type Task } from '../measured-process.ts'
import { logProgress } from '../progress.ts'
import { type Growth, type Measured, median, type Row, table } from '../table.ts'
import { type Phase, type PhasesResult, typical } from './phases.ts'

/**
 * Two are what is claimed; the others show how it grows. Rounds are even in number: it matters who begins. A thousand take
 * little more than a second, in which a machine may do other things: only many rounds show the difference.
 */
const sizes = [
  { count: 625, rounds: 2, changes: 2 },
  { count: 1000, rounds: 20, changes: 2, isClaimed: true },
  { count: 2500, rounds: 2, changes: 2 },
  { count: 10_000, rounds: 2, changes: 1, isClaimed: true },
]
/** With 8 and with 16 the bare loop is fastest on two cores. Ours finds out by itself how many the server takes. */
const concurrency = 16

/** What peers write in a second, from their own limits and from runs on a machine like this one; not measured here. */
const peers = [
  { name: 'Contour as shipped', perSecond: 5.2 },
  { name: 'Contour, its limit lifted', perSecond: 275 },
  { name: 'ingress-nginx', perSecond: 2.5 },
]

/** Telling every Ingress its address, against a bare loop of the same PATCHes on the same API server. */
export async function benchAddresses(): Promise<Measured> {
  const measured: Size[] = []
  for (const { count, rounds, changes } of sizes) {
    const plane = await startControlPlane({ parts: 'etcd+apiserver', log: logProgress })
    try {
      logProgress(`Creating ${count} Ingresses`)
      const client = await connect(plane.kubeconfigPath, 16)
      await createIngresses(client, count)
      await client.close()
      const { kubeconfigPath: kubeconfig, server, ca, adminToken: token } = plane
      const task = { kubeconfig, server, ca, token, count, concurrency, round: 0, changes }
      const size = { count, pairs: await measureAt(task, rounds) }
      logProgress(`So far:\n${table(rowsOf(size))}`)
      measured.push(size)
    } finally {
      await plane.stop()
    }
  }
  const isClaimed = ({ count }: Size) => sizes.some((size) => size.count === count && size.isClaimed)
  return { rows: measured.filter(isClaimed).flatMap(rowsOf), growth: growthOf(measured) }
}

interface Size {
  readonly count: number
  readonly pairs: readonly Pair[]
}

interface Pair {
  readonly ours: PhasesResult
  readonly bare: PhasesResult
}

async function measureAt(task: Task, rounds: number): Promise<readonly Pair[]> {
  logProgress(
    `DefineStory ${task.count} Ingresses an address, then others: ours and a bare loop by turns, ${rounds} rounds each`,
  )
  const pairs: Pair[] = []
  for (let round = 1; round <= rounds; round++) pairs.push(await measureRound(task, round))
  return pairs
}

function rowsOf({ count, pairs }: Size): readonly Row[] {
  const ours = pairs.map((pair) => pair.ours)
  const writes = ours.flatMap(({ cold, changes }) => [cold, ...changes].map((phase) => phase.writes))
  const memory = residentOf(ours)
  const bareMemory = residentOf(pairs.map(({ bare }) => bare))
  const rate = count / secondsOf(ours)
  return [
    row(`cold: ${count} Ingresses, against a bare PATCH loop`, count, pairs, ({ cold }) => cold),
    row(`on a change: ${count} Ingresses, against a bare PATCH loop`, count, pairs, ({ changes }) =>
      typical(changes),
    ),
    {
      name: `  resident memory with ${count} Ingresses`,
      ours: `${memory.toFixed(0)} MB`,
      theirs: `${bareMemory.toFixed(0)} MB`,
      ratio: bareMemory / memory,
    },
    {
      name: `  writes for ${count} Ingresses: exactly as many, each time`,
      ours: [...new Set(writes)].join(', '),
      theirs: String(count),
      ratio: writes.every((each) => each === count) ? 1 : 0,
      bar: 1,
    },
    ...peers.map(({ name, perSecond }) => ({
      name: `  ${name} (reference, not measured here)`,
      ours: `${rate.toFixed(0)}/s`,
      theirs: `${perSecond}/s`,
      ratio: rate / perSecond,
    })),
  ]
}

function growthOf(measured: readonly Size[]): Growth {
  return {
    columns: [
      'Ingresses',
      'all written after a change',
      'bare loop',
      'processor time for each',
      'bare loop: for each',
      'resident',
    ],
    rows: measured.map(({ count, pairs }) => {
      const ours = pairs.map((pair) => pair.ours)
      const bare = pairs.map((pair) => pair.bare)
      return [
        String(count),
        `${secondsOf(ours).toFixed(2)} s`,
        `${secondsOf(bare).toFixed(2)} s`,
        `${((cpuSecondsOf(ours) / count) * 1000).toFixed(2)} ms`,
        `${((cpuSecondsOf(bare) / count) * 1000).toFixed(2)} ms`,
        `${residentOf(ours).toFixed(0)} MB`,
      ]
    }),
  }
}

/** Of a change, in the middle. */
function secondsOf(results: readonly PhasesResult[]): number {
  return median(results.map(({ changes }) => typical(changes).seconds))
}

function cpuSecondsOf(results: readonly PhasesResult[]): number {
  return median(results.flatMap(({ changes }) => changes.map(({ cpuSeconds }) => cpuSeconds)))
}

function residentOf(results: readonly PhasesResult[]): number {
  return median(results.map(({ residentMb }) => residentMb))
}

/** Both find blank Ingresses. Who begins alternates, so that whatever else the machine does meets both alike. */
async function measureRound(task: Task, round: number): Promise<Pair> {
  const run = async (script: string, number: number) => {
    await blank(task)
    return runMeasuredProcess<PhasesResult>(`addresses/${script}.ts`, { ...task, round: number })
  }
  const runOurs = () => run('portcullis', 2 * round)
  const runBare = () => run('bare', 2 * round + 1)
  if (round % 2 === 1) return { ours: await runOurs(), bare: await runBare() }
  const bare = await runBare()
  return { ours: await runOurs(), bare }
}

async function blank({ kubeconfig, count }: Task): Promise<void> {
  const client = await connect(kubeconfig, concurrency)
  const body = { status: { loadBalancer: { ingress: null } } }
  await inParallel(count, concurrency, (at) =>
    client.patch(
      Ingress,
      { namespace, name: nameOf(at) },
      { type: 'merge', body },
      { subresource: 'status' },
    ),
  )
  await client.close()
}

function row(
  name: string,
  count: number,
  pairs: readonly Pair[],
  phaseOf: (result: PhasesResult) => Pick<Phase, 'seconds' | 'firstSeconds'>,
): Row {
  const formatted = (phases: readonly Pick<Phase, 'seconds' | 'firstSeconds'>[]) => {
    const seconds = median(phases.map((phase) => phase.seconds))
    const first = median(phases.map((phase) => phase.firstSeconds))
    return `${(count / seconds).toFixed(0)}/s, first after ${first.toFixed(2)} s, last after ${seconds.toFixed(2)} s`
  }
  const ratios = pairs.map(({ ours, bare }) => phaseOf(bare).seconds / phaseOf(ours).seconds)
  const range = `${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)}`
  return {
    name: `${name} (${pairs.length} pairs: ${range})`,
    ours: formatted(pairs.map(({ ours }) => phaseOf(ours))),
    theirs: formatted(pairs.map(({ bare }) => phaseOf(bare))),
    ratio: median(ratios),
    bar: 0.8,
  }
}
