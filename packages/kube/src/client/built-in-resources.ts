import * as kinds from '../objects/kinds.ts'
import type { Kind } from '../objects/objects.ts'
import type { Resource } from './discovery.ts'

type BuiltIn = readonly [Kind, Omit<Resource, 'root'>]

/**
 * Where the built-in kinds that are used here are served: every API server that we support has them there, and a program that
 * starts need not ask. Only subresources that are used are named.
 */
export const builtInResources: readonly BuiltIn[] = [
  [kinds.ConfigMap, inNamespaces('configmaps')],
  [kinds.CoreEvent, inNamespaces('events')],
  [kinds.Deployment, inNamespaces('deployments', 'status')],
  [kinds.Endpoints, inNamespaces('endpoints')],
  [kinds.EndpointSlice, inNamespaces('endpointslices')],
  [kinds.Event, inNamespaces('events')],
  [kinds.Ingress, inNamespaces('ingresses', 'status')],
  [kinds.IngressClass, ofTheCluster('ingressclasses')],
  [kinds.Lease, inNamespaces('leases')],
  [kinds.Namespace, ofTheCluster('namespaces', 'status', 'finalize')],
  [kinds.Node, ofTheCluster('nodes', 'status')],
  [kinds.Pod, inNamespaces('pods', 'status', 'binding')],
  [kinds.PodDisruptionBudget, inNamespaces('poddisruptionbudgets', 'status')],
  [kinds.ReplicaSet, inNamespaces('replicasets', 'status')],
  [kinds.Service, inNamespaces('services', 'status')],
  [kinds.ServiceAccount, inNamespaces('serviceaccounts')],
]

function inNamespaces(plural: string, ...subresources: string[]) {
  return { plural, namespaced: true, subresources }
}

function ofTheCluster(plural: string, ...subresources: string[]) {
  return { plural, namespaced: false, subresources }
}
