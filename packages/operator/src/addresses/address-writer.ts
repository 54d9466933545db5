import {
  type Cached,
  type Change,
  type Clock,
  enqueueFrom,
  handleChanges,
  Ingress,
  type Key,
  type KeySource,
  keyOfObject,
  type Manager,
  namespaceOf,
  parseTime,
  type ReconcileContext,
  type ReconcileResult,
  type Reconciler,
  type RequeueAfter,
  requeueAfter,
  requeueWithBackoff,
} from '@portcullis/kube'
import type { Ingress as IngressObject } from 'kubernetes-types/networking/v1'
import type { Address } from './address.ts'
import { type AddressBook, type AddressSource, publishedService } from './address-book.ts'
import {
  addressContested,
  addressesRemoved,
  addressRefused,
  ingressNotSelected,
  regardingController,
  regardingIngress,
} from './address-events.ts'
import { ingressesOfClass, ingressesOfSource, ingressesSelectedByNamespace } from './affected-ingresses.ts'
import { type AddressChange, attemptOf } from './attempt.ts'
import { type AddressDecision, addressManager, decideAddress } from './decide-ingress.ts'
import { IngressAssignments } from './ingress-assignments.ts'
import { type AddressMetrics, failureOf } from './metrics.ts'
import { type IngressObservers, type ObservedIngress, observeIngress } from './observe-ingress.ts'
import { followService } from './published-service.ts'
import { labelsChanged, Selections } from './selections.ts'
import type { AddressSettings } from './settings.ts'
import { StatusConflicts } from './status-conflicts.ts'
import { type Caches, watchedKinds } from './watched-kinds.ts'

export interface AddressWriterOptions {
  readonly caches: Caches
  readonly book: AddressBook
  readonly settings: AddressSettings
  readonly clock: Clock
  readonly metrics: AddressMetrics
}

/** As many as can be on their way at once; the client holds them back when the API server is busy. */
const workers = 32
/** The watch is about to deliver the deletion, or what we wrote; if it does not, the cache is wrong. */
const afterTheCache = requeueAfter(1_000)

/** Strict field validation would cost the API server time, ten thousand times: there is no unknown field in our patch. */
const patchOptions = { subresource: 'status', fieldValidation: 'Ignore' } as const

/** Keeps the address of every Ingress of ours true: one PATCH when it is not, nothing when it is. */
export function registerAddressWriter({
  manager,
  ...options
}: Omit<AddressWriterOptions, 'caches'> & {
  readonly manager: Pick<Manager, 'watchAll' | 'reconcile'>
}): void {
  const { book, settings } = options
  if (settings.publishService !== undefined) {
    followService({ manager, book }, settings.publishService, { clusterIps: settings.publishClusterIp })
  }
  manager.reconcile(addressReconciler({ ...options, caches: manager.watchAll(watchedKinds) }))
}

export function addressReconciler(options: AddressWriterOptions): Reconciler {
  const { caches, book, settings } = options
  const writer = new AddressWriter(options)
  return {
    name: 'addresses',
    kind: Ingress,
    workers,
    // No tenant waits for the Ingresses of another.
    fairBy: namespaceOf,
    sources: [
      { subscribe: () => writer.forgetLastTerm() },
      addressChanges(book, writer, (source) => ingressesOfSource(caches, source, settings)),
      // In this order: the predicate goes by what the handler has noted.
      handleChanges(caches.ingresses, (change) => writer.remember(change)),
      enqueueFrom(caches.ingresses, keyOfObject, { predicate: (change) => writer.needsReconcile(change) }),
      enqueueFrom(caches.classes, ({ metadata }) => ingressesOfClass(caches, metadata.name)),
      enqueueFrom(
        caches.namespaces,
        ({ metadata }) => ingressesSelectedByNamespace(caches, book, metadata.name, settings),
        { predicate: labelsChanged },
      ),
      { subscribe: () => writer.beginTerm() },
    ],
    reconcile: (key, context) => writer.reconcile(key, context),
  }
}

/** What is observed of an Ingress, and what follows from it. */
interface Decided extends ObservedIngress {
  readonly decision: AddressDecision
  /** The Event that no router serves it is still to be recorded. */
  readonly mustReportExclusion: boolean
}

export class AddressWriter {
  readonly #options: AddressWriterOptions
  readonly #observers: IngressObservers
  readonly #selections: Selections
  readonly #assignments = new IngressAssignments()
  readonly #conflicts: StatusConflicts
  /** Writes that the API server rejected, as digests; it would reject them again. */
  readonly #rejected = new Map<Key, string>()
  /** The version that our latest write replaced, until the cache shows what became of it. */
  readonly #replaced = new Map<Key, string>()
  /** Ingresses with an Event that reports that no router serves them. */
  readonly #reportedExclusions = new Set<Key>()

