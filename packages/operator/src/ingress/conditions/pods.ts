import { type Cached, findCondition, isBeingDeleted, sanitizeUntrusted } from '@portcullis/kube'
import type { Pod } from 'kubernetes-types/core/v1'
import { hostPortsOf } from '../placement/host-ports.ts'
import { isOlder, type NodePorts, portsOnNodes } from '../placement/ports-on-nodes.ts'
import type { Snapshot } from '../snapshot.ts'
import type { WantedStrategy } from '../strategies/wanted-strategy.ts'
import { type ConditionDraft, conditionDraft } from './condition-draft.ts'
import { failureOf, failureReasons } from './container-failures.ts'
import { describeFailures } from './failure-messages.ts'
import { describeHolders, portsIn, whatToChange } from './ports.ts'

/** Routers for which the scheduler finds no node; those that are about to be replaced need none. */
export function unplacedRouters({
  pods,
  operands: { deployment },
}: Pick<Snapshot, 'pods' | 'operands'>): readonly Cached<Pod>[] {
  return pods.filter(
    (pod) =>
      !isBeingDeleted(pod) &&
      !isOlder(pod, deployment) &&
      !pod.spec?.nodeName &&
      findCondition(pod.status?.conditions, 'PodScheduled')?.status === 'False',
  )
}

/** Whether every router has a node; if not, who is in the way, by looking at the nodes rather than at the scheduler's prose. */
export function podsScheduled(snapshot: Snapshot, strategy: WantedStrategy): ConditionDraft {
  const is = (status: ConditionDraft['status'], reason: ConditionDraft['reason'], message: string) =>
    conditionDraft('PodsScheduled', status, reason, message)
  const unplaced = unplacedRouters(snapshot)
  if (unplaced.length === 0) return is('True', 'AllScheduled', 'All routers are scheduled.')
  const missing = `${unplaced.length} of ${unplaced.length + placed(snapshot)} routers cannot be scheduled`
  const ports = hostPortsOf(strategy)
  const nodes = ports.length === 0 ? [] : portsOnNodes(snapshot, ports)
  const held = nodes.flatMap((node) => node.held)
  switch (causeOf(unplaced, nodes)) {
    case 'MakingRoom':
      return is('False', 'MakingRoom', `${missing} yet: ${describeWait(unplaced, nodes)}`)
    case 'WaitingForOldRouters':
      return is('True', 'WaitingForOldRouters', 'A router is waiting for its predecessor to leave the node.')
    case 'PortConflict':
      return is(
        'False',
        'PortConflict',
        `${missing}: ${describeHolders(held)}. ${whatToChange(snapshot, portsIn(held), ports)}`,
      )
    case 'TooFewNodes': {
      const names = nodes.map(({ node }) => node).sort()
      return is(
        'False',
        'TooFewNodes',
        `${missing}: each router needs its ports on a node of its own, and only ${names.length} ${names.length === 1 ? 'node is' : 'nodes are'} eligible (${names.join(', ')}). Allow more nodes with spec.nodePlacement, or lower spec.replicas.`,
      )
    }
    case 'Unschedulable':
      return is('False', 'Unschedulable', `${missing}: ${schedulersWords(unplaced)}`)
  }
}

export const unplacedCauses = [
  'MakingRoom',
  'WaitingForOldRouters',
  'PortConflict',
  'TooFewNodes',
  'Unschedulable',
] as const

/** Why there is no room, as far as ports go; where there is room for all that wait, the cause is another. */
function causeOf(
  unplaced: readonly Cached<Pod>[],
  nodes: readonly NodePorts[],
): (typeof unplacedCauses)[number] {
  if (unplaced.some(({ status }) => status?.nominatedNodeName)) return 'MakingRoom'
  const free = nodes.filter(({ held, ours }) => held.length === 0 && ours === 'none').length
  const soonFree = nodes.filter(({ held, ours }) => held.length === 0 && ours === 'terminating').length
  if (nodes.length === 0 || free >= unplaced.length) return 'Unschedulable'
  if (free + soonFree >= unplaced.length) return 'WaitingForOldRouters'
  return nodes.some(({ held }) => held.length > 0) ? 'PortConflict' : 'TooFewNodes'
}

/** Routers have a high priority, for which the scheduler evicts pods with a lower one. */
function describeWait(unplaced: readonly Cached<Pod>[], nodes: readonly NodePorts[]): string {
  const chosen = new Set(unplaced.flatMap(({ status }) => status?.nominatedNodeName || []))
  const victims = nodes.filter(({ node }) => chosen.has(node)).flatMap(({ held }) => held)
  const names = [...chosen].sort().join(', ')
  const held = victims.length === 0 ? '' : `: ${describeHolders(victims)}`
  return `the scheduler is evicting pods with a lower priority from node ${names} to make room${held}.`
}

function placed({ pods }: Snapshot): number {
  return pods.filter((pod) => pod.spec?.nodeName && !isBeingDeleted(pod)).length
}

/** Each message of the scheduler, once. */
function schedulersWords(pods: readonly Cached<Pod>[]): string {
  const words = pods.map(({ status }) => findCondition(status?.conditions, 'PodScheduled')?.message ?? '')
  return (
    [...new Set(words)].filter(Boolean).map(sanitizeUntrusted).sort().join(' ') ||
    'the scheduler gives no reason.'
  )
}

/** Whether every router that has a node also runs there. */
export function podsStarted(snapshot: Snapshot, strategy: WantedStrategy): ConditionDraft {
  const { pods, settings, controller } = snapshot
  const failing = pods.flatMap((pod) => failureOf(pod, hostPortsOf(strategy)) ?? [])
  const reason = failureReasons.find((each) => failing.some(({ cause }) => cause.reason === each))
  if (reason === undefined)
    return conditionDraft('PodsStarted', 'True', 'AllStarted', 'No router is failing to start.')
  const { message: before = '' } = findCondition(controller.status?.conditions, 'PodsStarted') ?? {}
  return conditionDraft('PodsStarted', 'False', reason, describeFailures(failing, settings, before))
}
