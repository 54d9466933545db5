import { findCondition, isSameJson, type MergePatch, mergePatchBetween } from '@portcullis/kube'
import type { IngressControllerSpec } from '../api/ingress-controller.ts'
import { decide } from '../ingress/decide.ts'
import type { Action, Decision } from '../ingress/decision.ts'
import { FieldConflicts } from '../ingress/field-conflicts.ts'
import { ingressClassName, internalServiceName, nodePortServiceName, routerName } from '../ingress/names.ts'
import type { PlatformFinding } from '../ingress/platforms/find-platform.ts'
import { platformNamed } from '../ingress/platforms/platforms.ts'
import type { IngressControllerEvent } from '../ingress/reasons/reasons.ts'
import { defaultSettings, type Settings } from '../ingress/settings.ts'
import type { Snapshot } from '../ingress/snapshot.ts'
import { asApplied } from './as-applied.ts'
import { type AnyObject, FakeApiServer, frozen } from './fake-api-server.ts'

export const newYear = new Date('2030-01-01T00:00:00Z')

/** Events of the cloud, as its service controller leaves them on a Service. */
export type CloudEvent =
  | 'SyncLoadBalancerFailed'
  | 'EnsuringLoadBalancer'
  | 'EnsuredLoadBalancer'
  | 'UpdatedLoadBalancer'
  | 'UnAvailableLoadBalancer'

/**
 * One controller and the cluster around it: what `decide` sees, and what becomes of it when its decisions are
 * carried out. Everything stands still until a test moves it.
 */
export class Scene {
  readonly name: string
  readonly server = new FakeApiServer(newYear)
  readonly cloudEvents: AnyObject[] = []
  settings: Settings = { ...defaultSettings, defaultDomain: 'apps.example.com' }
  platform: PlatformFinding = { problem: 'The platform of the cluster cannot be determined: nobody said.' }
  isSingleNode = false
  others: AnyObject[] = []
  pods: AnyObject[] = []
  nodes: AnyObject[] = []
  hostPortPods: AnyObject[] = []
  nodePortServices: AnyObject[] = []
  problems: string[] = []
  contestedIngresses: ReadonlyMap<string, string> = new Map()
  /** The Events that were recorded, of actions and of the status. */
  readonly events: IngressControllerEvent[] = []
  readonly #contests = new FieldConflicts()
  #operatorSecondsAhead = 0
  #cloudSecondsAhead = 0

  constructor(name: string) {
    this.name = name
    const applied = asApplied({
      apiVersion: 'operator.openshift.io/v1',
      kind: 'IngressController',
      metadata: { namespace: 'openshift-ingress-operator', name },
      spec: {},
    })
    this.server.create('kubectl', applied)
  }

  // ── how a test describes it ──

  on(platform: string): this {
    const found = platformNamed(platform)
    if (found === undefined) throw new Error(`There is no platform ${platform}.`)
    this.platform = { platform: found }
    return this
  }

  /** Changes the spec as `kubectl patch --type=merge` does. */
  spec(patch: Partial<Record<keyof IngressControllerSpec, unknown>> & MergePatch): this {
    return this.edit('IngressController', { spec: patch })
  }

  /** Changes the load balancer in the spec. */
  asking(loadBalancer: MergePatch): this {
    return this.spec({ endpointPublishingStrategy: { type: 'LoadBalancerService', loadBalancer } })
  }

  scoped(scope: 'Internal' | 'External'): this {
    return this.asking({ scope })
  }

  annotated(annotations: Readonly<Record<string, string | null>>): this {
    return this.edit('IngressController', { metadata: { annotations } })
  }

