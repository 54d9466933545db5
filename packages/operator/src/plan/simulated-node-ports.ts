import { Service } from '@portcullis/kube'
import type { SimulatedCluster } from './simulated-cluster.ts'

/** Stands for a node port that only the cluster will know. */
export const portToCome = '<given by the cluster>'

/** Gives ports of the nodes to a Service that asks for them and has named none. */
export function allocateNodePorts(
  cluster: SimulatedCluster,
  ref: { readonly namespace?: string; readonly name: string },
): void {
  const service = cluster.get(Service, ref)
  if (service?.spec?.type !== 'NodePort') return
  const ports = (service.spec.ports ?? []).map((port) => ({ nodePort: portToCome, ...port }))
  cluster.patch(Service, service, { spec: { ports } }, undefined)
}
