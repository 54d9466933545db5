import { findCondition, lastChangeOf, parseTime } from '@portcullis/kube'
import { waitsForUser } from './conditions/load-balancer.ts'
import type { Condition } from './conditions/summary-conditions.ts'
import type { Status } from './decision.ts'
import type { IngressControllerEvent } from './reasons/reasons.ts'
import type { Snapshot } from './snapshot.ts'

/** The Events for what a status reports that the one before it did not. */
export function statusEvents(snapshot: Snapshot, after: Status): IngressControllerEvent[] {
  const before = snapshot.controller.status
  return [
    ...admission(before, after),
    ...typeRequest(before, after),
    ...scopeRequest(before, after),
    ...scopeChange(before, after, snapshot),
    ...readiness(before, after),
    ...placement(before, after),
    ...healthPort(before, after),
    ...contest(before, after),
  ]
}

function admission(before: Status | undefined, after: Status): IngressControllerEvent[] {
  const [old, now] = both('Admitted', before, after)
  if (
    now === undefined ||
    (old?.status === now.status && (now.status === 'True' || old.message === now.message))
  )
    return []
  return now.status === 'True'
    ? [normal('Admitted', 'Admit', 'The IngressController has been admitted')]
    : [warning('Rejected', 'Admit', now.message ?? '')]
}

function typeRequest(before: Status | undefined, after: Status): IngressControllerEvent[] {
  const [old, now] = [before, after].map((status) => status?.endpointPublishingStrategy?.type)
  if (old === undefined || now === undefined || old === now) return []
  return [
    normal(
      'TypeRequested',
      'ObserveSpec',
      `The requested endpoint publishing strategy changed from ${old} to ${now}`,
    ),
  ]
}

function scopeRequest(before: Status | undefined, after: Status): IngressControllerEvent[] {
  const [old, now] = [before, after].map((status) => status?.endpointPublishingStrategy?.loadBalancer?.scope)
  if (old === undefined || now === undefined || old === now) return []
  return [normal('ScopeRequested', 'ObserveSpec', `The requested scope changed from ${old} to ${now}`)]
}

/** A change waits, is under way, has been carried out, or has been taken back. */
function scopeChange(
  before: Status | undefined,
  after: Status,
  { controller, operands }: Snapshot,
): IngressControllerEvent[] {
  const [old, now] = both('LoadBalancerProgressing', before, after)
  if (now === undefined || old?.reason === now.reason) return []
  if (waitsForUser(now)) return [normal('WaitingForUser', 'Wait', now.message ?? '')]
  if (now.status !== 'False' || old?.status !== 'True') return []
  // By the API server's clock, where that is known: the leader that wrote the condition may have another time.
  const changedAt =
    lastChangeOf(['status', 'conditions'], controller)?.getTime() ?? timeOf(old.lastTransitionTime)
  const isOldService =
    operands.loadBalancer !== undefined &&
    timeOf(operands.loadBalancer.metadata.creationTimestamp) <= changedAt
  if (waitsForUser(old) && isOldService) {
    return [
      normal('ChangeReverted', 'Wait', 'The change of the load balancer was reverted; nothing was modified'),
    ]
  }
  return waitsForUser(old) || isUnderWay(old)
    ? [normal('ChangeCompleted', 'UpdateLoadBalancer', 'The change of the load balancer is complete')]
    : []
}

function isUnderWay({ reason = '' }: Condition): boolean {
  return ['ScopeChanging', 'ReplacingLoadBalancer', 'RemovingLoadBalancer'].includes(reason)
}

function readiness(before: Status | undefined, after: Status): IngressControllerEvent[] {
  const [old, now] = both('LoadBalancerReady', before, after)
  const failed = 'SyncLoadBalancerFailed'
  if (now?.reason === failed && old?.message !== now.message) {
    return [warning('LoadBalancerFailed', 'ObserveLoadBalancer', now.message ?? '')]
  }
  if (now?.reason === 'LoadBalancerWithoutNodes' && old?.reason !== now.reason) {
    return [warning('LoadBalancerWithoutNodes', 'ObserveLoadBalancer', now.message ?? '')]
  }
  if (now?.status === 'True' && old?.status !== 'True') {
    return [normal('LoadBalancerReady', 'ObserveLoadBalancer', now.message ?? '')]
  }
  return []
}

/** Once for each cause, however often the scheduler tries; a conflict that one condition reports is not reported by the next. */
function placement(before: Status | undefined, after: Status): IngressControllerEvent[] {
  return ['PortsAvailable', 'PodsScheduled', 'PodsStarted'].flatMap((type) => {
    const [old, now] = both(type, before, after)
    if (now === undefined || old?.reason === now.reason) return []
    const isReserved = now.reason === 'PortReserved'
    if (now.status !== 'False' && !isReserved) return []
    const portsTaken = findCondition(after.conditions, 'PortsAvailable')?.status === 'False'
    if (now.reason === 'PortConflict' && portsTaken) return []
    // What the scheduler reports just after a port was freed is old: it has not tried again yet.
    if (now.reason === 'Unschedulable' && old?.status === 'False') return []
    // It was said by us a moment ago.
    return [warning(now.reason as IngressControllerEvent['reason'], 'PlaceRouters', now.message ?? '')]
  })
}

function healthPort(before: Status | undefined, after: Status): IngressControllerEvent[] {
  const [old, now] = [before, after].map(
    (status) => status?.endpointPublishingStrategy?.hostNetwork?.statsPort,
  )
  if (old === undefined || now === undefined || old === now) return []
  const note = `The stats port changes from ${old} to ${now}: a load balancer in front of the nodes must check health on the new port`
  return [warning('HealthPortMoves', 'RollOut', note)]
}

function timeOf(text: string | undefined): number {
  return parseTime(text)?.getTime() ?? 0
}

function contest(before: Status | undefined, after: Status): IngressControllerEvent[] {
  const [old, now] = both('OperandsManaged', before, after)
  if (now?.reason !== 'Contested' || old?.message === now.message) return []
  return [warning('OperandContested', 'ReconcileOperands', now.message ?? '')]
}

function both(
  type: string,
  before: Status | undefined,
  after: Status,
): [Condition | undefined, Condition | undefined] {
  return [findCondition(before?.conditions, type), findCondition(after.conditions, type)]
}

function normal(
  reason: IngressControllerEvent['reason'],
  action: string,
  note: string,
): IngressControllerEvent {
  return { type: 'Normal', reason, action, note }
}

function warning(
  reason: IngressControllerEvent['reason'],
  action: string,
  note: string,
): IngressControllerEvent {
  return { type: 'Warning', reason, action, note }
}
