import { removeCondition, setCondition } from '@portcullis/kube'
import type { Address } from '../addresses/address.ts'
import type { Statement } from './conditions/condition-draft.ts'
import { available, degraded, progressing, type Since, upgradeable } from './conditions/summary-conditions.ts'
import type { ContestedField } from './contested-fields.ts'
import type { Action, Decision, Status } from './decision.ts'
import type { Snapshot } from './snapshot.ts'
import { statusEvents } from './status-events.ts'

interface Report {
  readonly actions: readonly Action[]
  readonly statements: readonly Statement[]
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

/** Puts the statements into the status, draws the conclusions from them, and tells what is new about it. */
export function report(
  snapshot: Snapshot,
  { actions, statements, status, addresses, contested = [], requeueAt }: Report,
): Decision {
  const { controller, now } = snapshot
  const told = withStatements(stillAsked(controller.status?.conditions, statements), statements, now)
  const isDegraded = degraded(told, now, snapshot.conditionsObservedSince)
  const conclusions = [available(told), progressing(told), isDegraded.statement, upgradeable(told)]
  const conditions = withStatements(told, conclusions, now)
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
 * about routers that are gone, or are somebody else's now.
 */
function stillAsked(conditions: readonly Since[] = [], statements: readonly Statement[]): readonly Since[] {
  const isSaid = (type: string) => statements.some((statement) => statement.type === type)
  const dependent = isSaid('LoadBalancerManaged')
    ? [...dependOnRouters, ...dependOnStrategy]
    : dependOnRouters
  const silent = dependent.filter((type) => !isSaid(type))
  return silent.reduce((list, type) => removeCondition(list, type), conditions)
}

function withStatements(
  conditions: readonly Since[],
  statements: readonly Statement[],
  now: Date,
): readonly Since[] {
  return statements.reduce((list, statement) => setCondition<Since>(list, statement, now), conditions)
}

export function earliest(one: Date | undefined, other: Date | undefined): Date | undefined {
  if (one === undefined || other === undefined) return one ?? other
  return one < other ? one : other
}
