import type { Cached, DeepReadonly } from '@portcullis/kube'
import type { Node, Pod, Taint, Toleration } from 'kubernetes-types/core/v1'

type ReadTaint = DeepReadonly<Pick<Taint, 'key' | 'value' | 'effect'>>

/** `PreferNoSchedule` only asks. */
export function toleratesTaints({ spec }: Cached<Pod>, node: Cached<Node>): boolean {
  const taints = (node.spec?.taints ?? []).filter(({ effect }) => effect !== 'PreferNoSchedule')
  return taints.every((taint) => tolerates(spec?.tolerations, taint))
}

/** A cordoned node takes only pods that tolerate the taint that goes with it. */
export function toleratesUnschedulable({ spec }: Cached<Pod>, node: Cached<Node>): boolean {
  if (node.spec?.unschedulable !== true) return true
  return tolerates(spec?.tolerations, { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' })
}

function tolerates(tolerations: readonly DeepReadonly<Toleration>[] = [], taint: ReadTaint): boolean {
  return tolerations.some(({ key, operator = 'Equal', value, effect }) => {
    if (effect && effect !== taint.effect) return false
    if (key && key !== taint.key) return false
    if (operator === 'Exists') return true
    return operator === 'Equal' && (value ?? '') === (taint.value ?? '')
  })
}
