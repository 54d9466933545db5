import { type Cached, type Change, keyOfObject } from '@portcullis/kube'
import type { Node } from 'kubernetes-types/core/v1'

const excludeLabel = 'node.kubernetes.io/exclude-from-external-load-balancers'
const scaleDownTaint = 'ToBeDeletedByClusterAutoscaler'

/** The nodes that load balancers send to, as text to compare. Whether a node is ready is for health checks to find. */
export function hostsAmong(nodes: Iterable<Cached<Node>>): string {
  return [...nodes]
    .filter((node) => node.metadata.deletionTimestamp === undefined && isIncluded(node) && !isLeaving(node))
    .map((node) => `${keyOfObject(node)}=${node.spec?.providerID ?? ''}`)
    .sort()
    .join()
}

/** A taint alone removes no node from a load balancer: its setter waits for connections to end. */
export function changesHosts(change: Change<Cached<Node>>): boolean {
  if (change.type !== 'updated') return true
  const { object, previous } = change
  return isIncluded(object) !== isIncluded(previous) || object.spec?.providerID !== previous.spec?.providerID
}

function isIncluded({ metadata }: Cached<Node>): boolean {
  return ['0', 'f', 'F', 'false', 'False', 'FALSE', undefined].includes(metadata.labels?.[excludeLabel])
}

function isLeaving({ spec }: Cached<Node>): boolean {
  return (spec?.taints ?? []).some(({ key }) => key === scaleDownTaint)
}

/** Said when the last node goes, too. */
export const noHosts = {
  type: 'Warning',
  reason: 'UnAvailableLoadBalancer',
  message: 'There are no available nodes for LoadBalancer',
} as const

export const newHosts = {
  type: 'Normal',
  reason: 'UpdatedLoadBalancer',
  message: 'Updated load balancer with new hosts',
} as const
