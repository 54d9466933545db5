import type { Cached, DeepReadonly } from '@portcullis/kube'
import type { Node, Taint, Toleration } from 'kubernetes-types/core/v1'

/** Where routers may run, as in the spec of their pods. */
export interface Placement {
  readonly nodeSelector: Readonly<Record<string, string>>
  readonly tolerations: DeepReadonly<readonly Toleration[]>
}

/** The nodes that the scheduler would consider, whatever runs on them. */
export function eligibleNodes(nodes: readonly Cached<Node>[], placement: Placement): readonly Cached<Node>[] {
  return nodes.filter(
    (node) => isSelected(node, placement) && taintsOf(node).every((taint) => isTolerated(taint, placement)),
  )
}

function isSelected({ metadata }: Cached<Node>, { nodeSelector }: Placement): boolean {
  return Object.entries(nodeSelector).every(([label, value]) => metadata.labels?.[label] === value)
}

/** Those that keep pods away. A cordoned node has one that it may not have got yet. */
function taintsOf({ spec }: Cached<Node>): readonly DeepReadonly<Taint>[] {
  const cordoned = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' }
  const taints = (spec?.taints ?? []).filter(
    ({ effect }) => effect === 'NoSchedule' || effect === 'NoExecute',
  )
  return spec?.unschedulable === true ? [...taints, cordoned] : taints
}

function isTolerated(taint: DeepReadonly<Taint>, { tolerations }: Placement): boolean {
  return tolerations.some(({ key, operator, value, effect }) => {
    if (effect && effect !== taint.effect) return false
    if (key && key !== taint.key) return false
    if (operator === 'Exists') return true
    return Boolean(key) && (value ?? '') === (taint.value ?? '')
  })
}
