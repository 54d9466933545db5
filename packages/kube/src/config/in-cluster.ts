import { isIPv6 } from 'node:net'
import { join } from 'node:path'
import type { Clock } from '../clock.ts'
import type { Logger } from '../log.ts'
import type { ClusterAccess } from './access.ts'
import { StoredCredentials } from './credentials.ts'
import type { Environment } from './environment.ts'
import { type ConfigLocation, Problems } from './kubeconfig-error.ts'
import { certificateProblem } from './pem.ts'
import { readPem } from './pem-source.ts'
import { readTextFile } from './text-file.ts'

const usualDirectory = '/var/run/secrets/kubernetes.io/serviceaccount'

export type InCluster =
  | { readonly kind: 'pod'; readonly server: URL; readonly directory: string }
  | { readonly kind: 'elsewhere'; readonly reason: string }

/** Whether this process runs in a pod that has a service account, and if not, why we think so. */
export async function findInCluster({ env, serviceAccountDirectory }: Environment): Promise<InCluster> {
  const directory = serviceAccountDirectory ?? usualDirectory
  const host = env['KUBERNETES_SERVICE_HOST']
  const port = env['KUBERNETES_SERVICE_PORT']
  if (!host || !port) {
    return { kind: 'elsewhere', reason: 'KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set' }
  }
  const token = await readTextFile(join(directory, 'token'))
  if (token.kind !== 'text') return { kind: 'elsewhere', reason: token.problem }
  const server = `https://${isIPv6(host) ? `[${host}]` : host}:${port}`
  if (URL.canParse(server)) return { kind: 'pod', server: new URL(server), directory }
  return {
    kind: 'elsewhere',
    reason: `KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT give no URL: ${server}`,
  }
}

export interface InClusterOptions {
  readonly environment: Environment
  readonly clock: Clock
  readonly log: Logger
}

/** Access as the service account of the pod that this process runs in. */
export async function inClusterAccess(
  { server, directory }: Extract<InCluster, { kind: 'pod' }>,
  { environment, clock, log }: InClusterOptions,
): Promise<ClusterAccess> {
  const location: ConfigLocation = { source: 'the service account of this pod' }
  const problems = new Problems()
  const credentials = new StoredCredentials(
    { token: { location, file: join(directory, 'token') } },
    { clock, log },
  )
  await Promise.resolve(credentials.current()).catch((error: unknown) => problems.addError(error))
  const authority = { kind: 'file', location, path: join(directory, 'ca.crt') } as const
  const ca = await readPem(authority, certificateProblem, problems)
  return {
    source: `${location.source} (${directory})`,
    server,
    namespace: await namespaceOf(directory, environment),
    tls: { ca: problems.unlessAny(ca), insecureSkipVerify: false },
    credentials,
  }
}

/** POD_NAMESPACE comes first, as in client-go: it serves where the token is mounted without the namespace. */
async function namespaceOf(directory: string, { env }: Environment): Promise<string> {
  if (env['POD_NAMESPACE']) return env['POD_NAMESPACE']
  const file = await readTextFile(join(directory, 'namespace'))
  return (file.kind === 'text' && file.text.trim()) || 'default'
}
