import { type DeepReadonly, findCondition, parseTime } from '@portcullis/kube'
import type { Condition as ApiCondition } from '../../api/ingress-controller.ts'
import { type ConditionDraft, conditionDraft } from './condition-draft.ts'

/** A condition, and since when it is so. */
export type Condition = DeepReadonly<ApiCondition>

type Conditions = readonly Condition[]

const is = (conditions: Conditions, type: string, status: ConditionDraft['status']) =>
  findCondition(conditions, type)?.status === status

/** Whether traffic gets through. */
export function available(conditions: Conditions): ConditionDraft {
  const failing = [
    ...notTrue(conditions, 'DeploymentAvailable'),
    ...(is(conditions, 'LoadBalancerManaged', 'True') ? notTrue(conditions, 'LoadBalancerReady') : []),
  ]
  if (findCondition(conditions, 'DeploymentAvailable') === undefined) {
    return conditionDraft('Available', 'False', 'IngressControllerUnavailable', 'No routers are deployed.')
  }
  if (failing.length === 0) {
    return conditionDraft(
      'Available',
      'True',
      'IngressControllerAvailable',
      'The IngressController is available.',
    )
  }
  return conditionDraft('Available', 'False', 'IngressControllerUnavailable', joinMessages(failing))
}

/** The changes in progress: that of the load balancer first, because it may require an action of the user. */
export function progressing(conditions: Conditions): ConditionDraft {
  const loadBalancer = conditions.filter(
    ({ type, status }) => type === 'LoadBalancerProgressing' && status !== 'False',
  )
  const rollOut = conditions.filter(
    ({ type, status, reason }) =>
      type === 'DeploymentRollingOut' &&
      status !== 'False' &&
      reason !== 'ReplicasStabilizing' &&
      reason !== 'PodsStarting',
  )
  const [first, ...others] = [...loadBalancer, ...rollOut]
  if (first === undefined) {
    return conditionDraft(
      'Progressing',
      'False',
      'IngressControllerNotProgressing',
      'No change is in progress.',
    )
  }
  return conditionDraft(
    'Progressing',
    'True',
    // The reason comes from a condition of ours.
    first.reason as ConditionDraft['reason'],
    [first, ...others].map(({ message }) => message).join('\n'),
  )
}

/** For how long each may be wrong before the controller counts as degraded. */
const graceSeconds = {
  Admitted: 0,
  OperandsManaged: 30,
  DeploymentAvailable: 30,
  DeploymentReplicasMinAvailable: 60,
  DeploymentReplicasAllAvailable: 60 * 60,
  LoadBalancerReady: 90,
  PodsScheduled: 60,
  PortsAvailable: 60,
  PodsStarted: 60,
} as const satisfies Record<string, number>

/** A condition as it is since one moment: with another status it is another. */
export function transitionKey({ type, status, lastTransitionTime }: Condition): string {
  return `${type}=${status} ${lastTransitionTime}`
}

/** What has been wrong for too long; and when, if nothing changes, something will have been. */
export function degraded(
  conditions: Conditions,
  now: Date,
  /** Since when this process has observed them: their transition times may come from another clock. */
  observedSince: ReadonlyMap<string, Date> = new Map(),
): { readonly condition: ConditionDraft; readonly requeueAt: Date | undefined } {
  const wrong = Object.entries(graceSeconds).flatMap(([type, seconds]) => {
    if (type === 'LoadBalancerReady' && !is(conditions, 'LoadBalancerManaged', 'True')) return []
    return notTrue(conditions, type)
      .filter(isAlarming)
      .map((condition) => ({
        condition,
        from: wasReported(conditions, type)
          ? now
          : new Date(sinceWhen(condition, observedSince) + seconds * 1000),
      }))
  })
  const tooLong = wrong.filter(({ from }) => from <= now).map(({ condition }) => condition)
  const next = wrong.filter(({ from }) => from > now).map(({ from }) => from.getTime())
  return {
    condition:
      tooLong.length === 0
        ? conditionDraft(
            'Degraded',
            'False',
            'IngressControllerNotDegraded',
            'The ingress controller is not degraded.',
          )
        : conditionDraft('Degraded', 'True', 'DegradedConditions', joinMessages(tooLong)),
    requeueAt: next.length === 0 ? undefined : new Date(Math.min(...next)),
  }
}

/** In milliseconds; the transition time if this process has not observed the condition yet. */
export function sinceWhen(
  condition: Condition,
  observedSince: ReadonlyMap<string, Date> = new Map(),
): number {
  const since = observedSince.get(transitionKey(condition)) ?? parseTime(condition.lastTransitionTime)
  return since?.getTime() ?? 0
}

/** Whether Degraded already named it, perhaps under another leader: its grace period does not start again. */
function wasReported(conditions: Conditions, type: string): boolean {
  const before = findCondition(conditions, 'Degraded')
  const lines = before?.status === 'True' ? (before.message ?? '').split('\n') : []
  return lines.some((line) => line.startsWith(`${type}=`))
}

/**
 * A single router that waits for a node is no reason to page anyone (OCPBUGS-434); a port that is taken is. Ports that
 * pods hold before routers come are reported there; a Service takes traffic away from routers that run.
 */
function isAlarming({ type, reason }: Condition): boolean {
  if (type === 'PodsScheduled') return reason === 'PortConflict'
  return type !== 'PortsAvailable' || reason === 'NodePortConflict'
}

/** Whether a newer operator would find everything as it expects it. */
export function upgradeable(conditions: Conditions): ConditionDraft {
  const edited = conditions.filter(
    ({ type, reason }) => type === 'LoadBalancerProgressing' && reason === 'ServiceEdited',
  )
  if (edited.length === 0) {
    return conditionDraft(
      'Upgradeable',
      'True',
      'Upgradeable',
      'The IngressController does not block an upgrade.',
    )
  }
  return conditionDraft('Upgradeable', 'False', 'OperandsNotUpgradeable', joinMessages(edited))
}

/** A condition that is absent has nothing to complain about. */
function notTrue(conditions: Conditions, type: string): Condition[] {
  return conditions.filter((condition) => condition.type === type && condition.status !== 'True')
}

function joinMessages(conditions: readonly Condition[]): string {
  return conditions
    .map(({ type, status, reason, message }) => `${type}=${status} (${reason}): ${message}`)
    .join('\n')
}
