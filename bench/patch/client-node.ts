// The peer: @kubernetes/client-node, typed API, as its documentation has it.
import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'
import { inParallel, nameOf, namespace, statusOf } from '../ingresses.ts'
import { measure, taskFromArguments } from '../measured-process.ts'

/** As much of the package as is used here: it is not a dependency, so its types are not at hand. */
interface ClientNode {
  KubeConfig: new () => { loadFromFile(path: string): void; makeApiClient(api: unknown): NetworkingApi }
  NetworkingV1Api: unknown
  PatchStrategy: { MergePatch: string }
  setHeaderOptions(name: string, value: string): unknown
}
interface NetworkingApi {
  patchNamespacedIngressStatus(
    request: { name: string; namespace: string; body: object },
    options: unknown,
  ): Promise<unknown>
}

const { kubeconfig, count, concurrency, round, packages = '' } = taskFromArguments()
const resolved = createRequire(`${packages}/`).resolve('@kubernetes/client-node')
const k8s = (await import(pathToFileURL(resolved).href)) as ClientNode
const config = new k8s.KubeConfig()
config.loadFromFile(kubeconfig)
const api = config.makeApiClient(k8s.NetworkingV1Api)
const mergePatch = k8s.setHeaderOptions('Content-Type', k8s.PatchStrategy.MergePatch)

const patch = (at: number, body: object) =>
  api.patchNamespacedIngressStatus({ name: nameOf(at), namespace, body }, mergePatch)

await inParallel(concurrency, concurrency, (at) => patch(at, statusOf(at, round + 100)))
await measure(() => inParallel(count, concurrency, (at) => patch(at, statusOf(at, round))))
