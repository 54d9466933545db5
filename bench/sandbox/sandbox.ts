import { type Client, ConfigMap, unlimitedListeners } from '@portcullis/kube'
import { startControlPlane } from '../../testing/clusters/control-plane.ts'
import { connect, createIngresses } from '../ingresses.ts'
import { runMeasuredProcess, type Task } from '../measured-process.ts'
import { logProgress } from '../progress.ts'
import { median, type Row } from '../table.ts'
import { SandboxProcess } from './sandbox-process.ts'

const ingresses = 10_000
const patches = 3000
const concurrency = 16
const rounds = 3
const watchers = 50
const changes = 1000

/** The sandbox: how soon it serves, what it takes, and whether it keeps up with the real API server. */
export async function benchSandbox(): Promise<Row[]> {
  const sandbox = await SandboxProcess.start()
  const plane = await startControlPlane({ parts: 'etcd+apiserver', log: logProgress })
  try {
    logProgress(
      `The sandbox served after ${Math.round(sandbox.readyAfterMs)} ms; creating ${ingresses} Ingresses on both`,
    )
    for (const kubeconfig of [sandbox.kubeconfig, plane.kubeconfigPath]) {
      const client = await connect(kubeconfig, concurrency)
      await createIngresses(client, ingresses)
      await client.close()
    }
    const residentMb = await sandbox.residentMb()
    const ours = { ...(await sandbox.connection()), kubeconfig: sandbox.kubeconfig }
    const real = {
      server: plane.server,
      ca: plane.ca,
      token: plane.adminToken,
      kubeconfig: plane.kubeconfigPath,
    }
    const results: { ours: number[]; real: number[] } = { ours: [], real: [] }
    for (let round = 1; round <= rounds; round++) {
      logProgress(
        `PATCH of ${patches} Ingress statuses on the sandbox and on the real API server, round ${round} of ${rounds}`,
      )
      results.ours.push(await patchRate({ ...ours, round }))
      results.real.push(await patchRate({ ...real, round }))
    }
    const client = await connect(sandbox.kubeconfig, concurrency)
    const seen = await watchChanges(client)
    await client.close()
    return [
      {
        name: 'ready to serve after (bar: 1.5 s)',
        ours: `${Math.round(sandbox.readyAfterMs)} ms`,
        theirs: '1500 ms',
        ratio: 1500 / sandbox.readyAfterMs,
        bar: 1,
      },
      {
        name: `resident with ${ingresses} Ingresses (bar: 200 MB)`,
        ours: `${residentMb.toFixed(0)} MB`,
        theirs: '200 MB',
        ratio: 200 / residentMb,
        bar: 1,
      },
      {
        name: 'PATCH status, against the real kube-apiserver',
        ours: `${median(results.ours).toFixed(0)}/s`,
        theirs: `${median(results.real).toFixed(0)}/s`,
        ratio: median(results.ours.map((rate, at) => rate / (results.real[at] ?? Number.NaN))),
        bar: 1,
      },
      {
        name: `${watchers} watchers of ${changes} changes: events seen`,
        ours: String(seen),
        theirs: String(watchers * changes),
        ratio: seen / (watchers * changes),
        bar: 1,
      },
    ]
  } finally {
    await plane.stop()
    await sandbox.stop()
  }
}

async function patchRate(
  target: Pick<Task, 'server' | 'ca' | 'token' | 'kubeconfig' | 'round'>,
): Promise<number> {
  const task = { ...target, count: patches, concurrency }
  const { seconds } = await runMeasuredProcess('patch/bare.ts', task)
  return patches / seconds
}

/** How many events all watchers together have seen when every one has seen the last change, or after a minute. */
async function watchChanges(client: Client): Promise<number> {
  logProgress(`${watchers} watchers of ${changes} changes`)
  const ref = { namespace: 'default', name: 'watched' }
  const { metadata } = await client.create(ConfigMap, { metadata: ref })
  const signal = unlimitedListeners(AbortSignal.timeout(60_000))
  const options = {
    namespace: 'default',
    fieldSelector: 'metadata.name=watched',
    resourceVersion: metadata.resourceVersion,
    timeoutSeconds: 60,
    signal,
  }
  let seen = 0
  const watching = Array.from({ length: watchers }, async () => {
    let own = 0
    for await (const events of await client.watchOnce(ConfigMap, options)) {
      own += events.filter(({ type }) => type === 'MODIFIED').length
      if (own >= changes) break
    }
    seen += own
  })
  for (let count = 1; count <= changes; count++) {
    await client.patch(ConfigMap, ref, { type: 'merge', body: { data: { count: String(count) } } })
  }
  await Promise.allSettled(watching)
  return seen
}
