import { type Cached, findCondition, isBeingDeleted, lastChangeOf, parseTime } from '@portcullis/kube'
import type { Service } from 'kubernetes-types/core/v1'
import { cloudReport } from '../cloud-events.ts'
import { Commands } from '../commands.ts'
import { Consent, refusedByAnnotation } from '../consent.ts'
import { autoDeleteAnnotation, ownerLabel } from '../names.ts'
import type { Platform } from '../platforms/platform.ts'
import { hasNewAddress } from '../published-address.ts'
import type { Snapshot } from '../snapshot.ts'
import type { LoadBalancerState, PendingChange } from '../strategies/decide-load-balancer.ts'
import { type ObservedLoadBalancer, observeLoadBalancer } from '../strategies/observed-load-balancer.ts'
import { readProvenance } from '../strategies/provenance.ts'
import { memberOfType } from '../strategies/wanted-strategy.ts'
import { type ConditionDraft, conditionDraft } from './condition-draft.ts'

/** @param isWanted whether the strategy is one with a load balancer */
export function loadBalancerManaged(isWanted: boolean): ConditionDraft {
  return isWanted
    ? conditionDraft(
        'LoadBalancerManaged',
        'True',
        'WantedByEndpointPublishingStrategy',
        'The endpoint publishing strategy includes a managed load balancer.',
      )
    : conditionDraft(
        'LoadBalancerManaged',
        'False',
        'EndpointPublishingStrategyExcludesManagedLoadBalancer',
        'The endpoint publishing strategy does not include a managed load balancer.',
      )
}

/** Whether the load balancer works, according to its Service and the events of the cloud controller manager. */
export function loadBalancerReady(state: LoadBalancerState, snapshot: Snapshot): ConditionDraft {
  const is = (status: ConditionDraft['status'], reason: ConditionDraft['reason'], message: string) =>
    conditionDraft('LoadBalancerReady', status, reason, message)
  switch (state.state) {
    case 'missing':
      return is('False', 'ServiceNotFound', 'The Service of the load balancer does not exist yet.')
    case 'unowned':
      return is('False', 'ServiceNotOurs', unownedText(state.service.metadata.name, snapshot))
    case 'orphaned':
    case 'terminating':
      return is('False', 'ServiceBeingDeleted', terminatingText(state.service, snapshot))
    case 'waiting':
    case 'changing':
    case 'drifted':
    case 'settled': {
      const failure = failureOf(state.observed, snapshot)
      if (failure !== undefined) return is('False', 'SyncLoadBalancerFailed', failure)
      if (state.observed.addresses.length === 0) {
        return is('False', 'LoadBalancerPending', 'The cloud has not provisioned the load balancer yet.')
      }
      if (lacksNodes(state.observed, snapshot)) {
        return is('False', noNodes, withoutNodes(state.observed, snapshot))
      }
      return is('True', 'LoadBalancerProvisioned', 'The cloud has provisioned the load balancer.')
    }
  }
}

/**
 * The error of the cloud, until the cloud reports success or later assigns a new address. That the event has
 * expired (events do, after an hour) changes nothing.
 */
function failureOf(observed: ObservedLoadBalancer, snapshot: Snapshot): string | undefined {
  const { service } = observed
  const { status } = snapshot.controller
  const before = findCondition(status?.conditions, 'LoadBalancerReady')
  const isAddressNew = hasNewAddress(service, status)
  const { failure, succeededAt } = cloudReport(snapshot.cloudEvents, service.metadata.uid)
  if (failure !== undefined) {
    // A new address after a failure counts as a report of success. What records this is that the
    // condition has another reason. Which of them came later, the API server knows: all other clocks may differ.
    const wasOvercome = before?.status === 'True' || before?.reason === noNodes
    const isOvercomeNow = isAddressNew && !lacksNodes(observed, snapshot)
    // Its times have whole seconds: an address of the same second does not count as later.
    const addressSince = lastChangeOf(['status', 'loadBalancer'], service)
    const isLater = addressSince !== undefined && addressSince > failure.at
    const isOvercome = (wasOvercome || isOvercomeNow) && isLater
    return isOvercome ? undefined : failureText(failure.message, service.metadata.name, snapshot)
  }
  const isRemembered =
    before?.reason === 'SyncLoadBalancerFailed' &&
    isAbout(service, snapshot.controller) &&
    succeededAt === undefined
  return isRemembered && !isAddressNew ? before.message : undefined
}

