import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Ingress } from '@portcullis/kube'
import { type ControlPlane, startControlPlane } from '../testing/clusters/control-plane.ts'
import { connect, createIngresses } from './ingresses.ts'
import { type Measurement, runMeasuredProcess, type Task } from './measured-process.ts'
import { logProgress } from './progress.ts'
import { median, type Row } from './table.ts'

const ingresses = 10_000
/** So many of them are patched, so that the whole takes minutes. */
const patched = 5_000
const concurrency = 16
const rounds = 3
/** The peer is so slow that the whole work would take minutes; its rate is the same for a part of it. */
const peerPatches = 2000
const peer = '@kubernetes/client-node@1.4.0' // The newest that runs on Node 20.

interface Pair {
  readonly ours: Measurement[]
  readonly theirs: Measurement[]
}

/** Alternates both, and which one begins, so that other load on the machine meets both alike. */
async function sideBySide(
  ours: (round: number) => Promise<Measurement>,
  theirs: (round: number) => Promise<Measurement>,
): Promise<Pair> {
  const pair: Pair = { ours: [], theirs: [] }
  for (let round = 0; round < rounds; round++) {
    const runOurs = async () => pair.ours.push(await ours(2 * round))
    const runTheirs = async () => pair.theirs.push(await theirs(2 * round + 1))
    for (const run of round % 2 === 0 ? [runOurs, runTheirs] : [runTheirs, runOurs]) await run()
  }
  return pair
}

const rate = (count: number, results: readonly Measurement[]) =>
  median(results.map(({ seconds }) => count / seconds))
const residentMb = (results: readonly Measurement[]) => median(results.map((result) => result.residentMb))

/** The median of the rounds' ratios, each of two runs next to each other. */
function ratio({ ours, theirs }: Pair, ourCount: number, theirCount: number): number {
  return median(
    ours.map(
      ({ seconds }, round) => ourCount / seconds / (theirCount / (theirs[round]?.seconds ?? Number.NaN)),
    ),
  )
}

async function patches(task: Task): Promise<Row> {
  logProgress(
    `PATCH of ${patched} Ingress statuses, ${concurrency} in flight: ours and a bare undici loop, ${rounds} rounds each`,
  )
  const pair = await sideBySide(
    (round) => runMeasuredProcess('patch/portcullis.ts', { ...task, count: patched, round: round + 1 }),
    (round) => runMeasuredProcess('patch/bare.ts', { ...task, count: patched, round: round + 1 }),
  )
  return {
    name: `PATCH status × ${patched}, against a bare undici loop`,
    ours: `${rate(patched, pair.ours).toFixed(0)}/s, ${residentMb(pair.ours).toFixed(0)} MB`,
    theirs: `${rate(patched, pair.theirs).toFixed(0)}/s, ${residentMb(pair.theirs).toFixed(0)} MB`,
    ratio: ratio(pair, patched, patched),
    bar: 0.95,
  }
}

async function patchesAgainstPeer(task: Task): Promise<Row[]> {
  const packages = await mkdtemp(join(tmpdir(), 'portcullis-bench-'))
  try {
    logProgress(`Installing ${peer} in a temporary directory`)
    await writeFile(join(packages, 'package.json'), '{"private":true}')
    await promisify(execFile)('npm', ['install', '--no-audit', '--no-fund', peer], { cwd: packages })
    logProgress(
      `PATCH of Ingress statuses, ${concurrency} in flight: ours and ${peer}, ${rounds} rounds each`,
    )
    const pair = await sideBySide(
      (round) => runMeasuredProcess('patch/portcullis.ts', { ...task, count: patched, round: round + 21 }),
      (round) =>
        runMeasuredProcess('patch/client-node.ts', {
          ...task,
          round: round + 21,
          count: peerPatches,
          packages,
        }),
    )
    const cpuMs = (results: readonly Measurement[], count: number) =>
      median(results.map(({ cpuSeconds }) => (cpuSeconds * 1000) / count))
    const [ourCpu, theirCpu] = [cpuMs(pair.ours, patched), cpuMs(pair.theirs, peerPatches)]
    return [
      {
        name: `PATCH status, against ${peer}`,
        ours: `${rate(patched, pair.ours).toFixed(0)}/s, ${residentMb(pair.ours).toFixed(0)} MB`,
        theirs: `${rate(peerPatches, pair.theirs).toFixed(0)}/s, ${residentMb(pair.theirs).toFixed(0)} MB`,
        ratio: ratio(pair, patched, peerPatches),
        bar: 3,
      },
      {
        name: '  the same, processor time of the client alone',
        ours: `${ourCpu.toFixed(2)} ms each`,
        theirs: `${theirCpu.toFixed(2)} ms each`,
        ratio: theirCpu / ourCpu,
      },
    ]
  } finally {
    await rm(packages, { recursive: true, force: true })
  }
}

