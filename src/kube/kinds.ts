import type { Deployment as AppsDeployment } from 'kubernetes-types/apps/v1'
import type { Lease as CoordinationLease } from 'kubernetes-types/coordination/v1'
import type {
  ConfigMap as CoreConfigMap,
  Namespace as CoreNamespace,
  Pod as CorePod,
} from 'kubernetes-types/core/v1'
import type { Event as EventsEvent } from 'kubernetes-types/events/v1'
import type { Ingress as NetworkingIngress } from 'kubernetes-types/networking/v1'
import { kind } from './objects.ts'

/** The built-in kinds that are used here; add one when you need it. */
export const ConfigMap = kind<CoreConfigMap>('v1', 'ConfigMap')
export const Deployment = kind<AppsDeployment>('apps/v1', 'Deployment')
export const Event = kind<EventsEvent>('events.k8s.io/v1', 'Event')
export const Ingress = kind<NetworkingIngress>('networking.k8s.io/v1', 'Ingress')
export const Lease = kind<CoordinationLease>('coordination.k8s.io/v1', 'Lease')
export const Namespace = kind<CoreNamespace>('v1', 'Namespace')
export const Pod = kind<CorePod>('v1', 'Pod')
