import {
  type Cached,
  type CacheReader,
  type Change,
  type Clock,
  Deployment,
  enqueueFrom,
  enqueueOnStart,
  IngressClass,
  isBeingDeleted,
  isConflict,
  isSameJson,
  type Key,
  type KeySource,
  type Kind,
  type KubeObject,
  keyOf,
  keyOfObject,
  type Logger,
  PodDisruptionBudget,
  type ReconcileContext,
  type Reconciler,
  type RequeueAfter,
  refOf,
  requeueAfter,
  requeueWithBackoff,
  Service,
} from '@portcullis/kube'
import type { Pod as PodObject, Service as ServiceObject } from 'kubernetes-types/core/v1'
import type { AddressBook } from '../addresses/address-book.ts'
import { controllerServing, defaultController } from '../addresses/ingress-class.ts'
import { shardOf } from '../addresses/shard.ts'
import type { IngressController as IngressControllerObject } from '../api/ingress-controller.ts'
import { act, isOperandOf, OutdatedError, type Surroundings, writeStatus } from './apply-actions.ts'
import { operandsOf } from './clean-up.ts'
import { Commands } from './commands.ts'
import { unplacedRouters } from './conditions/pods.ts'
import { decide } from './decide.ts'
import type { Action, Decision, OperandRef, Status } from './decision.ts'
import { waitsForDomainAlone } from './domains.ts'
import { FieldConflicts } from './field-conflicts.ts'
import { IngressController } from './kinds.ts'
import type { IngressMetrics } from './metrics.ts'
import { controllersWanting, ingressClassName, ownerOf, routerLabel } from './names.ts'
import { observe } from './observe.ts'
import { ObservedConditions } from './observed-conditions.ts'
import { hostPortsIn } from './placement/port-holders.ts'
import type { Settings } from './settings.ts'
import type { Snapshot } from './snapshot.ts'
import type { Caches } from './watched-kinds.ts'
import { type FailedWrite, idOf, WriteBackoff } from './write-backoff.ts'

export interface IngressReconcilerOptions {
  readonly caches: Caches
  readonly settings: Settings
  readonly clock: Clock
  readonly metrics: IngressMetrics
  /** Where it writes down where controllers are reached. */
  readonly book: AddressBook
}

/**
 * Each writes one thing after the other, and waits its turn among the many that tell Ingresses their addresses: with too
 * few of them, controllers would have to wait until thousands of Ingresses have been told what is not true any more.
 */
const workers = 16

/** Each round does what the one before made possible; a decision that never settles would be a defect. */
const mostRounds = 10

/** Keeps every IngressController published as its spec asks: observe, decide, act, until there is nothing to do. */
export function ingressReconciler(options: IngressReconcilerOptions): Reconciler {
  const { caches, settings } = options
  const warned = new Map<Key, string>()
  const reports: Reports = new WeakMap()
  const contests = new FieldConflicts()
  const refusedWrites = new WriteBackoff(options.clock)
  const sights = new ObservedConditions(options.clock)
  return {
    name: 'ingress',
    kind: IngressController,
    workers,
    sources: [contestsIn(options, contests), ...sources(caches, settings, reports)],
    async reconcile(key, context) {
      try {
        return await reconcile(key, caches, {
          ...options,
          ...context,
          warned,
          reports,
          contests,
          refusedWrites,
          sights,
        })
      } catch (error) {
        // Somebody wrote at the same time, or our caches lag behind.
        if (isConflict(error) || error instanceof OutdatedError) return requeueWithBackoff
        throw error
      }
    },
  }
}

interface Circumstances extends IngressReconcilerOptions, ReconcileContext {
  readonly log: Logger
  /** What was said to be left behind by each controller that is gone: it is said once. */
  readonly warned: Map<Key, string>
  readonly reports: Reports
  readonly contests: FieldConflicts
  readonly refusedWrites: WriteBackoff
  readonly sights: ObservedConditions
}

