import {
  type Cached,
  type DeepReadonly,
  findCondition,
  isBeingDeleted,
  lastWriteBy,
  ownedMergePatch,
  REMOVE_IF_OWNED,
  Service,
} from '@portcullis/kube'
import type { Service as ServiceObject } from 'kubernetes-types/core/v1'
import type { LoadBalancerStrategy, Scope, StrategyType } from '../../api/endpoint-publishing-strategy.ts'
import { cloudReport } from '../cloud-events.ts'
import { sinceWhen } from '../conditions/summary-conditions.ts'
import { Consent } from '../consent.ts'
import { type Action, create, deleteWithConsent, update } from '../decision.ts'
import { fieldManager, ownerOf } from '../names.ts'
import { loadBalancerService } from '../operands/load-balancer-service.ts'
import { clientAccessAnnotation, gcp } from '../platforms/gcp.ts'
import type { Platform } from '../platforms/platform.ts'
import { hasNewAddress } from '../published-address.ts'
import type { Snapshot } from '../snapshot.ts'
import { type ObservedLoadBalancer, observeLoadBalancer } from './observed-load-balancer.ts'
import { writeProvenance } from './provenance.ts'
import { wantedType } from './wanted-strategy.ts'

/** What differs between the load balancer that is there and the one that is wanted, and only a new one can mend. */
export interface PendingChange {
  readonly what: 'scope' | 'type'
  readonly from: string
  readonly to: string
}

/** The state of the load balancer. */
export type LoadBalancerState =
  /** There is none yet. */
  | { readonly state: 'missing' }
  /** A Service of another owner has its name. */
  | { readonly state: 'unowned'; readonly service: Cached<ServiceObject> }
  /** Its Service is being deleted; the next one is created afterwards. */
  | { readonly state: 'terminating'; readonly service: Cached<ServiceObject> }
  /** The strategy was changed, without consent to delete this load balancer. */
  | { readonly state: 'orphaned'; readonly service: Cached<ServiceObject>; readonly type: StrategyType }
  /** A change requires a new load balancer, without consent to delete this one. */
  | (WithObserved & {
      readonly state: 'waiting'
      readonly changes: readonly [PendingChange, ...PendingChange[]]
    })
  /** The cloud is changing its scope in place. */
  | (WithObserved & { readonly state: 'changing'; readonly to: Scope; readonly until: Date })
  /** It matches the spec, but an annotation of its Service was edited without effect. */
  | (WithObserved & { readonly state: 'drifted'; readonly edits: readonly PendingChange[] })
  | (WithObserved & { readonly state: 'settled' })

interface WithObserved {
  readonly observed: ObservedLoadBalancer
}

export interface LoadBalancerDecision {
  readonly actions: readonly Action[]
  readonly state: LoadBalancerState
  /** When it may go, if only the time for clients to follow is missing. */
  readonly requeueAt?: Date
}

/** Reads of a Service what is the same everywhere. */
const unknownPlatform: Platform = {
  name: 'unknown',
  providerIds: [],
  publishesBy: 'LoadBalancerService',
  changesScopeInPlace: false,
  externalTrafficPolicy: 'Local',
}

/** How long we say that the cloud is at work on a change in place, when it gives no sign that it is done. */
const patienceMs = 10 * 60_000

/**
 * The cloud says that it is done, and then writes the new address if there is one. And times have whole seconds: what
 * it said in the second of the change may be about what was before.
 */
const addressFollowsMs = 2_000

/** What must happen so that there is the load balancer that is wanted. Nothing is deleted without consent. */
export function decideLoadBalancer(
  snapshot: Snapshot,
  strategy: DeepReadonly<LoadBalancerStrategy>,
  platform: Platform,
): LoadBalancerDecision {
  const { controller } = snapshot
  const { state } = lookAtLoadBalancer(snapshot)
  if (state.state === 'missing') return { actions: [creation(snapshot, strategy, platform)], state }
  if (state.state !== 'settled') return { actions: [], state }
  const { service } = state.observed
  const observed = observeLoadBalancer(service, platform)
  const [first, ...others] = pendingChanges(observed, strategy, platform)
  const consent = Consent.byAnnotation(controller)
  if (first !== undefined && consent !== undefined && isChangeOfSpec(observed, strategy)) {
    return { actions: [deletion(consent, observed, first)], state: { state: 'terminating', service } }
  }
  const actions = updates(observed, strategy, platform)
  if (first !== undefined)
    return { actions, state: { state: 'waiting', observed, changes: [first, ...others] } }
  return { actions, state: stateOfMatching(snapshot, observed, strategy, platform) }
}