  constructor(options: AddressWriterOptions) {
    const { book, caches, settings } = options
    const manager = addressManager(settings.controllerNamespace)
    this.#options = options
    this.#selections = new Selections(book, caches.namespaces)
    this.#conflicts = new StatusConflicts(manager)
    this.#observers = { ...options, manager, selections: this.#selections, assignments: this.#assignments }
  }

  /**
   * Whether a change of an Ingress asks for a reconcile. One that leaves it with the right address does not: most of these
   * are our own writes, and ten thousand of them would wait in the queue for nothing.
   */
  needsReconcile(change: Change<Cached<IngressObject>>): boolean {
    if (change.type === 'deleted') return true
    return hasWork(this.#decide(keyOfObject(change.object), change.object))
  }

  /** Notes what the cache now shows of an Ingress. Reconciles drop those that are deleted. */
  remember(change: Change<Cached<IngressObject>>): void {
    if (change.type === 'deleted') return
    const key = keyOfObject(change.object)
    const decided = this.#decide(key, change.object)
    this.#replaced.delete(key)
    this.#noteAssignment(key, decided)
    if (!hasWork(decided)) this.#noteSettled(key, decided)
  }

  async reconcile(key: Key, context: ReconcileContext): Promise<ReconcileResult> {
    const { caches, clock, metrics } = this.#options
    const ingress = caches.ingresses.get(key)
    if (ingress === undefined) return this.#forget(key)
    const decided = this.#decide(key, ingress)
    this.#noteAssignment(key, decided)
    const { decision } = decided
    if (decided.mustReportExclusion) this.#reportExclusion(key, decided, context)
    if (decision.do === 'nothing') return this.#noteSettled(key, decided)
    if (decision.do === 'wait') {
      metrics.count('waiting')
      return requeueAfter(Math.max(0, decision.until - clock.monotonic()) + 1)
    }
    const cacheLagsBehind = this.#replaced.get(key) === ingress.metadata.resourceVersion
    // It is waited for once: the write may have changed nothing.
    this.#replaced.delete(key)
    if (cacheLagsBehind) return afterTheCache
    if (this.#rejected.has(key) && this.#rejected.get(key) === attemptOf(ingress, decision)) return
    this.#conflicts.note(key, ingress)
    const pauseMs = this.#conflicts.pauseBefore(key, ingress, clock.now())
    if (pauseMs > 0) return this.#backOff(key, decided, pauseMs, context)
    return this.#write(key, decided, decision, context)
  }

  /** Changes nothing: what it goes by is noted where an Ingress is seen. */
  #decide(key: Key, ingress: Cached<IngressObject>): Decided {
    const observed = observeIngress(key, ingress, this.#observers)
    const { snapshot, selection, assignment } = observed
    return {
      ...observed,
      decision: decideAddress(snapshot),
      // What was so before this term needs no event at every change of leaders: it may concern thousands.
      mustReportExclusion:
        selection.is === 'excluded' && !assignment.predatesTerm && !this.#reportedExclusions.has(key),
    }
  }

  // ── state between reconciles ──

  #noteAssignment(key: Key, { assignment, selection }: Decided): void {
    this.#assignments.note(key, assignment)
    if (selection.is !== 'excluded') this.#reportedExclusions.delete(key)
  }

  /** Nothing is to be written. */
  #noteSettled(key: Key, { selection }: Decided): void {
    this.#options.metrics.count(selection.is === 'excluded' ? 'excluded' : 'unchanged')
    this.#options.book.clearConflicts(key)
  }

