import type { Deployment as DeploymentObject } from 'kubernetes-types/apps/v1'
import type {
  Event as EventObject,
  Node as NodeObject,
  Pod as PodObject,
  ServiceAccount as ServiceAccountObject,
  Service as ServiceObject,
} from 'kubernetes-types/core/v1'
import type { IngressClass as IngressClassObject } from 'kubernetes-types/networking/v1'
import type { PodDisruptionBudget as BudgetObject } from 'kubernetes-types/policy/v1'
import type { Infrastructure as InfrastructureObject } from '../api/infrastructure.ts'
import type { IngressController as IngressControllerObject } from '../api/ingress-controller.ts'
import {
  CoreEvent,
  Deployment,
  IngressClass,
  Node,
  Pod,
  PodDisruptionBudget,
  Service,
  ServiceAccount,
} from '../kube/kinds.ts'
import type { Live } from '../kube/objects.ts'
import type { Runtime } from '../kube/runtime.ts'
import type { StoreReader } from '../kube/store.ts'
import { onlyWhatTheCloudSays } from './cloud-report.ts'
import { Infrastructure, IngressController } from './kinds.ts'
import { routerLabel } from './names.ts'
import { hostPortsIn } from './placement/port-holders.ts'
import type { Settings } from './settings.ts'

/** All that the reconciler looks at, kept up to date by watches. */
export interface Stores {
  readonly controllers: StoreReader<IngressControllerObject, never>
  readonly infrastructures: StoreReader<InfrastructureObject, never>
  readonly nodes: StoreReader<NodeObject, never>
  readonly deployments: StoreReader<DeploymentObject, never>
  /** Of the whole cluster; outside of the routers' namespace only their node ports are kept. */
  readonly services: StoreReader<ServiceObject, 'hasNodePorts'>
  readonly budgets: StoreReader<BudgetObject, never>
  readonly ingressClasses: StoreReader<IngressClassObject, never>
  readonly accounts: StoreReader<ServiceAccountObject, never>
  /** Of the whole cluster; outside of the routers' namespace only their host ports are kept. */
  readonly pods: StoreReader<PodObject, 'controller' | 'hasHostPorts'>
  readonly cloudEvents: StoreReader<EventObject, 'service'>
}

export function watchAll(runtime: Pick<Runtime, 'watch'>, settings: Settings): Stores {
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
    accounts: runtime.watch(ServiceAccount, { selection: { namespace } }),
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
      project: onlyWhatTheCloudSays,
      indexes: { service: ({ involvedObject }) => [involvedObject.name ?? ''] },
    }),
  }
}

/** Nodes report every few minutes, and most of what they say matters to nobody here. */
function onlyWhatMatters({ metadata, spec = {}, status }: Live<NodeObject>): Live<NodeObject> {
  const { name, uid, resourceVersion, labels } = metadata
  const { providerID, taints, unschedulable } = spec
  return {
    metadata: { name, uid, resourceVersion, ...(labels && { labels }) },
    spec: {
      ...(providerID && { providerID }),
      ...(taints && { taints }),
      ...(unschedulable && { unschedulable }),
    },
    status: { ...(status?.addresses && { addresses: status.addresses }) },
  }
}

function onlyNodePorts({ metadata, spec }: Live<ServiceObject>): Live<ServiceObject> {
  const ports = (spec?.ports ?? []).filter(({ nodePort }) => nodePort)
  return { metadata: identityOf(metadata), spec: { ports } }
}

function onlyHostPorts({ metadata, spec, status }: Live<PodObject>): Live<PodObject> {
  const sidecars = (spec?.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always')
  const containers = [...(spec?.containers ?? []), ...sidecars].flatMap(({ name, ports = [] }) => {
    const hostPorts = ports.filter(({ hostPort }) => hostPort)
    return hostPorts.length === 0 ? [] : [{ name, ports: hostPorts }]
  })
  const { nodeName } = spec ?? {}
  const phase = status?.phase
  return {
    metadata: identityOf(metadata),
    spec: { containers, ...(nodeName && { nodeName }) },
    status: { ...(phase && { phase }) },
  }
}

function identityOf({ namespace, name, uid, resourceVersion }: Live['metadata']) {
  return { ...(namespace && { namespace }), name, uid, resourceVersion }
}
