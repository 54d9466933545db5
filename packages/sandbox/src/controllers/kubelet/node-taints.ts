import { type Cached, findCondition, timestamp } from '@portcullis/kube'
import type { Node, Taint } from 'kubernetes-types/core/v1'

const managed = new Set([
  'node.kubernetes.io/not-ready',
  'node.kubernetes.io/unreachable',
  'node.kubernetes.io/unschedulable',
])

/** The taints that follow from a node's state, beside those of others; undefined when they are there already. */
export function taintsFor({ spec, status }: Cached<Node>, now: Date): Taint[] | undefined {
  const ready = findCondition(status?.conditions, 'Ready')?.status ?? 'False'
  const wanted = [
    ...(ready === 'False' ? ['node.kubernetes.io/not-ready'] : []),
    ...(ready === 'Unknown' ? ['node.kubernetes.io/unreachable'] : []),
    ...(spec?.unschedulable ? ['node.kubernetes.io/unschedulable'] : []),
  ]
  const current = spec?.taints ?? []
  const isOurs = ({ key, effect }: Pick<Taint, 'key' | 'effect'>) =>
    managed.has(key) && effect === 'NoSchedule'
  const ours = current.filter(isOurs).map(({ key }) => key)
  if (ours.length === wanted.length && wanted.every((key) => ours.includes(key))) return undefined
  const kept = current.filter((taint) => !isOurs(taint) || wanted.includes(taint.key))
  const added = wanted.filter((key) => !ours.includes(key))
  const timeAdded = timestamp(now)
  return [...kept, ...added.map((key): Taint => ({ key, effect: 'NoSchedule', timeAdded }))]
}