/**
 * What was said about a controller, by the very object that a cache shows of it: to hear of that is no news, because
 * whoever decides again on what was just said comes to the same (a test of `decide` holds that).
 */
type Reports = WeakMap<Snapshot['controller'], Status>

async function reconcile(key: Key, caches: Caches, options: Circumstances): Promise<RequeueAfter | void> {
  const { settings, clock, metrics, book, client, events, signal, contests, sights } = options
  const surroundings: Surroundings = {
    client,
    events,
    signal,
    clock,
    cacheOf: (kind) => cacheOf(kind, caches),
  }
  const look = (problems: readonly string[] = []) => {
    sights.note(key, caches.controllers.get(key)?.status?.conditions)
    return observe(key, caches, settings, {
      now: clock.now(),
      problems,
      contestedIngresses: book.conflictsOf(refOf(key).name),
      contestedFields: (controller, now) => contests.of(key, controller, now),
      conditionsObservedSince: sights.of(key),
    })
  }

  let snapshot = look()
  let decision = snapshot && decide(snapshot)
  for (let round = 0; decision !== undefined && decision.actions.length > 0; round++) {
    if (round === mostRounds)
      throw new Error(`The reconciliation does not converge: ${told(decision.actions)}`)
    const failed = await carryOut(decision, snapshot as Snapshot, surroundings, options)
    snapshot = look(failed.map(({ message }) => message))
    decision = snapshot && decide(snapshot)
    const [first] = failed
    if (first === undefined) continue
    if (snapshot !== undefined && decision !== undefined) await say(snapshot, decision, surroundings, options)
    throw first
  }
  if (snapshot === undefined || decision === undefined) {
    metrics.forget(key)
    contests.forget(key)
    sights.forget(key)
    options.refusedWrites.forget(key)
    tellOfLeftBehind(key, caches, options)
    const { name } = refOf(key)
    // Whoever takes over its Ingresses may come soon: they keep their addresses for the grace.
    if (mayHaveIngresses(name, caches, settings)) book.set(name, { addresses: [], isGone: true })
    else book.forget(name)
    return
  }
  options.warned.delete(key)
  await say(snapshot, decision, surroundings, options)
  if (decision.requeueAt !== undefined) {
    return requeueAfter(Math.max(0, decision.requeueAt.getTime() - clock.now().getTime()) + 1)
  }
}

/**
 * A controller from which somebody took our finalizer goes without a clean-up, and somebody may pay for its load balancer.
 * Nobody is there any more who could agree to delete it, so a person must.
 */
function tellOfLeftBehind(key: Key, caches: Caches, { settings, metrics, log, warned }: Circumstances): void {
  const left = leftBehind(key, caches, settings)
  metrics.reportLeftBehind(key, left.length)
  const names = left.map(({ kind, ref }) => `${kind.kind} ${keyOf(ref)}`).join(', ')
  if (left.length === 0) warned.delete(key)
  if (left.length === 0 || warned.get(key) === names) return
  warned.set(key, names)
  const command = new Commands(settings).deleteOperands(left)
  log.warn(
    { objects: left.length },
    `IngressController ${key} does not exist, but its objects do: ${names}. They are not managed any more and may cost money. To delete them: \`${command}\``,
  )
}

function leftBehind(key: Key, caches: Caches, settings: Settings): OperandRef[] {
  const controller = { metadata: refOf(key) }
  return operandsOf(controller.metadata.name, settings).filter(({ kind, ref }) => {
    const object = cacheOf(kind, caches).get(keyOf(ref))
    return object !== undefined && !isBeingDeleted(object) && isOperandOf(controller, kind, object)
  })
}

/** A class that names a controller wakes it whenever it comes, changes or goes; Ingresses without one have the default. */
function mayHaveIngresses(
  name: string,
  { ingressClasses }: Caches,
  { operatorNamespace }: Settings,
): boolean {
  return (
    name === defaultController ||
    [...ingressClasses.values()].some((each) => {
      const serves = controllerServing(each, operatorNamespace)
      return typeof serves === 'object' && serves.to === name
    })
  )
}

