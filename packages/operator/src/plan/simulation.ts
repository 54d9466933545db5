import {
  Deployment,
  findCondition,
  isBeingDeleted,
  keyOfObject,
  mergePatchBetween,
  Service,
} from '@portcullis/kube'
import type { IngressController as Controller } from '../api/ingress-controller.ts'
import { waitsForUser } from '../ingress/conditions/load-balancer.ts'
import type { Condition } from '../ingress/conditions/summary-conditions.ts'
import { decide } from '../ingress/decide.ts'
import type { Action, Decision } from '../ingress/decision.ts'
import { IngressController } from '../ingress/kinds.ts'
import { fieldManager, routerName } from '../ingress/names.ts'
import { observe } from '../ingress/observe.ts'
import type { Settings } from '../ingress/settings.ts'
import type { Snapshot } from '../ingress/snapshot.ts'
import { ChangeLog, type LoggedChange } from './change-log.ts'
import type { ListedObjects } from './listed-objects.ts'
import { provisionLoadBalancers } from './simulated-cloud.ts'
import { SimulatedCluster } from './simulated-cluster.ts'
import { allocateNodePorts } from './simulated-node-ports.ts'
import { rollOutRouters } from './simulated-routers.ts'

/** The state of a simulated cluster once all controllers have converged. */
export interface SimulationResult {
  readonly cluster: SimulatedCluster
  /** The last decision about each controller, by its name. */
  readonly decisions: ReadonlyMap<string, Decision>
  readonly log: ChangeLog
  /** What the operator said where it waited for a person. */
  readonly waiting: ReadonlyMap<string, Condition>
  /** Controllers whose routers might be on other nodes as well. */
  readonly undecided: ReadonlySet<string>
  /** Controllers that are being deleted. */
  readonly terminating: ReadonlySet<string>
}

/** A controller as the user wants it. */
export type WantedController = Pick<Controller, 'spec'> & {
  readonly metadata: NonNullable<Controller['metadata']> & {
    readonly namespace: string
    readonly name: string
  }
}

/** Each round does what the one before made possible; that it ends is what the tests of `decide` prove. */
const mostRounds = 50

/** Plays out in a simulated cluster what becomes of changes. */
export class Simulation {
  readonly #cluster: SimulatedCluster
  readonly #settings: Settings
  readonly #decisions = new Map<string, Decision>()
  readonly #log = new ChangeLog()
  readonly #waiting = new Map<string, Condition>()
  readonly #undecided = new Set<string>()
  /** What routers and the cloud have not answered yet: uids. */
  #deployments = new Set<string>()
  #services = new Set<string>()

  constructor(objects: ListedObjects, settings: Settings, now: Date) {
    this.#cluster = new SimulatedCluster(objects, settings, now)
    this.#settings = settings
  }

