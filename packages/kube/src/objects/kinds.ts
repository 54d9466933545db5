import type { Deployment as AppsDeployment, ReplicaSet as AppsReplicaSet } from 'kubernetes-types/apps/v1'
import type { Lease as CoordinationLease } from 'kubernetes-types/coordination/v1'
import type {
  ConfigMap as CoreConfigMap,
  Endpoints as CoreEndpoints,
  Event as CoreEventObject,
  Namespace as CoreNamespace,
  Node as CoreNode,
  Pod as CorePod,
  Service as CoreService,
  ServiceAccount as CoreServiceAccount,
} from 'kubernetes-types/core/v1'
import type { EndpointSlice as DiscoveryEndpointSlice } from 'kubernetes-types/discovery/v1'
import type { Event as EventsEvent } from 'kubernetes-types/events/v1'
import type {
  Ingress as NetworkingIngress,
  IngressClass as NetworkingIngressClass,
} from 'kubernetes-types/networking/v1'
import type { PodDisruptionBudget as PolicyPodDisruptionBudget } from 'kubernetes-types/policy/v1'
import { kind } from './objects.ts'

/** The built-in kinds that are used here; add one when you need it, and to `builtInResources`. */
export const ConfigMap = kind<CoreConfigMap>('v1', 'ConfigMap')
/** Events as most of Kubernetes' own controllers write them; the same objects as `Event`, in their older form. */
export const CoreEvent = kind<CoreEventObject>('v1', 'Event')
export const Deployment = kind<AppsDeployment>('apps/v1', 'Deployment')
export const Endpoints = kind<CoreEndpoints>('v1', 'Endpoints')
export const EndpointSlice = kind<DiscoveryEndpointSlice>('discovery.k8s.io/v1', 'EndpointSlice')
export const Event = kind<EventsEvent>('events.k8s.io/v1', 'Event')
export const Ingress = kind<NetworkingIngress>('networking.k8s.io/v1', 'Ingress')
export const IngressClass = kind<NetworkingIngressClass>('networking.k8s.io/v1', 'IngressClass')
export const Lease = kind<CoordinationLease>('coordination.k8s.io/v1', 'Lease')
export const Namespace = kind<CoreNamespace>('v1', 'Namespace')
export const Node = kind<CoreNode>('v1', 'Node')
export const Pod = kind<CorePod>('v1', 'Pod')
export const PodDisruptionBudget = kind<PolicyPodDisruptionBudget>('policy/v1', 'PodDisruptionBudget')
export const ReplicaSet = kind<AppsReplicaSet>('apps/v1', 'ReplicaSet')
export const Service = kind<CoreService>('v1', 'Service')
export const ServiceAccount = kind<CoreServiceAccount>('v1', 'ServiceAccount')