  #forget(key: Key): void {
    this.#conflicts.forget(key)
    this.#assignments.forget(key)
    this.#rejected.delete(key)
    this.#replaced.delete(key)
    this.#reportedExclusions.delete(key)
    this.#options.book.clearConflicts(key)
  }

  /** What was true when this process last led may not be true any more. */
  forgetLastTerm(): () => void {
    this.#conflicts.forgetAll()
    this.#rejected.clear()
    this.#replaced.clear()
    this.#assignments.reset()
    this.#reportedExclusions.clear()
    this.#options.metrics.beginTerm()
    return () => {}
  }

  /** All Ingresses that exist have been seen: what comes from now on is new. */
  beginTerm(): () => void {
    this.#assignments.beginTerm()
    return () => {}
  }

  /** The addresses of an IngressController have changed, or it is gone. */
  noteAddresses(controller: string): void {
    const { book, metrics } = this.#options
    if (book.get(controller)?.isGone ?? true) metrics.forget(controller)
  }

  // ── what is written ──

  async #write(
    key: Key,
    decided: Decided,
    change: AddressChange,
    context: ReconcileContext,
  ): Promise<ReconcileResult> {
    const { metrics, clock } = this.#options
    const { ingress } = decided.snapshot
    try {
      await this.#patch(key, ingress, change.do === 'write' ? change.addresses : null, context)
    } catch (error) {
      return this.#handleFailure(key, ingress, change, error, context)
    }
    metrics.count(change.do === 'write' ? 'written' : 'cleared')
    this.#reportWrite(key, decided, context)
    this.#conflicts.wrote(key, clock.now())
    this.#rejected.delete(key)
  }

  /** The version that it replaces is a precondition, so that nothing is overwritten that we have not seen. */
  async #patch(
    key: Key,
    { metadata }: Cached<IngressObject>,
    addresses: readonly Address[] | null,
    { client, signal }: ReconcileContext,
  ): Promise<void> {
    const { namespace, name, uid, resourceVersion } = metadata
    const body = { metadata: { uid, resourceVersion }, status: { loadBalancer: { ingress: addresses } } }
    const options = { ...patchOptions, fieldManager: this.#observers.manager, signal }
    await client.patchMetadataOnly(Ingress, { namespace, name }, { type: 'merge', body }, options)
    const isShown = this.#options.caches.ingresses.get(key)?.metadata.resourceVersion !== resourceVersion
    if (!isShown) this.#replaced.set(key, resourceVersion)
  }

  #handleFailure(
    key: Key,
    ingress: Cached<IngressObject>,
    change: AddressChange,
    error: unknown,
    { events, signal }: ReconcileContext,
  ): ReconcileResult {
    const failure = failureOf(error, signal)
    this.#options.metrics.countFailure(failure)
    if (failure === 'gone') return afterTheCache
    if (failure === 'conflict') return requeueWithBackoff
    if (failure !== 'refused') throw error
    this.#rejected.set(key, attemptOf(ingress, change))
    events.record(regardingIngress(ingress), addressRefused(error))
  }

  /** Another client writes another address each time: to go on would only keep both of us busy. */
  #backOff(
    key: Key,
    { snapshot: { ingress }, controller }: Decided,
    pauseMs: number,
    { events }: ReconcileContext,
  ): RequeueAfter {
    const { metrics, book } = this.#options
    metrics.count('contested')
    const manager = this.#conflicts.conflictingManager(ingress) ?? ''
    if (controller !== undefined) book.setConflict(controller, key, manager)
    events.record(regardingIngress(ingress), addressContested(ingress, manager))
    return requeueAfter(pauseMs)
  }

  // ── what is reported ──

  #reportExclusion(
    key: Key,
    { snapshot: { ingress }, controller, selection }: Decided,
    { events }: ReconcileContext,
  ): void {
    if (controller === undefined || selection.is !== 'excluded') return
    this.#reportedExclusions.add(key)
    const note = this.#selections.explain(ingress, controller, selection.by)
    events.record(regardingIngress(ingress), ingressNotSelected(note))
  }

  #reportWrite(key: Key, decided: Decided, context: ReconcileContext): void {
    const { metrics, book, settings } = this.#options
    const { controller, selection, decision, snapshot } = decided
    if (controller === undefined) return
    if (selection.is === 'excluded') {
      if (!this.#reportedExclusions.has(key)) this.#reportExclusion(key, decided, context)
      return
    }
    const { creationTimestamp } = snapshot.ingress.metadata
    const source = settings.publishService === undefined ? controller : publishedService
    const lag = book.lagOf(source, parseTime(creationTimestamp) ?? new Date(0))
    if (lag !== undefined && !book.get(controller)?.isGone) metrics.wrote(controller, lag)
    if (decision.do === 'clear')
      context.events.record(regardingController(settings.controllerNamespace, controller), addressesRemoved)
  }
}

function hasWork({ decision, mustReportExclusion }: Decided): boolean {
  return decision.do !== 'nothing' || mustReportExclusion
}

function addressChanges(
  book: AddressBook,
  writer: AddressWriter,
  keysOf: (source: AddressSource) => Iterable<Key>,
): KeySource {
  return {
    subscribe: (listener) =>
      book.subscribe((source) => {
        if (source !== publishedService) writer.noteAddresses(source)
        for (const key of keysOf(source)) listener.enqueue(key)
      }),
  }
}