  /** How things stand, without anything being done. */
  look(): SimulationResult {
    for (const { controller, decision } of this.#decideAll())
      this.#decisions.set(controller.metadata.name, decision)
    return this.#result()
  }

  /** The user applies a controller. */
  apply({ metadata, spec = {} }: WantedController): void {
    const { name } = metadata
    this.#log.add({
      kind: IngressController,
      object: { metadata },
      controller: name,
      when: 'at once',
      disruption: 'none',
    })
    const before = this.#cluster.get(IngressController, metadata)
    if (before === undefined) {
      this.#cluster.create(IngressController, { metadata, spec }, 'kubectl')
      return
    }
    const { labels = {}, annotations = {} } = metadata
    const { metadata: old } = before
    const change = mergePatchBetween(
      { metadata: { labels: old.labels ?? {}, annotations: old.annotations ?? {} }, spec: before.spec ?? {} },
      { metadata: { labels, annotations }, spec },
    )
    if (change !== undefined) this.#cluster.patch(IngressController, before, change, 'kubectl')
  }

  /** @param agreed controllers for which a person does what the operator asks for */
  simulate(agreed: ReadonlySet<string>): SimulationResult {
    this.#settle('at once')
    this.#letOthersWork('later')
    for (const [name, { status }] of this.#decisions) {
      const condition = findCondition(status?.conditions, 'LoadBalancerProgressing')
      if (condition === undefined || !agreed.has(name) || !waitsForUser(condition)) continue
      this.#waiting.set(name, condition)
      this.#deleteService(name)
    }
    this.#settle('when you agree')
    this.#letOthersWork('when you agree')
    return this.#result()
  }

  #deleteService(controller: string): void {
    const service = this.#cluster.get(Service, {
      namespace: this.#settings.operandNamespace,
      name: routerName(controller),
    })
    if (service === undefined) return
    this.#log.add({
      kind: Service,
      object: service,
      controller,
      when: 'when you agree',
      disruption: 'interrupts',
    })
    this.#cluster.remove(Service, service)
  }

  /** Routers, the cloud and clients follow, the operator reacts to that, until all have converged. */
  #letOthersWork(when: LoggedChange['when']): void {
    const isAtWork = () => this.#deployments.size + this.#services.size > 0
    for (let round = 0; isAtWork() || this.#letClientsFollow(when); round++) {
      if (round === mostRounds)
        throw new Error('The plan does not converge: the routers and the operator keep changing in circles.')
      const [deployments, services] = [this.#deployments, this.#services]
      this.#deployments = new Set()
      this.#services = new Set()
      for (const name of rollOutRouters(this.#cluster, deployments)) this.#undecided.add(name)
      provisionLoadBalancers(this.#cluster, this.#platform(), services)
      this.#settle(when)
    }
  }

  /** @returns whether the operator has waited for that */
  #letClientsFollow(when: LoggedChange['when']): boolean {
    const later = new Date(this.#cluster.now.getTime() + this.#settings.clientsFollowSeconds * 1000)
    const isDue = ({ requeueAt }: Decision) => requeueAt !== undefined && requeueAt <= later
    if (![...this.#decisions.values()].some(isDue)) return false
    this.#cluster.now = later
    return this.#settle(when)
  }

  #platform() {
    const [first] = this.#decideAll()
    return first?.snapshot.platform.platform
  }

  /**
   * As the reconciler does: decides and applies until there is nothing to do and nothing new to report.
   *
   * @returns whether there was anything to do
   */
  #settle(when: LoggedChange['when']): boolean {
    let hasActed = false
    for (let round = 0; ; round++) {
      if (round === mostRounds)
        throw new Error('The plan does not converge: the operator always has something left to do.')
      let isQuiet = true
      for (const { controller, decision } of this.#decideAll()) {
        const { name } = controller.metadata
        this.#decisions.set(name, decision)
        for (const action of decision.actions) this.#applyAction(action, name, when)
        hasActed ||= decision.actions.length > 0
        const saysNew = decision.actions.length === 0 && this.#patchStatus(controller, decision)
        if (decision.actions.length > 0 || saysNew) isQuiet = false
      }
      if (isQuiet) return hasActed
    }
  }

  *#decideAll(): Iterable<{ controller: Snapshot['controller']; decision: Decision; snapshot: Snapshot }> {
    const { now, caches } = this.#cluster
    const moment = { now, contestedIngresses: new Map(), contestedFields: () => [], problems: [] }
    for (const controller of caches.controllers.values()) {
      // What becomes of one that goes is no part of this.
      if (isBeingDeleted(controller)) continue
      const snapshot = observe(keyOfObject(controller), caches, this.#settings, moment)
      if (snapshot !== undefined)
        yield { controller: snapshot.controller, decision: decide(snapshot), snapshot }
    }
  }

  #applyAction(action: Action, controller: string, when: LoggedChange['when']): void {
    const { kind, object, disruption } = action
    this.#log.add({ kind, object, controller, when, disruption })
    this.#cluster.applyAction(action)
    if (kind === Service && action.do === 'create') allocateNodePorts(this.#cluster, object.metadata)
    const uid = this.#cluster.get(kind, object.metadata)?.metadata.uid
    if (uid === undefined) return
    if (kind === Deployment && (action.do === 'create' || (action.do === 'update' && action.patch['spec'])))
      this.#deployments.add(uid)
    if (kind === Service && (action.do === 'create' || disruption === 'reconfigures')) this.#services.add(uid)
  }

  /** @returns whether the status was another */
  #patchStatus(controller: Snapshot['controller'], { status }: Decision): boolean {
    const change = status && mergePatchBetween(controller.status ?? {}, status)
    if (change === undefined) return false
    this.#cluster.patch(IngressController, controller, { status: change }, fieldManager)
    return true
  }

  #result(): SimulationResult {
    return {
      cluster: this.#cluster,
      decisions: this.#decisions,
      log: this.#log,
      waiting: this.#waiting,
      undecided: this.#undecided,
      terminating: new Set(
        this.#cluster
          .all(IngressController)
          .filter(isBeingDeleted)
          .map(({ metadata }) => metadata.name),
      ),
    }
  }
}