async function watches(plane: ControlPlane, task: Task): Promise<Row[]> {
  const client = await connect(plane.kubeconfigPath, 1)
  const { resourceVersion: fromVersion } = await client.list(Ingress, { pageSize: 0 })
  await client.close()
  const events = 2 * ingresses
  logProgress(
    `Making ${events} events, then replaying them: ours and a bare line splitter with JSON.parse, ${rounds} rounds each`,
  )
  for (const round of [41, 42]) await runMeasuredProcess('patch/bare.ts', { ...task, round })
  // The warm-up of each run makes events too.
  const replay = { ...task, fromVersion, events: events + 2 * concurrency }
  const pair = await sideBySide(
    () => runMeasuredProcess('watch/portcullis.ts', replay),
    () => runMeasuredProcess('watch/bare.ts', replay),
  )
  const work = ingresses + events
  const cpu = median(
    pair.ours.map((ours, at) => (pair.theirs[at]?.cpuSeconds ?? Number.NaN) / ours.cpuSeconds),
  )
  const row = {
    ours: `${rate(work, pair.ours).toFixed(0)}/s`,
    theirs: `${rate(work, pair.theirs).toFixed(0)}/s`,
  }
  return [
    {
      ...row,
      name: `list ${ingresses}, apply ${events} events, against a bare line splitter`,
      ratio: ratio(pair, work, work),
      bar: 0.6,
    },
    {
      name: '  the same, processor time of the client alone',
      ours: `${median(pair.ours.map(({ cpuSeconds }) => cpuSeconds)).toFixed(2)} s`,
      theirs: `${median(pair.theirs.map(({ cpuSeconds }) => cpuSeconds)).toFixed(2)} s`,
      ratio: cpu,
      bar: 0.6,
    },
  ]
}

async function memory(task: Task): Promise<Row> {
  logProgress('Memory of stored Ingresses')
  const { projectedMb, wholeMb, residentMb } = await runMeasuredProcess<{
    projectedMb: number
    wholeMb: number
    residentMb: number
  }>('watch/memory.ts', task, ['--expose-gc'])
  return {
    name: `heap for ${ingresses} Ingresses, projected (process: ${residentMb.toFixed(0)} MB resident)`,
    ours: `${projectedMb.toFixed(1)} MB`,
    theirs: `${wholeMb.toFixed(1)} MB whole`,
    ratio: wholeMb / projectedMb,
  }
}

/** The client and the runtime, on a real API server. */
export async function benchKube(): Promise<Row[]> {
  const plane = await startControlPlane({ parts: 'etcd+apiserver', log: logProgress })
  try {
    logProgress(`Creating ${ingresses} Ingresses`)
    const client = await connect(plane.kubeconfigPath, concurrency)
    await createIngresses(client, ingresses)
    await client.close()
    const task: Task = {
      kubeconfig: plane.kubeconfigPath,
      server: plane.server,
      ca: plane.ca,
      token: plane.adminToken,
      count: ingresses,
      concurrency,
      round: 0,
    }
    const rows = [
      await patches(task),
      ...(await patchesAgainstPeer(task)),
      ...(await watches(plane, task)),
      await memory(task),
    ]
    return rows
  } finally {
    await plane.stop()
  }
}
