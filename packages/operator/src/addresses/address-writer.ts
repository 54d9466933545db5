import {
  type Cached,
  type Change,
  type Clock,
  enqueueFrom,
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
  sanitizeUntrusted,
} from '@portcullis/kube'
import type { Ingress as IngressObject } from 'kubernetes-types/networking/v1'
import { type Address, formatAddress } from './address.ts'
import type { AddressBook, Entry } from './address-book.ts'
import { ingressesInNamespace, ingressesOfClass, ingressesOfController } from './affected-ingresses.ts'
import { type AddressChange, attemptOf } from './attempt.ts'
import { type AddressDecision, addressManager, decideAddress } from './decide-ingress.ts'
import { IngressAssignments } from './ingress-assignments.ts'
import { belongingOf, classOf } from './ingress-class.ts'
import { type AddressMetrics, failureOf } from './metrics.ts'
import { followService, publishedService } from './published-service.ts'
import type { AddressReason } from './reasons.ts'
import { Selections } from './selections.ts'
import type { AddressSettings } from './settings.ts'
import type { Selection } from './shard.ts'
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
/** The cache is about to say so by itself: that it is gone, or what we wrote. If it does not, it is wrong. */
const afterTheCache = requeueAfter(1_000)

/** Tenants make Ingresses in any number: Events about other things need room as well. */
const maxUnsent = 100

/** There is no field in our patch that the server could not know: it need not look for such, ten thousand times. */
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
  const selections = new Selections(book, caches.namespaces)
  const writer = new AddressWriter(options, selections)
  return {
    name: 'addresses',
    kind: Ingress,
    workers,
    // No tenant waits for the Ingresses of another.
    fairBy: namespaceOf,
    sources: [
      changesOf(book, writer, (controller) => ingressesOfController(caches, controller, settings)),
      enqueueFrom(caches.ingresses, keyOfObject, { predicate: (change) => writer.isNews(change) }),
      enqueueFrom(caches.classes, ({ metadata }) => ingressesOfClass(caches, metadata.name)),
      enqueueFrom(caches.namespaces, ({ metadata }) => ingressesInNamespace(caches, metadata.name), {
        predicate: (change) => selections.mayChangeBy(change),
      }),
      { subscribe: () => writer.termHasBegun() },
    ],
    reconcile: (key, context) => writer.reconcile(key, context),
  }
}

class AddressWriter {
  readonly #options: AddressWriterOptions
  readonly #selections: Selections
  readonly #manager: string
  readonly #contests: StatusConflicts
  /** What the API server did not take, as digests; it would say the same again. */
  readonly #refused = new Map<Key, string>()
  /** The version that our latest write replaced, until the cache shows what became of it. */
  readonly #replaced = new Map<Key, string>()
  readonly #assignments = new IngressAssignments()
  /** Ingresses that were told that no router serves them. */
  readonly #toldOfExclusion = new Set<Key>()

  constructor(options: AddressWriterOptions, selections: Selections) {
    this.#options = options
    this.#selections = selections
    this.#manager = addressManager(options.settings.controllerNamespace)
    this.#contests = new StatusConflicts(this.#manager)
  }

