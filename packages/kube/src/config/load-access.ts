import { delimiter, join, resolve } from 'node:path'
import type { Clock } from '../clock.ts'
import type { Logger } from '../log.ts'
import type { ClusterAccess } from './access.ts'
import type { Environment } from './environment.ts'
import { proxyFromEnvironment } from './environment-proxy.ts'
import { findInCluster, inClusterAccess } from './in-cluster.ts'
import { accessThrough, type ContextChoice, type Kubeconfig, readKubeconfig } from './kubeconfig.ts'
import { KubeconfigError } from './kubeconfig-error.ts'

export interface AccessOptions {
  /** Use this file, and no other place. */
  readonly kubeconfig?: string
  /** Instead of the current context. */
  readonly context?: string
  /** Instead of the namespace of the context or the pod. */
  readonly namespace?: string
  readonly environment: Environment
  readonly clock: Clock
  readonly log: Logger
}

/** Where kubeconfig files are looked for, and which option or variable names them. */
interface Search {
  readonly paths: readonly string[]
  readonly origin: 'flag' | 'KUBECONFIG' | 'home'
}

/**
 * How to reach the cluster: the file that was asked for, else the files in KUBECONFIG, else ~/.kube/config, else
 * the service account of the pod. The places and their order are kubectl's.
 */
export async function loadClusterAccess(options: AccessOptions): Promise<ClusterAccess> {
  const access = await findAccess(options)
  const proxy = access.proxy ?? proxyFromEnvironment(access.server, options.environment.env)
  return proxy === undefined ? access : { ...access, proxy }
}

async function findAccess(options: AccessOptions): Promise<ClusterAccess> {
  const search = whereToLook(options)
  const kubeconfig = await readKubeconfig(search.paths)
  if (search.origin === 'flag' && kubeconfig.files.length === 0) {
    throw new KubeconfigError([
      `kubeconfig: ${search.paths.join()} does not exist; name the file that holds it`,
    ])
  }
  const choice = chooseContext(kubeconfig, options)
  if (choice !== undefined) return accessThrough(kubeconfig, choice, options)
  if (search.origin === 'flag') throw new KubeconfigError([noContextChosen(kubeconfig)])
  return fallBackToPod(search, kubeconfig, options)
}

function whereToLook({ kubeconfig, environment }: AccessOptions): Search {
  if (kubeconfig) return { origin: 'flag', paths: [resolve(kubeconfig)] }
  const listed = environment.env['KUBECONFIG']
  if (!listed) return { origin: 'home', paths: [join(environment.homeDirectory, '.kube', 'config')] }
  const paths = listed.split(delimiter).filter((path) => path !== '')
  return { origin: 'KUBECONFIG', paths: [...new Set(paths.map((path) => resolve(path)))] }
}

function chooseContext(kubeconfig: Kubeconfig, { context }: AccessOptions): ContextChoice | undefined {
  if (!context) return kubeconfig.currentContext
  const source = kubeconfig.files.length === 0 ? 'no kubeconfig found' : kubeconfig.files.join(', ')
  return { name: context, location: { source } }
}

async function fallBackToPod(
  search: Search,
  kubeconfig: Kubeconfig,
  options: AccessOptions,
): Promise<ClusterAccess> {
  const inCluster = await findInCluster(options.environment)
  if (inCluster.kind === 'elsewhere') {
    throw new KubeconfigError([
      kubeconfig.contexts.size > 0
        ? noContextChosen(kubeconfig)
        : nothingFound(search, kubeconfig, inCluster.reason),
    ])
  }
  const access = await inClusterAccess(inCluster, options)
  return options.namespace ? { ...access, namespace: options.namespace } : access
}

function noContextChosen({ files, contexts }: Kubeconfig): string {
  const where = `${files.join(', ')}: current-context`
  if (contexts.size === 0)
    return `${where}: is missing, and there are no contexts; this is not a usable kubeconfig`
  const names = [...contexts.keys()].toSorted().map((name) => `"${name}"`)
  return `${where}: is missing; choose one of ${names.join(', ')} with --context or \`kubectl config use-context\``
}

function nothingFound({ origin, paths }: Search, { files }: Kubeconfig, notInCluster: string): string {
  const found = paths.map((path) =>
    files.includes(path) ? `${path} exists, but has no contexts` : `${path} does not exist`,
  )
  return [
    'No cluster to talk to. Looked for:',
    origin === 'home' ? '- KUBECONFIG: is not set' : `- KUBECONFIG: ${found.join('; ') || 'names no file'}`,
    ...(origin === 'home' ? [`- ~/.kube/config: ${found.join()}`] : []),
    `- the service account of a pod: ${notInCluster}`,
    'Name a kubeconfig with --kubeconfig or KUBECONFIG, or run in a pod with a service account.',
  ].join('\n')
}
