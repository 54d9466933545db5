import type { Clock } from '../clock.ts'
import type { Logger } from '../log.ts'
import type { ClusterAccess, Credentials } from './access.ts'
import { anonymousCredentials, StoredCredentials } from './credentials.ts'
import type { Environment } from './environment.ts'
import { ExecCredentials } from './exec-credential.ts'
import type { ExecCluster } from './exec-plugin.ts'
import { type Cluster, readCluster } from './kubeconfig-cluster.ts'
import { type ConfigLocation, fieldOf, Problems } from './kubeconfig-error.ts'
import { Fields } from './kubeconfig-fields.ts'
import { type Entry, type KubeconfigFile, parseKubeconfigFile } from './kubeconfig-file.ts'
import { readUser, type User } from './kubeconfig-user.ts'
import { nearestName } from './nearest-name.ts'
import { readTextFile } from './text-file.ts'

type Entries = ReadonlyMap<string, Entry>

/** Several kubeconfig files seen as one. */
export interface Kubeconfig {
  /** The files that exist, in order of precedence. */
  readonly files: readonly string[]
  readonly currentContext?: { readonly name: string; readonly location: ConfigLocation }
  readonly clusters: Entries
  readonly users: Entries
  readonly contexts: Entries
}

export interface KubeconfigOptions {
  readonly environment: Environment
  readonly clock: Clock
  readonly log: Logger
  /** Instead of the context's. */
  readonly namespace?: string
}

/** Reads and merges the files. One that does not exist is left out; one that cannot be read is an error. */
export async function readKubeconfig(paths: readonly string[]): Promise<Kubeconfig> {
  const problems = new Problems()
  const files: KubeconfigFile[] = []
  for (const path of paths) {
    const file = await readTextFile(path)
    if (file.kind === 'missing') continue
    if (file.kind === 'unreadable') {
      problems.add({ source: 'kubeconfig' }, file.problem)
      continue
    }
    try {
      files.push(parseKubeconfigFile(path, file.text))
    } catch (error) {
      problems.addError(error)
    }
  }
  problems.throwIfAny()
  return merge(files)
}

/** The first file to name a thing defines all of it; later ones add nothing to it, as in kubectl. */
function merge(files: readonly KubeconfigFile[]): Kubeconfig {
  const current = files.find(({ currentContext }) => currentContext !== undefined)
  const firstOf = (select: (file: KubeconfigFile) => Entries): Entries =>
    new Map(files.toReversed().flatMap((file) => [...select(file)]))
  return {
    files: files.map(({ path }) => path),
    ...(current?.currentContext !== undefined && {
      currentContext: {
        name: current.currentContext,
        location: { source: current.path, path: 'current-context' },
      },
    }),
    clusters: firstOf(({ clusters }) => clusters),
    users: firstOf(({ users }) => users),
    contexts: firstOf(({ contexts }) => contexts),
  }
}

/** Which context to use, and where that was said. */
export interface ContextChoice {
  readonly name: string
  readonly location: ConfigLocation
}

/**
 * Access through one context. Only what that context uses is looked at, but all of it, so that everything wrong is
 * reported at once.
 */
export async function accessThrough(
  kubeconfig: Kubeconfig,
  choice: ContextChoice,
  options: KubeconfigOptions,
): Promise<ClusterAccess> {
  const problems = new Problems()
  const context = problems.unlessAny(find('context', kubeconfig.contexts, choice, problems))
  const { clusterEntry, userEntry, namespace } = readContext(kubeconfig, context, problems)
  const cluster = clusterEntry && (await readCluster(clusterEntry, problems))
  const user: User = userEntry ? readUser(userEntry, problems) : { identity: { kind: 'anonymous' } }
  const credentials = credentialsOf(user, cluster, options)
  if (credentials instanceof StoredCredentials) {
    // Reading now what would be read at the first request reports an unreadable file at once, not some day.
    await Promise.resolve(credentials.current()).catch((error: unknown) => problems.addError(error))
  }
  const usable = problems.unlessAny(cluster && credentials && { cluster, credentials })
  return {
    source: `context "${context.name}" of ${context.location.source}`,
    server: usable.cluster.server,
    namespace: options.namespace ?? namespace ?? 'default',
    tls: usable.cluster.tls,
    ...(usable.cluster.proxy !== undefined && { proxy: usable.cluster.proxy }),
    ...(user.impersonate !== undefined && { impersonate: user.impersonate }),
    credentials: usable.credentials,
  }
}

function readContext({ clusters, users }: Kubeconfig, context: Entry, problems: Problems) {
  const fields = new Fields(context.location, context.values, problems)
  const clusterName = fields.text('cluster')
  const userName = fields.text('user')
  const namespace = fields.text('namespace')
  if (clusterName === undefined) fields.problem('cluster', 'is missing; name the cluster to talk to')
  if (namespace !== undefined && !/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(namespace)) {
    fields.problem(
      'namespace',
      `"${namespace}" is not the name of a namespace (small letters, digits and "-")`,
    )
  }
  const named = (kind: string, entries: Entries, name: string | undefined) =>
    name === undefined
      ? undefined
      : find(kind, entries, { name, location: fieldOf(context.location, kind) }, problems)
  return {
    clusterEntry: named('cluster', clusters, clusterName),
    // No user at all is fine: requests are then anonymous.
    userEntry: named('user', users, userName),
    namespace,
  }
}

function find(
  kind: string,
  entries: Entries,
  { name, location }: ContextChoice,
  problems: Problems,
): Entry | undefined {
  const entry = entries.get(name)
  if (entry === undefined)
    problems.add(location, `there is no ${kind} "${name}"; ${whatThereIs(kind, name, entries)}`)
  return entry
}

function whatThereIs(kind: string, wanted: string, entries: Entries): string {
  const names = [...entries.keys()].toSorted()
  if (names.length === 0) return `there are no ${kind}s at all`
  const nearest = nearestName(wanted, names)
  const list = `there ${names.length === 1 ? 'is' : 'are'} ${names.map((name) => `"${name}"`).join(', ')}`
  return nearest === undefined ? list : `did you mean "${nearest}"? ${list}`
}

function credentialsOf(
  { identity }: User,
  cluster: Cluster | undefined,
  { environment, clock, log }: KubeconfigOptions,
): Credentials | undefined {
  if (identity.kind === 'anonymous') return anonymousCredentials()
  if (cluster?.server.protocol === 'http:') {
    // Anyone on the way could read them. kubectl sends none either.
    log.warn(
      { server: cluster.server.href },
      'the server is plain http, so no credentials are sent to it; use https',
    )
    return anonymousCredentials()
  }
  if (identity.kind === 'stored') return new StoredCredentials(identity.stored, { clock, log })
  if (cluster === undefined) return undefined
  return new ExecCredentials({ plugin: identity.plugin, cluster: execCluster(cluster), environment, clock })
}

function execCluster({ server, tls, proxy, disableCompression, pluginConfig }: Cluster): ExecCluster {
  return {
    server: server.href.replace(/\/$/, ''),
    ...(tls.serverName !== undefined && { 'tls-server-name': tls.serverName }),
    ...(tls.insecureSkipVerify && { 'insecure-skip-tls-verify': true }),
    ...(tls.ca !== undefined && { 'certificate-authority-data': Buffer.from(tls.ca).toString('base64') }),
    ...(proxy !== undefined && { 'proxy-url': proxy.href }),
    ...(disableCompression && { 'disable-compression': true }),
    ...(pluginConfig !== undefined && { config: pluginConfig }),
  }
}
