import type { Resource } from './discovery.ts'
import {
  ConfigMap,
  CoreEvent,
  Deployment,
  EndpointSlice,
  Endpoints,
  Event,
  Ingress,
  IngressClass,
  Lease,
  Namespace,
  Node,
  Pod,
  PodDisruptionBudget,
  ReplicaSet,
  Service,
  ServiceAccount,
} from './kinds.ts'
import type { Kind } from './objects.ts'

type BuiltIn = readonly [Kind, Omit<Resource, 'root'>]

/**
 * Where the built-in kinds that are used here are served: every API server that we support has them there, and whoever
 * starts need not ask. Of their subresources only those are named that are used.
 */
export const builtInResources: readonly BuiltIn[] = [
  [ConfigMap, inNamespaces('configmaps')],
  [CoreEvent, inNamespaces('events')],
  [Deployment, inNamespaces('deployments', 'status')],
  [Endpoints, inNamespaces('endpoints')],
  [EndpointSlice, inNamespaces('endpointslices')],
  [Event, inNamespaces('events')],
  [Ingress, inNamespaces('ingresses', 'status')],
  [IngressClass, ofTheCluster('ingressclasses')],
  [Lease, inNamespaces('leases')],
  [Namespace, ofTheCluster('namespaces', 'status', 'finalize')],
  [Node, ofTheCluster('nodes', 'status')],
  [Pod, inNamespaces('pods', 'status', 'binding')],
  [PodDisruptionBudget, inNamespaces('poddisruptionbudgets', 'status')],
  [ReplicaSet, inNamespaces('replicasets', 'status')],
  [Service, inNamespaces('services', 'status')],
  [ServiceAccount, inNamespaces('serviceaccounts')],
]

function inNamespaces(plural: string, ...subresources: string[]) {
  return { plural, namespaced: true, subresources }
}

function ofTheCluster(plural: string, ...subresources: string[]) {
  return { plural, namespaced: false, subresources }
}
