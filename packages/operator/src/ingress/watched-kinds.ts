import {
  type CacheReader,
  CoreEvent,
  cutToBytes,
  Deployment,
  IngressClass,
  type Manager,
  maxUntrustedBytes,
  Node,
  type Persisted,
  Pod,
  PodDisruptionBudget,
  Service,
} from '@portcullis/kube'
import type { Deployment as DeploymentObject } from 'kubernetes-types/apps/v1'
import type {
  Event as EventObject,
  Node as NodeObject,
  Pod as PodObject,
  Service as ServiceObject,
} from 'kubernetes-types/core/v1'
import type { IngressClass as IngressClassObject } from 'kubernetes-types/networking/v1'
import type { PodDisruptionBudget as BudgetObject } from 'kubernetes-types/policy/v1'
import { publishableAddresses } from '../addresses/node-addresses.ts'
import { keptLabels } from '../addresses/shard.ts'
import type { Infrastructure as InfrastructureObject } from '../api/infrastructure.ts'
import type { IngressController as IngressControllerObject } from '../api/ingress-controller.ts'
import { projectCloudEvent } from './cloud-events.ts'
import { Infrastructure, IngressController } from './kinds.ts'
import { routerLabel } from './names.ts'
import { hostPortsIn } from './placement/port-holders.ts'
import type { Settings } from './settings.ts'

/** All that the reconciler looks at, kept up to date by watches. */
export interface Caches {
  readonly controllers: CacheReader<IngressControllerObject, never>
  readonly infrastructures: CacheReader<InfrastructureObject, never>
  readonly nodes: CacheReader<NodeObject, never>
  readonly deployments: CacheReader<DeploymentObject, never>
  /** Of the whole cluster; outside of the routers' namespace only their node ports are kept. */
  readonly services: CacheReader<ServiceObject, 'hasNodePorts'>
  readonly budgets: CacheReader<BudgetObject, never>
  readonly ingressClasses: CacheReader<IngressClassObject, never>
  /** Of the whole cluster; outside of the routers' namespace only their host ports are kept. */
  readonly pods: CacheReader<PodObject, 'controller' | 'hasHostPorts'>
  readonly cloudEvents: CacheReader<EventObject, 'service'>
}

export function watchAll(runtime: Pick<Manager, 'watch'>, settings: Settings): Caches {
  const { operatorNamespace, operandNamespace: namespace } = settings
  return {
    controllers: runtime.watch(IngressController, { selection: { namespace: operatorNamespace } }),
    infrastructures: runtime.watch(Infrastructure),
    nodes: runtime.watch(Node, { project: onlyWhatMatters }),
    deployments: runtime.watch(Deployment, { selection: { namespace } }),
    services: runtime.watch(Service, {
      project: (service) => (service.metadata.namespace === namespace ? service : onlyNodePorts(service)),
      indexes: { hasNodePorts: ({ spec }) => (spec?.ports?.some(({ nodePort }) => nodePort) ? ['yes'] : []) },
    }),
    budgets: runtime.watch(PodDisruptionBudget, { selection: { namespace } }),
    ingressClasses: runtime.watch(IngressClass),
    pods: runtime.watch(Pod, {
      project: (pod) => (pod.metadata.namespace === namespace ? pod : onlyHostPorts(pod)),
      indexes: {
        controller: ({ metadata }) => [
          (metadata.namespace === namespace && metadata.labels?.[routerLabel]) || '',
        ],
        hasHostPorts: (pod) => (hostPortsIn(pod).length > 0 ? ['yes'] : []),
      },
    }),
    cloudEvents: runtime.watch(CoreEvent, {
      selection: { namespace, fieldSelector: 'involvedObject.kind=Service' },
      project: projectCloudEvent,
      indexes: { service: ({ involvedObject }) => [involvedObject.name ?? ''] },
    }),
  }
}

/** Nodes report every few minutes, and most of what they say matters to nobody here. */
function onlyWhatMatters({ metadata, spec = {}, status }: Persisted<NodeObject>): Persisted<NodeObject> {
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