/** The state of the load balancer, as far as its Service shows if the platform is unknown: no action is possible then. */
export function lookAtLoadBalancer({ controller, operands }: Snapshot): {
  readonly actions: readonly []
  readonly state: Extract<
    LoadBalancerState,
    { readonly state: 'missing' | 'unowned' | 'terminating' | 'settled' }
  >
} {
  const service = operands.loadBalancer
  const actions = [] as const
  if (service === undefined) return { actions, state: { state: 'missing' } }
  if (ownerOf(service) !== controller.metadata.name) return { actions, state: { state: 'unowned', service } }
  if (isBeingDeleted(service)) return { actions, state: { state: 'terminating', service } }
  return { actions, state: { state: 'settled', observed: observeLoadBalancer(service, unknownPlatform) } }
}

/** What only a new load balancer can bring about. */
function pendingChanges(
  observed: ObservedLoadBalancer,
  strategy: DeepReadonly<LoadBalancerStrategy>,
  platform: Platform,
): PendingChange[] {
  const type = wantedType(strategy, platform, observed)
  return [
    ...(platform.changesScopeInPlace ? [] : difference('scope', observed.scope, strategy.scope)),
    ...difference('type', observed.type, type),
  ]
}

function difference(
  what: PendingChange['what'],
  from: string | undefined,
  to: string | undefined,
): PendingChange[] {
  return from === undefined || to === undefined || from === to ? [] : [{ what, from, to }]
}

/**
 * Whether the load balancer differs from what is wanted because the spec was changed after it had been made. An edit
 * of the Service by hand is no such change and never leads to its deletion.
 */
function isChangeOfSpec(
  { provenance }: ObservedLoadBalancer,
  strategy: DeepReadonly<LoadBalancerStrategy>,
): boolean {
  if (provenance === undefined) return false // Whether the spec or the Service was edited is unknown.
  const { scope, type } = provenance.wanted ?? provenance
  const typeAskedFor = strategy.providerParameters?.aws?.type
  const isOtherType = type !== undefined && typeAskedFor !== undefined && type !== typeAskedFor
  return scope !== strategy.scope || isOtherType
}

function stateOfMatching(
  snapshot: Snapshot,
  observed: ObservedLoadBalancer,
  { scope }: DeepReadonly<LoadBalancerStrategy>,
  platform: Platform,
): LoadBalancerState {
  if (platform.changesScopeInPlace) {
    const until = changingUntil(snapshot, observed, scope)
    return until !== undefined && snapshot.now < until
      ? { state: 'changing', observed, to: scope, until }
      : { state: 'settled', observed }
  }
  const edits = [
    ...difference('scope', observed.scope, observed.asked.scope),
    ...difference('type', observed.type, observed.asked.type),
  ]
  return edits.length === 0 ? { state: 'settled', observed } : { state: 'drifted', observed, edits }
}

/**
 * Until when a change in place is reported as in progress; undefined when none is. The cloud shows that it is done by a
 * new address, or by an event that is younger than the change and not followed by a failure.
 *
 * The change and the event have times of the API server's, whose difference is true whatever ours is; all else is counted
 * from when the leader has seen that something changes, be it an earlier change that this one took back.
 */
function changingUntil(
  { controller, cloudEvents, now, conditionsObservedSince }: Snapshot,
  observed: ObservedLoadBalancer,
  scope: Scope,
): Date | undefined {
  // The annotation is not written yet. If that fails, the next attempt still knows that the change has begun.
  if (observed.asked.scope !== scope) return new Date(now.getTime() + patienceMs)
  const { status } = controller
  const before = status?.endpointPublishingStrategy?.loadBalancer?.scope
  const hasBegun = before !== undefined && before !== scope
  const progressing = findCondition(status?.conditions, 'LoadBalancerProgressing')
  const goesOn = progressing?.reason === 'ScopeChanging'
  if (!hasBegun && !goesOn) return undefined
  if (hasNewAddress(observed.service, status)) return undefined
  const { succeededAt, isAtWork, failure } = cloudReport(cloudEvents, observed.service.metadata.uid)
  const writtenAt = lastWriteBy(fieldManager, observed.service) ?? succeededAt ?? new Date(0)
  const isDone = succeededAt !== undefined && succeededAt >= writtenAt && !isAtWork && failure === undefined
  const tookMs = isDone ? succeededAt.getTime() - writtenAt.getTime() + addressFollowsMs : patienceMs
  const since =
    progressing?.status === 'True' ? sinceWhen(progressing, conditionsObservedSince) : now.getTime()
  return new Date(since + Math.min(tookMs, patienceMs))
}

// ── actions ──