  /**
   * Whether a change of an Ingress asks for a look. One that says what it should does not: most of these show what we
   * have just written ourselves, and ten thousand of them would wait in the queue for nothing.
   */
  isNews(change: Change<Cached<IngressObject>>): boolean {
    if (change.type === 'deleted') return true
    const key = keyOfObject(change.object)
    this.#replaced.delete(key)
    const { decision, selection } = this.#decide(key, change.object)
    if (decision.do !== 'nothing' || this.#mustTellOfExclusion(key, selection)) return true
    this.#isRight(key, selection)
    return false
  }

  async reconcile(key: Key, context: ReconcileContext): Promise<ReconcileResult> {
    const ingress = this.#options.caches.ingresses.get(key)
    if (ingress === undefined) return this.#forget(key)
    const { decision, controller, selection } = this.#decide(key, ingress)
    if (this.#mustTellOfExclusion(key, selection)) this.#tellOfExclusion(key, ingress, controller, context)
    if (decision.do === 'nothing') return this.#isRight(key, selection)
    if (decision.do === 'wait') {
      this.#options.metrics.count('waiting')
      return requeueAfter(Math.max(0, decision.until - this.#options.clock.monotonic()) + 1)
    }
    if (this.#awaitsTheCache(key, ingress)) return afterTheCache
    if (this.#refused.has(key) && this.#refused.get(key) === attemptOf(ingress, decision)) return
    const pauseMs = this.#contests.pauseBefore(key, ingress, this.#options.clock.now())
    if (pauseMs > 0) return this.#standBack(ingress, controller, pauseMs, context)
    return this.#write(key, ingress, decision, controller, context)
  }

  #forget(key: Key): void {
    this.#contests.forget(key)
    this.#assignments.forget(key)
    this.#refused.delete(key)
    this.#replaced.delete(key)
    this.#toldOfExclusion.delete(key)
    this.#options.book.clearConflicts(key)
  }

  /** Whether the cache has yet to show what we wrote. It is waited for once: it may be that nothing changed by it. */
  #awaitsTheCache(key: Key, { metadata }: Cached<IngressObject>): boolean {
    const replaced = this.#replaced.get(key)
    this.#replaced.delete(key)
    return replaced === metadata.resourceVersion
  }

  #isRight(key: Key, selection: Selection): void {
    this.#options.metrics.count(selection.is === 'excluded' ? 'excluded' : 'unchanged')
    this.#options.book.clearConflicts(key)
  }

  #decide(
    key: Key,
    ingress: Cached<IngressObject>,
  ): { decision: AddressDecision; controller: string | undefined; selection: Selection } {
    const { settings, clock } = this.#options
    const now = clock.monotonic()
    const belonging = belongingOf(ingress, (name) => this.#options.caches.classes.get(name), settings)
    const controller = typeof belonging === 'object' ? belonging.to : undefined
    const selection = this.#selections.of(ingress, controller)
    if (selection.is !== 'excluded') this.#toldOfExclusion.delete(key)
    const decision = decideAddress({
      now,
      ingress,
      manager: this.#manager,
      belonging,
      entry: controller === undefined ? undefined : this.#entryOf(controller, classOf(ingress)),
      selection: selection.is,
      since: this.#assignments.note(key, belonging, selection, now),
      lostAddressGraceMs: settings.lostAddressGraceMs,
    })
    return { decision, controller, selection }
  }

  /** What is given wins over what is found out. */
  #entryOf(controller: string, className: string | undefined): Entry | undefined {
    const { book, settings } = this.#options
    const given = settings.classAddresses.get(className ?? '') ?? settings.staticAddresses
    if (given.length > 0) return { addresses: given, lostSince: undefined }
    return book.get(settings.publishService === undefined ? controller : publishedService)
  }

  /** What has long been so needs no word at every change of leaders: it may concern thousands. */
  #mustTellOfExclusion(key: Key, { is }: Selection): boolean {
    return is === 'excluded' && !this.#assignments.predatesTerm(key) && !this.#toldOfExclusion.has(key)
  }

  #tellOfExclusion(
    key: Key,
    ingress: Cached<IngressObject>,
    controller: string | undefined,
    context: ReconcileContext,
  ): void {
    const selection = this.#selections.of(ingress, controller)
    if (controller === undefined || selection.is !== 'excluded') return
    this.#toldOfExclusion.add(key)
    const note = this.#selections.explain(ingress, controller, selection.by)
    this.#warn(ingress, 'IngressNotSelected', note, context)
  }

