import { freePort } from './free-port.ts'
import type { Workspace } from './workspace.ts'

const answersWithinMs = 1_000

export interface EtcdOptions {
  /** For its clients; a free one unless given. */
  readonly port?: number
  readonly flags?: readonly string[]
  readonly signal?: AbortSignal | undefined
}

/** Starts etcd without waiting for the disk: nobody needs its data after a power cut. Returns its URL. */
export async function startEtcd(
  workspace: Workspace,
  binary: string,
  { port, flags = [], signal }: EtcdOptions,
): Promise<string> {
  const clients = `http://127.0.0.1:${port ?? (await freePort())}`
  const peers = `http://127.0.0.1:${await freePort()}`
  const etcd = workspace.launch('etcd', binary, [
    `--data-dir=${workspace.path('etcd')}`,
    `--listen-client-urls=${clients}`,
    `--advertise-client-urls=${clients}`,
    `--listen-peer-urls=${peers}`,
    `--initial-advertise-peer-urls=${peers}`,
    `--initial-cluster=default=${peers}`,
    '--unsafe-no-fsync',
    '--log-level=warn',
    ...flags,
  ])
  await etcd.ready(() => isHealthy(clients), signal)
  return clients
}

/** Forgets everything before the present, and says which revision that is. */
export async function compact(etcd: string): Promise<string> {
  const { header } = await post<{ header: { revision: string } }>(`${etcd}/v3/maintenance/status`, {})
  await post(`${etcd}/v3/kv/compaction`, { revision: header.revision, physical: true })
  return header.revision
}

/** With a limit: a connection that is closed before the request is on its way can leave `fetch` waiting for ever. */
async function isHealthy(etcd: string): Promise<boolean> {
  return fetch(`${etcd}/health`, { signal: AbortSignal.timeout(answersWithinMs) }).then(
    (response) => response.ok,
    () => false,
  )
}

async function post<T>(url: string, body: object): Promise<T> {
  const response = await fetch(url, { method: 'POST', body: JSON.stringify(body) })
  if (!response.ok) throw new Error(`POST ${url}: ${response.status} ${await response.text()}`)
  return (await response.json()) as T
}