/** Whether the conditions were written when this Service was there: one before it may have had its name. */
function isAbout(service: Cached<Service>, controller: Snapshot['controller']): boolean {
  return writtenAt(controller) >= timeOf(service.metadata.creationTimestamp)
}

/** When the conditions were last written, by the clock of the API server if managedFields show it. */
function writtenAt(controller: Snapshot['controller']): Date {
  const before = findCondition(controller.status?.conditions, 'LoadBalancerReady')
  return lastChangeOf(['status', 'conditions'], controller) ?? timeOf(before?.lastTransitionTime)
}

/** What is not known, or cannot be read, is long ago. */
function timeOf(text: string | undefined): Date {
  return parseTime(text) ?? new Date(0)
}

const noNodes = 'LoadBalancerWithoutNodes'

/** An address is no proof of anything behind it. As with failures, that the warning has expired changes nothing. */
function lacksNodes({ service }: ObservedLoadBalancer, { controller, cloudEvents }: Snapshot): boolean {
  const { nodes, succeededAt } = cloudReport(cloudEvents, service.metadata.uid)
  if (nodes !== 'unknown') return nodes === 'none'
  const before = findCondition(controller.status?.conditions, 'LoadBalancerReady')
  // A leader whose clock is fast wrote a time that is yet to come; by the API server's clock it was no later than this.
  const since = Math.min(timeOf(before?.lastTransitionTime).getTime(), writtenAt(controller).getTime())
  const hasLookedSince = succeededAt !== undefined && succeededAt.getTime() > since
  return before?.reason === noNodes && isAbout(service, controller) && !hasLookedSince
}

function withoutNodes({ service }: ObservedLoadBalancer, { settings }: Snapshot): string {
  return `The load balancer of the Service ${settings.operandNamespace}/${service.metadata.name} has no nodes, so no traffic gets through. The cloud uses every node without the label node.kubernetes.io/exclude-from-external-load-balancers: add a node, or remove the label from one.`
}

function failureText(complaint: string, service: string, { settings }: Snapshot): string {
  return `The cloud failed to set up the load balancer of the Service ${settings.operandNamespace}/${service}: "${complaint}". The cloud controller manager retries automatically, at least every five minutes; its log may contain details.`
}

/** The reasons of a change that requires an action of the user. */
const waitingReasons = {
  scope: 'ScopeChanged',
  type: 'LoadBalancerTypeChanged',
  strategy: 'TypeChanged',
} as const

/** Whether a change waits until the user either confirms or reverts it. */
export function waitsForUser(condition: { readonly reason?: string } | undefined): boolean {
  return Object.values<string>(waitingReasons).includes(condition?.reason ?? '')
}

