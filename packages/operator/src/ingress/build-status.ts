import { removeCondition, setCondition } from '@portcullis/kube'
import type { Address } from '../addresses/address.ts'
import type { ConditionDraft } from './conditions/condition-draft.ts'
import {
  available,
  type Condition,
  degraded,
  progressing,
  upgradeable,
} from './conditions/summary-conditions.ts'
import type { ContestedField } from './contested-fields.ts'
import type { Action, Decision, Status } from './decision.ts'
import type { Snapshot } from './snapshot.ts'
import { statusEvents } from './status-events.ts'

interface Report {
  readonly actions: readonly Action[]
  readonly drafts: readonly ConditionDraft[]
  /** The rest of the status; left out where it stays as it was. */
  readonly status?: Status
  readonly addresses: readonly Address[]
  readonly contested?: readonly ContestedField[]
  readonly requeueAt?: Date | undefined
}

/** What is said only while the strategy makes it a question. */
const dependOnStrategy = ['LoadBalancerReady', 'PortsAvailable']

/** What is said only while there are routers of ours. */
const dependOnRouters = [
  'DeploymentAvailable',
  'DeploymentReplicasMinAvailable',
  'DeploymentReplicasAllAvailable',
  'DeploymentRollingOut',
]

/** Builds the status with all conditions, derives the summary conditions, and records events for what is new. */
export function report(
  snapshot: Snapshot,
  { actions, drafts, status, addresses, contested = [], requeueAt }: Report,
): Decision {
  const { controller, now } = snapshot
  const reported = withDrafts(stillAsked(controller.status?.conditions, drafts), drafts, now)
  const isDegraded = degraded(reported, now, snapshot.conditionsObservedSince)
  const summary = [available(reported), progressing(reported), isDegraded.condition, upgradeable(reported)]
  const conditions = withDrafts(reported, summary, now)
  const whole: Status = {
    ...(status === undefined ? controller.status : withoutSelectors(controller.status)),
    ...status,
    ...(controller.metadata.generation !== undefined && {
      observedGeneration: controller.metadata.generation,
    }),
    conditions,
  }
  return {
    actions,
    status: whole,
    addresses,
    events: statusEvents(snapshot, whole),
    contested,
    requeueAt: earliest(requeueAt, isDegraded.requeueAt),
  }
}

/** What the spec may stop asking for goes from the status too; what others wrote there stays. */
function withoutSelectors(status: Status = {}): Status {
  const kept = Object.entries(status).filter(
    ([field]) => field !== 'namespaceSelector' && field !== 'routeSelector',
  )
  return Object.fromEntries(kept)
}

/**
 * Without what was said about another strategy, which a controller that goes away keeps; and without what was said
 * about routers that are gone or have another owner now.
 */
function stillAsked(
  conditions: readonly Condition[] = [],
  drafts: readonly ConditionDraft[],
): readonly Condition[] {
  const isSaid = (type: string) => drafts.some((draft) => draft.type === type)
  const dependent = isSaid('LoadBalancerManaged')
    ? [...dependOnRouters, ...dependOnStrategy]
    : dependOnRouters
  const silent = dependent.filter((type) => !isSaid(type))
  return silent.reduce((list, type) => removeCondition(list, type), conditions)
}

function withDrafts(
  conditions: readonly Condition[],
  drafts: readonly ConditionDraft[],
  now: Date,
): readonly Condition[] {
  return drafts.reduce((list, draft) => setCondition<Condition>(list, draft, now), conditions)
}

export function earliest(one: Date | undefined, other: Date | undefined): Date | undefined {
  if (one === undefined || other === undefined) return one ?? other
  return one < other ? one : other
}
