import { createHash } from 'node:crypto'
import { access, cp, mkdir, readdir, readFile, rename, rm } from 'node:fs/promises'
import { homedir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { go, requireGo, withProgress } from './go-toolchain.ts'
import type { Log } from './log.ts'

/**
 * The programs of a real control plane, as paths. They are ordinary Go modules (test/clusters/go), built from
 * source once and kept outside the checkout: no container and no download of release binaries is needed.
 */
export interface Binaries {
  readonly etcd: string
  readonly kubeApiserver: string
  readonly kubeControllerManager: string
  readonly kubeScheduler: string
  readonly kubectl: string
  readonly kwok: string
  /** The directory of kwok's ready-made stages, such as `pod/fast/pod-ready.yaml` and `node/chaos/node-not-ready.yaml`. */
  readonly kwokStages: string
}

export interface BinariesOptions {
  /** The directory that keeps what was built. */
  readonly cache?: string
  readonly signal?: AbortSignal | undefined
}

const kubernetesModule = fileURLToPath(new URL('go/kubernetes', import.meta.url))
const kwokModule = fileURLToPath(new URL('go/kwok', import.meta.url))

/** PORTCULLIS_CACHE where it is set, else the user's cache directory. */
export function cacheDirectory(env: Readonly<Record<string, string | undefined>>): string {
  return env['PORTCULLIS_CACHE'] || join(env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'portcullis')
}

/** Builds what the cache does not have yet: minutes the first time, nothing afterwards. */
export async function controlPlaneBinaries(log: Log, options: BinariesOptions = {}): Promise<Binaries> {
  const { cache = cacheDirectory(process.env), signal } = options
  const kubernetes = await kubernetesBuild()
  const kwok = { module: kwokModule, ldflags: '-s -w' }
  const directory = join(cache, 'control-plane', await cacheKey([kubernetes, kwok]))
  if (!(await exists(directory))) {
    await requireGo(kubernetesModule, await goVersionNeeded(), signal)
    await fill(directory, async (into) => {
      log(`Building a real control plane from source into ${directory}; this happens once and takes minutes.`)
      await build(kubernetes, 'etcd and Kubernetes', into, log, signal)
      await build(kwok, 'kwok', into, log, signal)
      await copyStages(into, signal)
    })
  }
  return binariesIn(directory)
}

function binariesIn(directory: string): Binaries {
  return {
    etcd: join(directory, 'server'), // etcd's main package is called so.
    kubeApiserver: join(directory, 'kube-apiserver'),
    kubeControllerManager: join(directory, 'kube-controller-manager'),
    kubeScheduler: join(directory, 'kube-scheduler'),
    kubectl: join(directory, 'kubectl'),
    kwok: join(directory, 'kwok'),
    kwokStages: join(directory, 'stages'),
  }
}

interface Build {
  readonly module: string
  readonly ldflags: string
}

/** A build from source does not know its own version, and kubectl complains of a server without one. */
async function kubernetesBuild(): Promise<Build> {
  const version = await inGoMod(
    /^\s*k8s\.io\/kubernetes (v\d+\.\d+\.\d+\S*)/m,
    'the version of k8s.io/kubernetes',
  )
  const [major = '', minor = ''] = version.slice(1).split('.')
  const stamps = ['k8s.io/component-base/version', 'k8s.io/client-go/pkg/version'].flatMap((path) => [
    `-X ${path}.gitVersion=${version}`,
    `-X ${path}.gitMajor=${major}`,
    `-X ${path}.gitMinor=${minor}`,
  ])
  return { module: kubernetesModule, ldflags: ['-s', '-w', ...stamps].join(' ') }
}

function goVersionNeeded(): Promise<string> {
  return inGoMod(/^go (\S+)/m, 'the version of Go')
}

async function inGoMod(pattern: RegExp, what: string): Promise<string> {
  const file = join(kubernetesModule, 'go.mod')
  const found = pattern.exec(await readFile(file, 'utf8'))?.[1]
  if (found === undefined) throw new Error(`${file} does not say ${what}`)
  return found
}

/** Another set of sources or flags, or another machine that shares the home directory, is another build. */
async function cacheKey(builds: readonly Build[]): Promise<string> {
  const hash = createHash('sha256').update(`${process.platform} ${process.arch}`)
  for (const { module, ldflags } of builds) {
    hash.update(await readFile(join(module, 'go.mod')))
    hash.update(await readFile(join(module, 'go.sum')))
    hash.update(ldflags)
  }
  return hash.digest('hex').slice(0, 16)
}

async function build(
  { module, ldflags }: Build,
  what: string,
  into: string,
  log: Log,
  signal: AbortSignal | undefined,
): Promise<void> {
  const args = ['build', '-trimpath', '-buildvcs=false', `-ldflags=${ldflags}`, '-o', into, 'tool']
  const env = { CGO_ENABLED: '0' }
  await withProgress(log, `go build ${what}`, () => go(args, { module, env, signal }))
}

async function copyStages(into: string, signal: AbortSignal | undefined): Promise<void> {
  const list = ['list', '-m', '-f', '{{.Dir}}', 'sigs.k8s.io/kwok']
  const source = await go(list, { module: kwokModule, signal })
  await cp(join(source, 'kustomize', 'stage'), join(into, 'stages'), {
    recursive: true,
    filter: isNoTestData,
  })
}

function isNoTestData(path: string): boolean {
  return basename(path) !== 'testdata'
}

/**
 * Makes a directory that is there either whole or not at all. Two processes may both do the work; the first to
 * finish wins, and the other one uses what it made.
 */
async function fill(directory: string, work: (into: string) => Promise<void>): Promise<void> {
  const unfinished = `${directory}.building-`
  const into = `${unfinished}${process.pid}`
  await removeAbandoned(unfinished)
  await rm(into, { recursive: true, force: true })
  await mkdir(into, { recursive: true })
  try {
    await work(into)
    await rename(into, directory).catch(async (error: unknown) => {
      if (!(await exists(directory))) throw error
    })
  } finally {
    await rm(into, { recursive: true, force: true })
  }
}

/** What a build that was killed left behind. */
async function removeAbandoned(prefix: string): Promise<void> {
  const parent = dirname(prefix)
  const entries = await readdir(parent).catch(() => [])
  const abandoned = entries
    .filter((name) => name.startsWith(basename(prefix)))
    .filter((name) => !isRunning(Number(name.slice(basename(prefix).length))))
  for (const name of abandoned) await rm(join(parent, name), { recursive: true, force: true })
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM' // It runs, and is another user's.
  }
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}