/** Whether something about the load balancer changes, and who has to act. */
export function loadBalancerProgressing(
  state: LoadBalancerState | undefined,
  snapshot: Snapshot,
  platform: Platform | undefined,
): ConditionDraft {
  const is = (status: ConditionDraft['status'], reason: ConditionDraft['reason'], message: string) =>
    conditionDraft('LoadBalancerProgressing', status, reason, message)
  switch (state?.state) {
    case 'missing':
      // Where the platform is not known, none can be made.
      return platform === undefined
        ? is('False', 'LoadBalancerNotProgressing', 'No change of the load balancer is in progress.')
        : is('True', 'ServiceNotFound', 'The Service of the load balancer is being created.')
    case 'orphaned':
      return isBeingDeleted(state.service) || Consent.byAnnotation(snapshot.controller) !== undefined
        ? is('True', 'RemovingLoadBalancer', orphanedText(state, snapshot, platform))
        : is('True', waitingReasons.strategy, orphanedText(state, snapshot, platform))
    case 'terminating':
      return is('True', 'ReplacingLoadBalancer', terminatingText(state.service, snapshot))
    case 'waiting':
      return is(
        'True',
        waitingReasons[state.changes[0].what],
        waitingForUser(state.changes, state.observed, snapshot),
      )
    case 'changing':
      return is(
        'True',
        'ScopeChanging',
        `The cloud is changing the scope of the load balancer to "${state.to}" in place, and its address may change.`,
      )
    case 'drifted':
      return is('True', 'ServiceEdited', driftText(state.edits, state.observed, snapshot, platform))
    case undefined:
    case 'unowned':
    case 'settled':
      return is('False', 'LoadBalancerNotProgressing', 'No change of the load balancer is in progress.')
  }
}

/** The load balancer of a controller that is being deleted, while the cloud removes it. */
export function loadBalancerTerminating(
  service: Cached<Service>,
  snapshot: Snapshot,
): readonly ConditionDraft[] {
  const message = terminatingText(service, snapshot)
  return [
    conditionDraft('LoadBalancerReady', 'False', 'ServiceBeingDeleted', message),
    conditionDraft('LoadBalancerProgressing', 'True', 'RemovingLoadBalancer', message),
  ]
}

/** What was changed, what it takes, what that does to traffic, and how to take it back: with the commands. */
function waitingForUser(
  changes: readonly PendingChange[],
  { service, asked, scope }: ObservedLoadBalancer,
  { controller, settings }: Snapshot,
): string {
  const commands = new Commands(settings)
  const { name } = controller.metadata
  const changed = changes.map(({ what, from, to }) =>
    what === 'scope'
      ? `The IngressController scope was changed from "${from}" to "${to}".`
      : `The type of the IngressController's load balancer was changed from "${from}" to "${to}".`,
  )
  const edited =
    asked.scope === scope
      ? []
      : [
          `The annotations of the service already request "${asked.scope}", but the load balancer is still "${scope}".`,
        ]
  return [
    ...changed,
    ...edited,
    ...saysNo(controller),
    `To effectuate this change, you must delete the service: \`${commands.deleteService(service.metadata.name)}\`; the service load-balancer will then be deprovisioned and a new one created.`,
    'This is disruptive: ingress traffic is interrupted until the new load balancer is provisioned, and its address will most likely change.',
    `Alternatively, you can revert the change to the IngressController: \`${commands.patchController(name, reverting(changes))}\``,
  ].join('  ')
}

/** Explains why an annotation with the value false does not count as consent. */
function saysNo(controller: Snapshot['controller']): string[] {
  const word = refusedByAnnotation(controller)
  return word === undefined
    ? []
    : [
        `The annotation ${autoDeleteAnnotation} is "${word}", so the operator does not delete the service itself.`,
      ]
}

/** The part of the spec that leads back to what is there; JSON leaves out what is undefined. */
function reverting(changes: readonly PendingChange[]): object {
  const before = Object.fromEntries(changes.map(({ what, from }) => [what, from]))
  return {
    type: 'LoadBalancerService',
    loadBalancer: {
      scope: before['scope'],
      ...(before['type'] !== undefined && {
        providerParameters: { type: 'AWS', aws: { type: before['type'] } },
      }),
    },
  }
}

