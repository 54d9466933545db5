import { cp } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { cacheDirectory } from './cache.ts'
import { type Build, build, builtOnce } from './go-build.ts'
import { go, inGoMod } from './go-toolchain.ts'
import type { Log } from './log.ts'

/**
 * The programs of a real control plane, as paths. They are ordinary Go modules (testing/clusters/go), built from
 * source once and kept outside the checkout: no container and no download of release binaries is needed.
 */
export interface Binaries {
  readonly etcd: string
  readonly kubeApiserver: string
  readonly kubeControllerManager: string
  readonly kubeScheduler: string
  readonly kubectl: string
  /** For real nodes only, as is kube-proxy. */
  readonly kubelet: string
  readonly kubeProxy: string
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

/** Builds what the cache does not have yet: minutes the first time, nothing afterwards. */
export async function controlPlaneBinaries(log: Log, options: BinariesOptions = {}): Promise<Binaries> {
  const { cache = cacheDirectory(process.env), signal } = options
  const kubernetes = await kubernetesBuild()
  const kwok: Build = { module: kwokModule, ldflags: '-s -w', packages: 'tool' }
  const place = { cache, name: 'control-plane', builds: [kubernetes, kwok] }
  const directory = await builtOnce(place, async (into) => {
    log('Building a real control plane from source; this happens once and takes minutes.')
    await build(kubernetes, 'etcd and Kubernetes', into, log, signal)
    await build(kwok, 'kwok', into, log, signal)
    await copyStages(into, signal)
  })
  return binariesIn(directory)
}

function binariesIn(directory: string): Binaries {
  return {
    etcd: join(directory, 'server'), // etcd's main package is called so.
    kubeApiserver: join(directory, 'kube-apiserver'),
    kubeControllerManager: join(directory, 'kube-controller-manager'),
    kubeScheduler: join(directory, 'kube-scheduler'),
    kubectl: join(directory, 'kubectl'),
    kubelet: join(directory, 'kubelet'),
    kubeProxy: join(directory, 'kube-proxy'),
    kwok: join(directory, 'kwok'),
    kwokStages: join(directory, 'stages'),
  }
}

/** A build from source does not know its own version, and kubectl complains of a server without one. */
async function kubernetesBuild(): Promise<Build> {
  const version = await inGoMod(
    kubernetesModule,
    /^\s*k8s\.io\/kubernetes (v\d+\.\d+\.\d+\S*)/m,
    'the version of k8s.io/kubernetes',
  )
  const [major = '', minor = ''] = version.slice(1).split('.')
  const stamps = ['k8s.io/component-base/version', 'k8s.io/client-go/pkg/version'].flatMap((path) => [
    `-X ${path}.gitVersion=${version}`,
    `-X ${path}.gitMajor=${major}`,
    `-X ${path}.gitMinor=${minor}`,
  ])
  return { module: kubernetesModule, ldflags: ['-s', '-w', ...stamps].join(' '), packages: 'tool' }
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
