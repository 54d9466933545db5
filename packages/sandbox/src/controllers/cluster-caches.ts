import {
  type Cached,
  type CacheReader,
  controllerOf,
  Deployment,
  EndpointSlice,
  Endpoints,
  type IndexFunction,
  type Kind,
  type KubeObject,
  type Manager,
  Namespace,
  Node,
  Pod,
  PodDisruptionBudget,
  ReplicaSet,
  Service,
  ServiceAccount,
} from '@portcullis/kube'
import type { Deployment as AppsDeployment, ReplicaSet as AppsReplicaSet } from 'kubernetes-types/apps/v1'
import type {
  Endpoints as CoreEndpoints,
  Namespace as CoreNamespace,
  Node as CoreNode,
  Pod as CorePod,
  Service as CoreService,
  ServiceAccount as CoreServiceAccount,
} from 'kubernetes-types/core/v1'
import type { EndpointSlice as DiscoveryEndpointSlice } from 'kubernetes-types/discovery/v1'
import type { PodDisruptionBudget as PolicyPodDisruptionBudget } from 'kubernetes-types/policy/v1'

type NamespacedIndex = 'namespace' | 'controller'

/** One watch and one cache for each kind that any controller asks for, however many ask. */
export class ClusterCaches {
  readonly #manager: Pick<Manager, 'watch'>
  readonly #caches = new Map<string, unknown>()

  constructor(manager: Pick<Manager, 'watch'>) {
    this.#manager = manager
  }

  get namespaces(): CacheReader<CoreNamespace, never> {
    return this.#cache(Namespace, {})
  }

  get nodes(): CacheReader<CoreNode, never> {
    return this.#cache(Node, {})
  }

  get pods(): CacheReader<CorePod, NamespacedIndex | 'node'> {
    return this.#cache(Pod, {
      ...namespacedIndexes,
      node: (pod) => (pod.spec?.nodeName ? [pod.spec.nodeName] : []),
    })
  }

  get services(): CacheReader<CoreService, NamespacedIndex> {
    return this.#cache(Service, namespacedIndexes)
  }

  get endpoints(): CacheReader<CoreEndpoints, NamespacedIndex> {
    return this.#cache(Endpoints, namespacedIndexes)
  }

  get endpointSlices(): CacheReader<DiscoveryEndpointSlice, NamespacedIndex | 'service'> {
    return this.#cache(EndpointSlice, { ...namespacedIndexes, service: serviceOfSlice })
  }

  get replicaSets(): CacheReader<AppsReplicaSet, NamespacedIndex> {
    return this.#cache(ReplicaSet, namespacedIndexes)
  }

  get deployments(): CacheReader<AppsDeployment, NamespacedIndex> {
    return this.#cache(Deployment, namespacedIndexes)
  }

  get podDisruptionBudgets(): CacheReader<PolicyPodDisruptionBudget, NamespacedIndex> {
    return this.#cache(PodDisruptionBudget, namespacedIndexes)
  }

  get serviceAccounts(): CacheReader<CoreServiceAccount, NamespacedIndex> {
    return this.#cache(ServiceAccount, namespacedIndexes)
  }

  #cache<T extends KubeObject, I extends string>(
    kind: Kind<T>,
    indexes: Readonly<Record<I, IndexFunction<T>>>,
  ): CacheReader<T, I> {
    const id = `${kind.apiVersion}/${kind.kind}`
    const cache =
      (this.#caches.get(id) as CacheReader<T, I> | undefined) ?? this.#manager.watch(kind, { indexes })
    this.#caches.set(id, cache)
    return cache
  }
}

const namespacedIndexes = {
  namespace: ({ metadata }: Cached<KubeObject>) => [metadata.namespace ?? ''],
  /** By the uid of the owner that manages the object. */
  controller: (object: Cached<KubeObject>) => {
    const owner = controllerOf(object)
    return owner === undefined ? [] : [owner.uid]
  },
}

/** `namespace/name` of the Service that a slice belongs to. */
function serviceOfSlice({ metadata }: Cached<DiscoveryEndpointSlice>): string[] {
  const name = metadata.labels?.['kubernetes.io/service-name']
  return name === undefined ? [] : [`${metadata.namespace}/${name}`]
}
