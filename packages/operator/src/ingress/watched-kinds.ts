import {
  type CacheReader,
  type CachesOf,
  CoreEvent,
  cutToBytes,
  Deployment,
  IngressClass,
  type Kind,
  type KubeObject,
  maxUntrustedBytes,
  Node,
  type Persisted,
  Pod,
  PodDisruptionBudget,
  Service,
  watchedKind,
} from '@portcullis/kube'
import type { Node as NodeObject, Pod as PodObject, Service as ServiceObject } from 'kubernetes-types/core/v1'
import { publishableAddresses } from '../addresses/node-addresses.ts'
import { keptLabels } from '../addresses/shard.ts'
import { projectCloudEvent } from './cloud-events.ts'
import { Infrastructure, IngressController } from './kinds.ts'
import { routerLabel } from './names.ts'
import { hostPortsIn } from './placement/port-holders.ts'
import type { Settings } from './settings.ts'

/**
 * What the reconciler of IngressControllers watches. The operator turns it into watches, `portcullis plan` into lists, and
 * nothing is watched that does not stand here.
 */
export function watchedKinds({ operatorNamespace, operandNamespace: namespace }: Settings) {
  return {
    controllers: watchedKind(IngressController, { selection: { namespace: operatorNamespace } }),
    infrastructures: watchedKind(Infrastructure),
    nodes: watchedKind(Node, { project: projectNode }),
    deployments: watchedKind(Deployment, { selection: { namespace } }),
    /** Of the whole cluster; outside of the routers' namespace only their node ports are kept. */
    services: watchedKind(Service, {
      project: (service) => (service.metadata.namespace === namespace ? service : onlyNodePorts(service)),
      indexes: { hasNodePorts: ({ spec }) => (spec?.ports?.some(({ nodePort }) => nodePort) ? ['yes'] : []) },
    }),
    budgets: watchedKind(PodDisruptionBudget, { selection: { namespace } }),
    ingressClasses: watchedKind(IngressClass),
    /** Of the whole cluster; outside of the routers' namespace only their host ports are kept. */
    pods: watchedKind(Pod, {
      project: (pod) => (pod.metadata.namespace === namespace ? pod : onlyHostPorts(pod)),
      indexes: {
        controller: ({ metadata }) => [
          (metadata.namespace === namespace && metadata.labels?.[routerLabel]) || '',
        ],
        hasHostPorts: (pod) => (hostPortsIn(pod).length > 0 ? ['yes'] : []),
      },
    }),
    /** What the cloud reports about Services of load balancers. */
    cloudEvents: watchedKind(CoreEvent, {
      selection: { namespace, fieldSelector: 'involvedObject.kind=Service' },
      project: projectCloudEvent,
      indexes: { service: ({ involvedObject }) => [involvedObject.name ?? ''] },
    }),
  }
}

/** The informer caches of what is watched: all that the reconciler reads of the cluster. */
export type Caches = CachesOf<ReturnType<typeof watchedKinds>>

/** Kubelets write to their nodes every few minutes, and most of what they write is not needed here. */
function projectNode({ metadata, spec = {}, status }: Persisted<NodeObject>): Persisted<NodeObject> {
  const { name, uid, resourceVersion, labels } = metadata
  const { providerID, taints, unschedulable } = spec
  const kept = keptLabels('Node', labels)
  return {
    metadata: { name, uid, resourceVersion, ...(kept && { labels: { ...kept } }) },
    spec: {
      ...(providerID && { providerID: cutToBytes(providerID, maxUntrustedBytes) }),
      ...(taints && { taints }),
      ...(unschedulable && { unschedulable }),
    },
    status: { ...(status?.addresses && { addresses: publishableAddresses({ status }) }) },
  }
}

function onlyNodePorts({ metadata, spec }: Persisted<ServiceObject>): Persisted<ServiceObject> {
  const ports = (spec?.ports ?? []).flatMap(({ port, nodePort, protocol }) =>
    nodePort ? [{ port, nodePort, ...(protocol && { protocol }) }] : [],
  )
  return { metadata: identityOf(metadata), spec: { ports } }
}

/**
 * So many host ports of a pod are kept at most, the lowest: a tenant may name ten thousand in one pod, and have many of
 * these. Node ports need no such bound: there are no more of them in a cluster than its range has.
 */
const mostHostPorts = 100

function onlyHostPorts(pod: Persisted<PodObject>): Persisted<PodObject> {
  const { metadata, spec, status } = pod
  const ports = [...new Set(hostPortsIn(pod))].toSorted((one, other) => one - other).slice(0, mostHostPorts)
  const containers = [
    { name: 'all', ports: ports.map((hostPort) => ({ containerPort: hostPort, hostPort })) },
  ]
  const { nodeName } = spec ?? {}
  const phase = status?.phase
  return {
    metadata: identityOf(metadata),
    spec: { containers: ports.length === 0 ? [] : containers, ...(nodeName && { nodeName }) },
    status: { ...(phase && { phase }) },
  }
}

function identityOf({ namespace, name, uid, resourceVersion }: Persisted['metadata']) {
  return { ...(namespace && { namespace }), name, uid, resourceVersion }
}

/** The cache of a kind that is written to. */
export function cacheOf({ kind }: Kind, caches: Caches): CacheReader<KubeObject, never> {
  switch (kind) {
    case IngressController.kind:
      return caches.controllers
    case Deployment.kind:
      return caches.deployments
    case Service.kind:
      return caches.services
    case PodDisruptionBudget.kind:
      return caches.budgets
    case IngressClass.kind:
      return caches.ingressClasses
    default:
      throw new Error(`There is no cache of ${kind}.`)
  }
}
