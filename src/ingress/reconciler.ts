import type { Clock } from '../kube/clock.ts'
import { type LookAgain, lookAgainIn } from '../kube/controller.ts'
import { ApiError, isConflict } from '../kube/errors.ts'
import { Deployment, PodDisruptionBudget, Service, ServiceAccount } from '../kube/kinds.ts'
import { type Key, type Kind, type KubeObject, keyOf, keyOfObject } from '../kube/objects.ts'
import type { ReconcileContext, Runtime } from '../kube/runtime.ts'
import { from, type KeySource } from '../kube/source.ts'
import type { Stored, StoreReader } from '../kube/store.ts'
import { act, type Surroundings, writeStatus } from './act.ts'
import { decide } from './decide.ts'
import type { Action, Decision } from './decision.ts'
import { IngressController } from './kinds.ts'
import type { IngressMetrics } from './metrics.ts'
import { controllersWanting, ownerOf, routerLabel } from './names.ts'
import { observe } from './observe.ts'
import type { Settings } from './settings.ts'
import type { Snapshot } from './snapshot.ts'
import { type Stores, watchAll } from './stores.ts'

export interface IngressReconcilerOptions {
  readonly runtime: Pick<Runtime, 'watch' | 'reconcile'>
  readonly settings: Settings
  readonly clock: Clock
  readonly metrics: IngressMetrics
}

/** Somebody wrote at the same time: by then their write has reached our stores, or is about to. */
const afterConflict = lookAgainIn(50)

/** Each round does what the one before made possible; a decision that never settles would be a defect. */
const mostRounds = 10

/** Keeps every IngressController published as its spec asks: observe, decide, act, until there is nothing to do. */
export function registerIngressReconciler(options: IngressReconcilerOptions): void {
  const { runtime, settings } = options
  const stores = watchAll(runtime, settings)
  runtime.reconcile({
    name: 'ingress',
    kind: IngressController,
    sources: sources(stores, settings),
    async reconcile(key, context) {
      try {
        return await reconcile(key, stores, { ...options, ...context })
      } catch (error) {
        if (isConflict(error)) return afterConflict
        throw error
      }
    },
  })
}

async function reconcile(
  key: Key,
  stores: Stores,
  options: IngressReconcilerOptions & ReconcileContext,
): Promise<LookAgain | void> {
  const { settings, clock, metrics } = options
  const surroundings: Surroundings = { ...options, storeOf: (kind) => storeOf(kind, stores) }
  const look = (problems: readonly string[] = []) =>
    observe(key, stores, settings, { now: clock.now(), problems })

  let snapshot = look()
  let decision = snapshot && decide(snapshot)
  for (let round = 0; decision !== undefined && decision.actions.length > 0; round++) {
    if (round === mostRounds)
      throw new Error(`There is always something left to do: ${told(decision.actions)}`)
    const problem = await carryOut(decision, snapshot as Snapshot, surroundings)
    snapshot = look(problem === undefined ? [] : [problem.message])
    decision = snapshot && decide(snapshot)
    if (problem === undefined) continue
    if (snapshot !== undefined && decision !== undefined) await say(snapshot, decision, surroundings, metrics)
    throw problem.error
  }
  if (snapshot === undefined || decision === undefined) {
    metrics.forget(key)
    return
  }
  await say(snapshot, decision, surroundings, metrics)
  if (decision.lookAgainAt !== undefined) {
    return lookAgainIn(Math.max(0, decision.lookAgainAt.getTime() - clock.now().getTime()) + 1)
  }
}

/** @returns what the API server refused, in words for the status; anything else that fails is thrown */
async function carryOut(
  { actions }: Decision,
  { controller }: Snapshot,
  surroundings: Surroundings,
): Promise<{ readonly message: string; readonly error: Error } | undefined> {
  for (const action of actions) {
    try {
      await act(action, controller, surroundings)
    } catch (error) {
      if (!(error instanceof ApiError) || isConflict(error)) throw error
      return { message: `Cannot ${told([action])}: ${error.message}`, error }
    }
  }
  return undefined
}

async function say(
  snapshot: Snapshot,
  { status, occurrences }: Decision,
  surroundings: Surroundings,
  metrics: IngressMetrics,
): Promise<void> {
  const { controller } = snapshot
  if (status !== undefined) {
    await writeStatus(controller, status, surroundings)
    metrics.report(keyOfObject(controller), status)
  }
  for (const occurrence of occurrences) surroundings.events.record(controller, occurrence)
}

function told(actions: readonly Action[]): string {
  return actions
    .map(
      ({ do: verb, kind: { kind }, object: { metadata } }) =>
        `${verb} ${kind} ${metadata.namespace}/${metadata.name}`,
    )
    .join(', ')
}

// ── what wakes it ──

function sources(stores: Stores, settings: Settings): KeySource[] {
  const namespace = settings.operatorNamespace
  const keyOfName = (name: string) => keyOf({ namespace, name })
  const all = () => [...stores.controllers.values()].map(keyOfObject)
  const concerned = (object: Stored<KubeObject>) =>
    [...new Set([ownerOf(object) ?? [], controllersWanting(object.metadata.name)].flat())].map(keyOfName)
  return [
    // A controller that comes, changes or goes may free a domain, or take one.
    from(stores.controllers, (controller) => [keyOfObject(controller), ...all()]),
    from(stores.infrastructures, all),
    from(stores.nodes, all, { when: providerIdChanged }),
    from(stores.deployments, concerned),
    from(stores.services, concerned),
    from(stores.budgets, concerned),
    from(stores.accounts, concerned),
    from(stores.pods, ({ metadata }) => keyOfName(metadata.labels?.[routerLabel] ?? '')),
    from(stores.cloudEvents, ({ involvedObject }) =>
      controllersWanting(involvedObject.name ?? '').map(keyOfName),
    ),
  ]
}

function providerIdChanged(change: {
  readonly type: string
  readonly object: { readonly spec?: { readonly providerID?: string } }
  readonly previous?: { readonly spec?: { readonly providerID?: string } }
}): boolean {
  return change.type !== 'updated' || change.object.spec?.providerID !== change.previous?.spec?.providerID
}

function storeOf({ kind }: Kind, stores: Stores): StoreReader<KubeObject, never> {
  switch (kind) {
    case IngressController.kind:
      return stores.controllers
    case Deployment.kind:
      return stores.deployments
    case Service.kind:
      return stores.services
    case PodDisruptionBudget.kind:
      return stores.budgets
    case ServiceAccount.kind:
      return stores.accounts
    default:
      throw new Error(`There is no store of ${kind}.`)
  }
}