/**
 * Does all that does not depend on something that fails.
 *
 * @returns what the API server refused or did not answer; anything else that goes wrong is thrown
 */
async function carryOut(
  { actions }: Decision,
  { controller }: Snapshot,
  surroundings: Surroundings,
  { contests, refusedWrites }: Pick<Circumstances, 'contests' | 'refusedWrites'>,
): Promise<readonly FailedWrite[]> {
  const key = keyOfObject(controller)
  const failed: FailedWrite[] = []
  const undone = new Set<string>()
  for (const action of actions) {
    if (action.dependsOn.some(({ kind, ref }) => undone.has(idOf({ kind, object: { metadata: ref } })))) {
      undone.add(idOf(action))
      continue
    }
    const error = await refusedWrites.attempt(key, action, () => act(action, controller, surroundings))
    if (error === undefined) {
      contests.wrote(key, controller, action, surroundings.clock.now())
      continue
    }
    failed.push(error)
    undone.add(idOf(action))
  }
  return failed
}

async function say(
  snapshot: Snapshot,
  { status, addresses, events, contested }: Decision,
  surroundings: Surroundings,
  { metrics, book, reports, sights }: Circumstances,
): Promise<void> {
  const { controller } = snapshot
  if (status !== undefined) {
    await tell(controller, status, surroundings, reports)
    sights.note(keyOfObject(controller), status.conditions)
    const shard = shardOf(status)
    book.set(controller.metadata.name, { addresses, ...(shard && { shard }) })
    metrics.report(keyOfObject(controller), status, {
      unplaced: unplacedRouters(snapshot).length,
      contested: contested.length,
    })
  }
  for (const event of events) surroundings.events.record(controller, event)
}

/** Writes the status; to hear of it is no news then, unless the write fails. */
async function tell(
  controller: Snapshot['controller'],
  status: Status,
  surroundings: Surroundings,
  reports: Reports,
): Promise<void> {
  reports.set(controller, status)
  try {
    await writeStatus(controller, status, surroundings)
  } catch (error) {
    reports.delete(controller)
    const key = keyOfObject(controller)
    const isShown = surroundings.cacheOf(IngressController, controller).get(key) !== controller
    // An answer may get lost, and the write have been heard of: then nobody needs to wait before they look again.
    throw isShown ? new OutdatedError(`IngressController ${key} has been written since`) : error
  }
}

function told(actions: readonly Action[]): string {
  return actions
    .map(({ do: verb, kind: { kind }, object: { metadata } }) => `${verb} ${kind} ${keyOf(metadata)}`)
    .join(', ')
}

// ── what wakes it ──

function sources(
  caches: Caches,
  { operatorNamespace, operandNamespace }: Settings,
  reports: Reports,
): KeySource[] {
  const keyOfName = (name: string) => keyOf({ namespace: operatorNamespace, name })
  const all = () => [...caches.controllers.values()].map(keyOfObject)
  const onHostPorts = () => [...caches.controllers.values()].filter(takesHostPorts).map(keyOfObject)
  const concerned = (object: Cached<KubeObject>) =>
    object.metadata.namespace === operandNamespace
      ? [...new Set([ownerOf(object) ?? [], controllersWanting(object.metadata.name)].flat())].map(keyOfName)
      : []
  const routers = ({ metadata }: Cached<PodObject>) =>
    metadata.namespace === operandNamespace ? (metadata.labels?.[routerLabel] ?? []) : []
  return [
    // A controller that comes, changes or goes may free a domain, or take one.
    enqueueFrom(caches.controllers, (controller) => [keyOfObject(controller), ...all()], {
      predicate: domainChanged,
    }),
    enqueueFrom(caches.controllers, keyOfObject, { predicate: (change) => !isOwnReport(change, reports) }),
    enqueueFrom(caches.infrastructures, all),
    enqueueFrom(caches.nodes, all, { predicate: changedInSubstance }),
    enqueueFrom(caches.deployments, concerned),
    enqueueFrom(
      caches.services,
      (service) => [...concerned(service), ...(hasNodePorts(service) ? onHostPorts() : [])],
      {
        predicate: changedInSubstance,
      },
    ),
    enqueueFrom(caches.budgets, concerned),
    enqueueFrom(caches.ingressClasses, ({ metadata }) =>
      metadata.name.startsWith(ingressClassName(''))
        ? keyOfName(metadata.name.slice(ingressClassName('').length))
        : undefined,
    ),
    // A controller may have gone while nobody led; then only classes still name it.
    enqueueFrom(caches.ingressClasses, (ingressClass) => {
      const serves = controllerServing(ingressClass, operatorNamespace)
      return typeof serves === 'object' ? keyOfName(serves.to) : undefined
    }),
    enqueueOnStart(keyOfName(defaultController)),
    enqueueFrom(
      caches.pods,
      (pod) =>
        [[routers(pod)].flat().map(keyOfName), hostPortsIn(pod).length > 0 ? onHostPorts() : []].flat(),
      { predicate: changedInSubstance },
    ),
    enqueueFrom(caches.cloudEvents, ({ involvedObject }) =>
      controllersWanting(involvedObject.name ?? '').map(keyOfName),
    ),
  ]
}