function driftText(
  edits: readonly PendingChange[],
  { service }: ObservedLoadBalancer,
  { settings, controller }: Snapshot,
  platform: Platform | undefined,
): string {
  const commands = new Commands(settings)
  return edits
    .map(({ what, from, to }) => {
      const annotation = what === 'scope' ? platform?.scope : platform?.types
      const value = what === 'scope' ? platform?.scope?.[from as 'Internal'] : platform?.types?.values[from]
      const { name } = service.metadata
      return `The annotation ${annotation?.key} of the service ${settings.operandNamespace}/${name} was edited and requests ${what} "${to}", but on this platform an existing load balancer cannot change its ${what}: it is still "${from}", as the IngressController specifies.  To revert the edit: \`${commands.annotateService(name, annotation?.key ?? '', value)}\`.  To change the ${what} to "${to}", change the IngressController: \`${commands.patchController(controller.metadata.name, reverting([{ what, from: to, to: from }]))}\``
    })
    .join('  ')
}

/** Describes the load balancer of a previous strategy, which stays until the user consents to its deletion. */
function orphanedText(
  { service, type }: Extract<LoadBalancerState, { readonly state: 'orphaned' }>,
  { settings, controller }: Snapshot,
  platform: Platform | undefined,
): string {
  const commands = new Commands(settings)
  const { name } = service.metadata
  const changed = `The IngressController endpoint publishing strategy was changed from "LoadBalancerService" to "${type}".`
  if (isBeingDeleted(service)) {
    return `${changed}  The service ${settings.operandNamespace}/${name} is being deleted; waiting for the cloud to remove the load balancer.`
  }
  if (Consent.byAnnotation(controller) !== undefined) {
    return `${changed}  The operator deletes the load balancer once the new strategy has been able to take traffic for ${settings.clientsFollowSeconds} seconds, so that clients can follow.`
  }
  const scope = platform
    ? observeLoadBalancer(service, platform).scope
    : readProvenance(service.metadata.annotations)?.scope
  // Without them the revert would admit all clients; and they cannot be asked for without a scope.
  const allowedSourceRanges = service.spec?.loadBalancerSourceRanges
  const leadsBack = scope !== undefined || !allowedSourceRanges?.length
  const before = {
    type: 'LoadBalancerService',
    [memberOfType[type]]: null,
    ...(scope && { loadBalancer: { scope, ...(allowedSourceRanges?.length && { allowedSourceRanges }) } }),
  }
  return [
    changed,
    ...saysNo(controller),
    `The previous load balancer still takes traffic.  To effectuate this change, you must delete the service: \`${commands.deleteService(name)}\`; the service load-balancer will then be deprovisioned.`,
    'This is disruptive: clients that still use its address are cut off.',
    ...(platform?.sendsProxyHeader?.(service.metadata.annotations ?? {})
      ? [
          'Until then the routers accept only connections that begin with a PROXY protocol header, which this load balancer sends.',
        ]
      : []),
    ...(leadsBack
      ? [
          `Alternatively, you can revert the change to the IngressController: \`${commands.patchController(controller.metadata.name, before)}\``,
        ]
      : []),
  ].join('  ')
}

function unownedText(service: string, { settings, controller }: Snapshot): string {
  const label = `${ownerLabel}=${controller.metadata.name}`
  const commands = new Commands(settings)
  return `The service ${settings.operandNamespace}/${service} already exists but is not managed by this IngressController: it does not have the label ${label}, so the operator leaves it alone.  Delete it; or, to hand it over to the operator: \`${commands.labelObject('svc', service, label)}\``
}

function terminatingText(service: Cached<Service>, snapshot: Snapshot): string {
  const { metadata } = service
  const waiting = `The service ${snapshot.settings.operandNamespace}/${metadata.name} is being deleted; waiting for the cloud to remove the load balancer.`
  const next = isBeingDeleted(snapshot.controller)
    ? 'The IngressController is removed once the load balancer is gone.'
    : 'The operator creates a new service once it is gone.'
  const { failure } = cloudReport(snapshot.cloudEvents, metadata.uid)
  const complaint = failure === undefined ? [] : [`The cloud reports: "${failure.message}".`]
  return [waiting, next, ...complaint].join('  ')
}
