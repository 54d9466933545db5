import {
  type Clock,
  isConflict,
  type Key,
  keyOf,
  type Logger,
  type ReconcileContext,
  type Reconciler,
  type RequeueAfter,
  refOf,
  requeueAfter,
  requeueWithBackoff,
} from '@portcullis/kube'
import type { AddressBook } from '../addresses/address-book.ts'
import { controllerServing, defaultController } from '../addresses/ingress-class.ts'
import { type ApplyContext, applyActions, OutdatedError } from './apply-actions.ts'
import { decide } from './decide.ts'
import type { Action } from './decision.ts'
import { FieldConflicts } from './field-conflicts.ts'
import { IngressController } from './kinds.ts'
import type { IngressMetrics } from './metrics.ts'
import { observe } from './observe.ts'
import { ObservedConditions } from './observed-conditions.ts'
import { OrphanedObjects } from './orphaned-objects.ts'
import { OwnStatusUpdates } from './own-status-updates.ts'
import { publishStatus } from './publish-status.ts'
import type { Settings } from './settings.ts'
import type { Snapshot } from './snapshot.ts'
import { statusConflicts, triggers } from './triggers.ts'
import { type Caches, cacheOf } from './watched-kinds.ts'
import { WriteBackoff } from './write-backoff.ts'

export interface IngressReconcilerOptions {
  readonly caches: Caches
  readonly settings: Settings
  readonly clock: Clock
  readonly metrics: IngressMetrics
  /** Where it writes down where controllers are reached. */
  readonly book: AddressBook
}

/**
 * Each writes one thing after the other, and waits its turn among the many that write the addresses of Ingresses: with too
 * few of them, controllers would have to wait until thousands of Ingresses have been given an address that is out of date.
 */
const workers = 16

/** Each round does what the one before made possible; a decision that never settles would be a defect. */
const mostRounds = 10

/** Keeps every IngressController published as its spec asks: observe, decide, apply, until there is nothing to do. */
export function ingressReconciler(options: IngressReconcilerOptions): Reconciler {
  const { caches, settings, clock, metrics, book } = options
  const state: ReconcilerState = {
    orphanedObjects: new OrphanedObjects(caches, settings, metrics),
    ownStatusUpdates: new OwnStatusUpdates(),
    fieldConflicts: new FieldConflicts(),
    writeBackoff: new WriteBackoff(clock),
    observedConditions: new ObservedConditions(clock),
  }
  const forgetLastTerm = () => {
    book.clear()
    state.fieldConflicts.forgetAll()
    return () => {}
  }
  return {
    name: 'ingress',
    kind: IngressController,
    workers,
    sources: [
      { subscribe: forgetLastTerm },
      statusConflicts(book, settings),
      ...triggers(caches, settings, state.ownStatusUpdates),
    ],
    async reconcile(key, context) {
      try {
        return await reconcile(key, context, options, state)
      } catch (error) {
        // Another client wrote at the same time, or our caches lag behind.
        if (isConflict(error) || error instanceof OutdatedError) return requeueWithBackoff
        throw error
      }
    },
  }
}

/** The state that is kept from one reconcile to the next, beside what is in the cluster. */
interface ReconcilerState {
  readonly orphanedObjects: OrphanedObjects
  readonly ownStatusUpdates: OwnStatusUpdates
  readonly fieldConflicts: FieldConflicts
  readonly writeBackoff: WriteBackoff
  readonly observedConditions: ObservedConditions
}

async function reconcile(
  key: Key,
  { client, events, signal, log }: ReconcileContext & { readonly log: Logger },
  { caches, settings, clock, metrics, book }: IngressReconcilerOptions,
  state: ReconcilerState,
): Promise<RequeueAfter | void> {
  const { fieldConflicts, writeBackoff, observedConditions, orphanedObjects } = state
  const context: ApplyContext = { client, events, signal, clock, cacheOf: (kind) => cacheOf(kind, caches) }
  const readers = { ...state, metrics, book }
  const observeNow = (problems: readonly string[] = []) => {
    observedConditions.note(key, caches.controllers.get(key)?.status?.conditions)
    return observe(key, caches, settings, {
      now: clock.now(),
      problems,
      contestedIngresses: book.conflictsOf(refOf(key).name),
      contestedFields: (controller, now) => fieldConflicts.of(key, controller, now),
      conditionsObservedSince: observedConditions.of(key),
    })
  }

  let snapshot = observeNow()
  let decision = snapshot && decide(snapshot)
  for (let round = 0; decision !== undefined && decision.actions.length > 0; round++) {
    if (round === mostRounds)
      throw new Error(`The reconciliation does not converge: ${describeActions(decision.actions)}`)
    const { controller } = snapshot as Snapshot
    const failed = await applyActions(decision.actions, controller, context, { fieldConflicts, writeBackoff })
    snapshot = observeNow(failed.map(({ message }) => message))
    decision = snapshot && decide(snapshot)
    const [first] = failed
    if (first === undefined) continue
    if (snapshot !== undefined && decision !== undefined)
      await publishStatus(snapshot, decision, context, readers)
    throw first
  }
  if (snapshot === undefined || decision === undefined) {
    for (const each of [metrics, fieldConflicts, observedConditions, writeBackoff]) each.forget(key)
    orphanedObjects.report(key, log)
    const { name } = refOf(key)
    // Another controller may take over its Ingresses soon: they keep their addresses for the grace period.
    if (mayHaveIngresses(name, caches, settings)) book.set(name, { addresses: [], isGone: true })
    else book.forget(name)
    return
  }
  orphanedObjects.forget(key)
  await publishStatus(snapshot, decision, context, readers)
  if (decision.requeueAt !== undefined) {
    return requeueAfter(Math.max(0, decision.requeueAt.getTime() - clock.now().getTime()) + 1)
  }
}

/** A class that names a controller enqueues it whenever it is created, changed or deleted; Ingresses without a class have the default controller. */
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

function describeActions(actions: readonly Action[]): string {
  return actions
    .map(({ do: verb, kind: { kind }, object: { metadata } }) => `${verb} ${kind} ${keyOf(metadata)}`)
    .join(', ')
}