function creation(
  snapshot: Snapshot,
  strategy: DeepReadonly<LoadBalancerStrategy>,
  platform: Platform,
): Action {
  const type = wantedType(strategy, platform, undefined)
  const object = loadBalancerService(snapshot, { strategy, platform, type })
  const { namespace, name } = object.metadata
  return create(Service, object, {
    type: 'Normal',
    reason: 'ServiceCreated',
    action: 'CreateService',
    note: `Created the Service ${namespace}/${name} for a load balancer with scope ${strategy.scope}`,
  })
}

function deletion(consent: Consent, { service }: ObservedLoadBalancer, change: PendingChange): Action {
  const { namespace, name } = service.metadata
  return deleteWithConsent(consent, Service, service, {
    type: 'Normal',
    reason: 'ServiceDeleted',
    action: 'DeleteService',
    note: `Deleted the Service ${namespace}/${name} to change the ${change.what} of its load balancer from ${change.from} to ${change.to}, because ${String(consent)}`,
  })
}

/** What can be changed on the live Service; all else on it is left alone. */
function updates(
  observed: ObservedLoadBalancer,
  strategy: DeepReadonly<LoadBalancerStrategy>,
  platform: Platform,
): Action[] {
  const { service, asked } = observed
  const wanted = {
    metadata: {
      annotations: {
        ...noteOfOrigin(observed, strategy, platform),
        ...(platform.changesScopeInPlace && scopeAnnotations(observed, strategy.scope, platform)),
        ...clientAccess(strategy, platform),
      },
    },
    spec: { loadBalancerSourceRanges: sourceRanges(observed, strategy) },
  }
  const patch = ownedMergePatch(service, wanted, fieldManager)
  if (patch === undefined) return []
  const flips = platform.changesScopeInPlace && asked.scope !== strategy.scope
  const { namespace, name } = service.metadata
  if (!flips) return [update(Service, service, patch)]
  return [
    update(Service, service, patch, {
      disruption: 'reconfigures',
      event: {
        type: 'Normal',
        reason: 'ScopeChanging',
        action: 'UpdateService',
        note: `Annotated the Service ${namespace}/${name} to change the scope of its load balancer from ${asked.scope} to ${strategy.scope}`,
      },
    }),
  ]
}

/**
 * A Service created by another client, an older operator or a user: its provenance is recorded from now on. Where the cloud
 * changes the scope in place, the note follows it: External is the absence of an annotation on some, and the API server
 * dates no write that only takes something away.
 */
function noteOfOrigin(
  observed: ObservedLoadBalancer,
  strategy: DeepReadonly<LoadBalancerStrategy>,
  platform: Platform,
): Readonly<Record<string, string>> {
  const { provenance, scope, type, asked } = observed
  // From now on the source ranges are the spec's: when it clears them, they go.
  const endsKept = provenance?.keptSourceRanges === true && Boolean(strategy.allowedSourceRanges?.length)
  const flips = platform.changesScopeInPlace && asked.scope !== strategy.scope
  if (endsKept || flips) {
    const { keptSourceRanges, ...rest } = provenance ?? { scope }
    return writeProvenance({
      ...rest,
      ...(flips && { scope: strategy.scope }),
      ...(keptSourceRanges && !endsKept && { keptSourceRanges }),
    })
  }
  if (provenance !== undefined || platform.changesScopeInPlace) return {}
  const isAsWanted = pendingChanges(observed, strategy, platform).length === 0
  return writeProvenance({
    scope,
    ...(type !== undefined && { type }),
    ...(!isAsWanted && {
      wanted: { scope: strategy.scope, type: wantedType(strategy, platform, observed) },
    }),
  })
}

function scopeAnnotations(
  { asked }: ObservedLoadBalancer,
  scope: Scope,
  { scope: annotation }: Platform,
): Readonly<Record<string, string | null>> {
  if (annotation === undefined || asked.scope === scope) return {}
  const others = Object.fromEntries((annotation.otherKeys ?? []).map((key) => [key, null]))
  return { ...others, [annotation.key]: annotation[scope] ?? null }
}

function clientAccess(
  { scope, providerParameters }: DeepReadonly<LoadBalancerStrategy>,
  platform: Platform,
): Readonly<Record<string, string | symbol>> {
  const wanted = providerParameters?.gcp?.clientAccess
  const applies = platform.name === gcp.name && scope === 'Internal' && wanted !== undefined
  return { [clientAccessAnnotation.key]: applies ? clientAccessAnnotation[wanted] : REMOVE_IF_OWNED }
}

function sourceRanges(
  { provenance }: ObservedLoadBalancer,
  { allowedSourceRanges }: DeepReadonly<LoadBalancerStrategy>,
): readonly string[] | symbol | undefined {
  if (allowedSourceRanges?.length) return allowedSourceRanges
  return provenance?.keptSourceRanges === true ? undefined : REMOVE_IF_OWNED
}