function contestsIn({ book, settings }: IngressReconcilerOptions, contests: FieldConflicts): KeySource {
  return {
    subscribe(listener) {
      book.clear() // A term begins.
      contests.forgetAll()
      return book.subscribeToConflicts((name) =>
        listener.enqueue(keyOf({ namespace: settings.operatorNamespace, name })),
      )
    },
  }
}

/** Of one controller, only the domain that it asks for or holds concerns the others, and whether it waits for that alone. */
function domainChanged(change: Change<Cached<IngressControllerObject>>): boolean {
  if (change.type !== 'updated') return true
  const { object, previous } = change
  return (
    object.metadata.uid !== previous.metadata.uid ||
    object.spec?.domain !== previous.spec?.domain ||
    object.status?.domain !== previous.status?.domain ||
    waitsForDomainAlone(object) !== waitsForDomainAlone(previous)
  )
}

/** Whether nothing has changed but the status, as we said: whoever looked again would come to the same. */
function isOwnReport(change: Change<Cached<IngressControllerObject>>, reports: Reports): boolean {
  if (change.type !== 'updated') return false
  const status = reports.get(change.previous)
  return status !== undefined && !changedInSubstance({ ...change, previous: { ...change.previous, status } })
}

/** Caches keep only what matters of most objects; what differs in nothing but its version has not changed. */
function changedInSubstance<T extends Cached<KubeObject>>(change: Change<T>): boolean {
  if (change.type !== 'updated') return true
  const withoutVersion = ({ metadata, ...rest }: T) => ({
    ...rest,
    metadata: { ...metadata, resourceVersion: '', managedFields: [] },
  })
  return !isSameJson(withoutVersion(change.object), withoutVersion(change.previous))
}

/** By its spec, or by what its routers still run with; and as long as neither says, it may. */
function takesHostPorts({ spec, status }: Cached<IngressControllerObject>): boolean {
  const types = [spec, status].flatMap((part) => part?.endpointPublishingStrategy?.type ?? [])
  return types.length === 0 || types.includes('HostNetwork')
}

function hasNodePorts({ spec }: Cached<ServiceObject>): boolean {
  return spec?.ports?.some(({ nodePort }) => nodePort) ?? false
}

function cacheOf({ kind }: Kind, caches: Caches): CacheReader<KubeObject, never> {
  switch (kind) {
    case IngressController.kind:
      return caches.controllers
    case Deployment.kind:
      return caches.deployments
    case Service.kind:
      return caches.services
    case PodDisruptionBudget.kind:
      return caches.budgets
    case IngressClass.kind:
      return caches.ingressClasses
    default:
      throw new Error(`There is no cache of ${kind}.`)
  }
}