  /** A person edits an object: the Service is the load balancer's. */
  edit(kind: string, patch: MergePatch, { manager = 'kubectl-edit', name = this.#nameOf(kind) } = {}): this {
    this.server.patch(manager, this.#existing(kind, name), patch)
    return this
  }

  remove(kind: string, name = this.#nameOf(kind)): this {
    this.server.delete(this.#existing(kind, name))
    return this
  }

  later(seconds: number): this {
    this.server.now = new Date(this.server.now.getTime() + seconds * 1000)
    return this
  }

  /** Clocks that differ from the API server's. */
  clocksAhead({ operator = 0, cloud = 0 }: { readonly operator?: number; readonly cloud?: number }): this {
    this.#operatorSecondsAhead = operator
    this.#cloudSecondsAhead = cloud
    return this
  }

  // ── what others in the cluster do ──

  /** The cloud gives the load balancer an address, and holds on to the Service from then on. */
  cloudProvides(...addresses: readonly string[]): this {
    const ingress = addresses.map((address) =>
      /^[\d.]+$/.test(address) ? { ip: address } : { hostname: address },
    )
    return this.edit(
      'Service',
      {
        metadata: { finalizers: ['service.kubernetes.io/load-balancer-cleanup'] },
        status: { loadBalancer: { ingress } },
      },
      { manager: 'cloud' },
    )
  }

  cloudRemoves(): this {
    return this.edit('Service', { metadata: { finalizers: [] } }, { manager: 'cloud' })
  }

  cloudSays(reason: CloudEvent, message = 'no comment', { uid = this.service.metadata.uid } = {}): this {
    const number = this.cloudEvents.length + 1
    const event = {
      metadata: {
        name: `event-${number}`,
        uid: `event-${number}`,
        resourceVersion: String(9000 + number),
        creationTimestamp: this.server.now.toISOString(),
      },
      involvedObject: { kind: 'Service', name: routerName(this.name), uid },
      source: { component: 'service-controller' },
      reason,
      message,
      lastTimestamp: new Date(this.server.now.getTime() + this.#cloudSecondsAhead * 1000).toISOString(),
    }
    this.cloudEvents.push(event)
    return this
  }

  routersRun(replicas: number = this.deployment.spec.replicas): this {
    const status = {
      observedGeneration: this.deployment.metadata.generation,
      replicas,
      updatedReplicas: replicas,
      availableReplicas: replicas,
      conditions: [
        { type: 'Available', status: 'True', reason: 'MinimumReplicasAvailable' },
        { type: 'Progressing', status: 'True', reason: 'NewReplicaSetAvailable' },
      ],
    }
    return isSameJson(this.deployment.status, status)
      ? this
      : this.edit('Deployment', { status }, { manager: 'kcm' })
  }

  // ── the operator ──

  snapshot(): Snapshot {
    const now = new Date(this.server.now.getTime() + this.#operatorSecondsAhead * 1000)
    const find = (kind: string, name = routerName(this.name)) => this.server.get(kind, name)
    const seen = {
      now,
      settings: this.settings,
      controller: this.controller,
      others: this.others,
      platform: this.platform,
      infrastructure: undefined,
      isSingleNode: this.isSingleNode,
      operands: {
        deployment: find('Deployment'),
        loadBalancer: find('Service'),
        internalService: find('Service', internalServiceName(this.name)),
        nodePortService: find('Service', nodePortServiceName(this.name)),
        disruptionBudget: find('PodDisruptionBudget'),
        ingressClass: find('IngressClass', ingressClassName(this.name)),
      },
      pods: this.pods,
      nodes: this.nodes,
      hostPortPods: this.hostPortPods,
      nodePortServices: this.nodePortServices,
      contestedIngresses: this.contestedIngresses,
      contestedFields: this.#contests.of(this.name, this.controller, now),
      cloudEvents: [...this.cloudEvents],
      problems: this.problems,
    }
    return frozen(seen) as unknown as Snapshot
  }

  decide(): Decision {
    return decide(this.snapshot())
  }

  /** As the reconciler goes about it: acts until there is nothing left to do, then writes the status. */
  settle(mostRounds = 10): Decision {
    for (let round = 0; round < mostRounds; round++) {
      const decision = this.decide()
      decision.actions.forEach((action) => this.applyAction(action))
      const isGone = this.server.get('IngressController', this.name) === undefined
      if (decision.actions.length === 0 || isGone) {
        if (!isGone && !this.#report(decision)) return decision
        if (isGone) return decision
      }
    }
    throw new Error(`Not settled after ${mostRounds} rounds: ${JSON.stringify(this.decide())}`)
  }

  applyAction(action: Action): void {
    const object = action.object as AnyObject
    const { controller } = this
    if (action.do === 'create')
      this.server.create('portcullis', { ...object, kind: object.kind ?? action.kind.kind })
    else if (action.do === 'update') this.server.patch('portcullis', object, action.patch)
    else this.server.delete(object)
    if (action.event !== undefined) this.events.push(action.event)
    this.#contests.wrote(this.name, controller, action, this.server.now)
  }

  /** @returns whether the status was another */
  #report({ status, events }: Decision): boolean {
    const { controller } = this
    const change = status && mergePatchBetween(controller.status ?? {}, status)
    if (change === undefined) return false
    this.server.patch('portcullis', controller, { status: change })
    this.events.push(...events)
    return true
  }

  /** From nothing to a controller that is published, available and settled. */
  published(...addresses: readonly string[]): this {
    this.settle()
    if (this.server.get('Service', routerName(this.name)) !== undefined)
      this.cloudProvides(...(addresses.length > 0 ? addresses : [defaultAddress(this)]))
    this.routersRun()
    this.settle()
    return this
  }

  // ── what a test looks at ──

  get controller(): AnyObject {
    return this.#existing('IngressController', this.name)
  }

  get service(): AnyObject {
    return this.#existing('Service', routerName(this.name))
  }

  get deployment(): AnyObject {
    return this.#existing('Deployment', routerName(this.name))
  }

  get annotations(): Record<string, string> {
    return this.service.metadata.annotations ?? {}
  }

  /** As it was last written. */
  condition(type: string): { status: string; reason: string; message: string; lastTransitionTime: string } {
    const found = findCondition(this.controller.status?.conditions as never[], type)
    if (found === undefined) throw new Error(`There is no condition ${type}.`)
    return found
  }

  #existing(kind: string, name: string): AnyObject {
    const object = this.server.get(kind, name)
    if (object === undefined) throw new Error(`There is no ${kind} ${name}.`)
    return object
  }

  #nameOf(kind: string): string {
    return kind === 'IngressController' ? this.name : routerName(this.name)
  }
}

function defaultAddress({ platform: { platform }, service }: Scene): string {
  if (platform?.name !== 'AWS') return '203.0.113.7'
  const isInternal = service.metadata.annotations?.['service.beta.kubernetes.io/aws-load-balancer-internal']
  return `${isInternal === undefined ? '' : 'internal-'}a1b2-17.us-east-1.elb.amazonaws.com`
}