  async #write(
    key: Key,
    ingress: Cached<IngressObject>,
    decision: AddressChange,
    controller: string | undefined,
    context: ReconcileContext,
  ): Promise<ReconcileResult> {
    const { metrics } = this.#options
    try {
      await this.#patch(key, ingress, decision.do === 'write' ? decision.addresses : null, context)
    } catch (error) {
      return this.#failed(key, ingress, decision, error, context)
    }
    metrics.count(decision.do === 'write' ? 'written' : 'cleared')
    this.#told(key, ingress, decision, controller, context)
    this.#contests.wrote(key, this.#options.clock.now())
    this.#refused.delete(key)
  }

  #failed(
    key: Key,
    ingress: Cached<IngressObject>,
    decision: AddressChange,
    error: unknown,
    context: ReconcileContext,
  ): ReconcileResult {
    const failure = failureOf(error, context.signal)
    this.#options.metrics.countFailure(failure)
    if (failure === 'gone') return afterTheCache
    if (failure === 'conflict') return requeueWithBackoff
    if (failure !== 'refused') throw error
    this.#refused.set(key, attemptOf(ingress, decision))
    const note = `The API server rejects the address: ${sanitizeUntrusted((error as Error).message)}`
    this.#warn(ingress, 'AddressRefused', note, context)
  }

  #told(
    key: Key,
    ingress: Cached<IngressObject>,
    decision: AddressDecision,
    controller: string | undefined,
    context: ReconcileContext,
  ): void {
    const { metrics, book, settings } = this.#options
    const { metadata } = ingress
    if (controller === undefined) return
    if (this.#selections.of(ingress, controller).is === 'excluded') {
      if (!this.#toldOfExclusion.has(key)) this.#tellOfExclusion(key, ingress, controller, context)
      return
    }
    const source = settings.publishService === undefined ? controller : publishedService
    const lag = book.lagOf(source, parseTime(metadata.creationTimestamp) ?? new Date(0))
    if (lag !== undefined && !book.get(controller)?.isGone) metrics.wrote(controller, lag)
    if (decision.do !== 'clear') return
    context.events.record(
      {
        apiVersion: 'operator.openshift.io/v1',
        kind: 'IngressController',
        namespace: settings.controllerNamespace,
        name: controller,
      },
      {
        type: 'Warning',
        reason: 'AddressesRemoved' satisfies AddressReason,
        action: 'WriteAddress',
        note: 'The IngressController has had no address for longer than the grace period: the addresses of its Ingresses are removed',
      },
    )
  }

  /** What was true when this process last led may not be true any more. */
  beginTerm(): void {
    this.#contests.forgetAll()
    this.#refused.clear()
    this.#replaced.clear()
    this.#assignments.reset()
    this.#toldOfExclusion.clear()
    this.#options.metrics.beginTerm()
  }

  /** Everything that stands there has been seen: what comes from now on is new. */
  termHasBegun(): () => void {
    this.#assignments.beginTerm()
    return () => {}
  }

  controllerChanged(controller: string): void {
    const { book, metrics } = this.#options
    if (book.get(controller)?.isGone ?? true) metrics.forget(controller)
  }

  /** The version that it replaces goes along, so that nothing is written over what we have not seen. */
  async #patch(
    key: Key,
    { metadata }: Cached<IngressObject>,
    addresses: readonly Address[] | null,
    { client, signal }: ReconcileContext,
  ): Promise<void> {
    const { namespace, name, uid, resourceVersion } = metadata
    const body = { metadata: { uid, resourceVersion }, status: { loadBalancer: { ingress: addresses } } }
    const options = { ...patchOptions, fieldManager: this.#manager, signal }
    await client.patchMetadataOnly(Ingress, { namespace, name }, { type: 'merge', body }, options)
    const isShown = this.#options.caches.ingresses.get(key)?.metadata.resourceVersion !== resourceVersion
    if (!isShown) this.#replaced.set(key, resourceVersion)
  }

  /** Somebody else writes another address each time: going on would only make both of us busy. */
  #standBack(
    ingress: Cached<IngressObject>,
    controller: string | undefined,
    pauseMs: number,
    context: ReconcileContext,
  ): RequeueAfter {
    const { metrics, book } = this.#options
    metrics.count('contested')
    const rival = this.#contests.conflictingManager(ingress) ?? 'somebody'
    if (controller !== undefined) book.setConflict(controller, keyOfObject(ingress), rival)
    const theirs = (ingress.status?.loadBalancer?.ingress ?? []).map(formatAddress).join(', ') || 'none'
    this.#warn(
      ingress,
      'AddressContested',
      `"${sanitizeUntrusted(rival)}" keeps overwriting the address with ${sanitizeUntrusted(theirs)}. The operator leaves the Ingress alone for some minutes: make sure that only one controller serves the class "${sanitizeUntrusted(classOf(ingress) ?? '')}"`,
      context,
    )
    return requeueAfter(pauseMs)
  }

  #warn(
    ingress: Cached<IngressObject>,
    reason: AddressReason,
    note: string,
    { events }: ReconcileContext,
  ): void {
    const { apiVersion, kind } = Ingress
    const event = { type: 'Warning', reason, action: 'WriteAddress', note, maxUnsent } as const
    events.record({ ...ingress, apiVersion, kind }, event)
  }
}

function changesOf(
  book: AddressBook,
  writer: AddressWriter,
  keysOf: (controller: string) => Iterable<Key>,
): KeySource {
  return {
    subscribe(listener) {
      writer.beginTerm()
      return book.subscribe((controller) => {
        writer.controllerChanged(controller)
        for (const key of keysOf(controller)) listener.enqueue(key)
      })
    },
  }
}
