import type { Deployment as DeploymentObject } from 'kubernetes-types/apps/v1'
import type {
  Event as EventObject,
  Node as NodeObject,
  Pod as PodObject,
  ServiceAccount as ServiceAccountObject,
  Service as ServiceObject,
} from 'kubernetes-types/core/v1'
import type { PodDisruptionBudget as BudgetObject } from 'kubernetes-types/policy/v1'
import type { Infrastructure as InfrastructureObject } from '../api/infrastructure.ts'
import type { IngressController as IngressControllerObject } from '../api/ingress-controller.ts'
import {
  CoreEvent,
  Deployment,
  Node,
  Pod,
  PodDisruptionBudget,
  Service,
  ServiceAccount,
} from '../kube/kinds.ts'
import type { Live } from '../kube/objects.ts'
import type { Runtime } from '../kube/runtime.ts'
import type { StoreReader } from '../kube/store.ts'
import { Infrastructure, IngressController } from './kinds.ts'
import { routerLabel } from './names.ts'
import type { Settings } from './settings.ts'

/** All that the reconciler looks at, kept up to date by watches. */
export interface Stores {
  readonly controllers: StoreReader<IngressControllerObject, never>
  readonly infrastructures: StoreReader<InfrastructureObject, never>
  readonly nodes: StoreReader<NodeObject, never>
  readonly deployments: StoreReader<DeploymentObject, never>
  readonly services: StoreReader<ServiceObject, never>
  readonly budgets: StoreReader<BudgetObject, never>
  readonly accounts: StoreReader<ServiceAccountObject, never>
  readonly pods: StoreReader<PodObject, 'controller'>
  readonly cloudEvents: StoreReader<EventObject, 'service'>
}

export function watchAll(runtime: Pick<Runtime, 'watch'>, settings: Settings): Stores {
  const { operatorNamespace, operandNamespace: namespace } = settings
  return {
    controllers: runtime.watch(IngressController, { selection: { namespace: operatorNamespace } }),
    infrastructures: runtime.watch(Infrastructure),
    nodes: runtime.watch(Node, { project: onlyProviderId }),
    deployments: runtime.watch(Deployment, { selection: { namespace } }),
    services: runtime.watch(Service, { selection: { namespace } }),
    budgets: runtime.watch(PodDisruptionBudget, { selection: { namespace } }),
    accounts: runtime.watch(ServiceAccount, { selection: { namespace } }),
    pods: runtime.watch(Pod, {
      selection: { namespace, labelSelector: routerLabel },
      indexes: { controller: ({ metadata }) => [metadata.labels?.[routerLabel] ?? ''] },
    }),
    cloudEvents: runtime.watch(CoreEvent, {
      selection: { namespace, fieldSelector: 'involvedObject.kind=Service' },
      indexes: { service: ({ involvedObject }) => [involvedObject.name ?? ''] },
    }),
  }
}

/** Of thousands of nodes, which report every few minutes, nothing else matters here. */
function onlyProviderId({ metadata, spec }: Live<NodeObject>): Live<NodeObject> {
  const { name, uid, resourceVersion } = metadata
  const providerID = spec?.providerID
  return {
    metadata: { name, uid, resourceVersion },
    spec: { ...(providerID !== undefined && { providerID }) },
  }
}
