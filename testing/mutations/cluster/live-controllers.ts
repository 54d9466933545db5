import { setTimeout as pause } from 'node:timers/promises'
import {
  type Cached,
  type CacheReader,
  createMetrics,
  Deployment,
  findCondition,
  IngressClass,
  type Kind,
  type KubeObject,
  keyOf,
  Manager,
  PodDisruptionBudget,
  Service,
} from '@portcullis/kube'
import { IngressController } from '@portcullis/operator'
import {
  ingressClassName,
  internalServiceName,
  nodePortServiceName,
  ownerOf,
  routerName,
  templateHashLabel,
} from '@portcullis/operator/internal/ingress/names.ts'
import { isVolatile } from '../../clusters/volatile-fields.ts'
import type { Cluster } from '../../e2e/cluster.ts'
import { connect, type Running, start, systemParts } from '../../e2e/start-manager.ts'
import type { ObservedController } from '../exceptions.ts'
import type { State } from '../state.ts'
import type { JsonObject } from '../values.ts'

/** So long after the last change nothing more comes of what was done. */
const quietMs = 250
/** Other tests may keep all cores busy. */
const patienceMs = 60_000

/** Statements that depend on nothing but what is declared and what the cloud has made of it. */
const comparedConditions = [
  'Admitted',
  'AllFieldsSupported',
  'LoadBalancerManaged',
  'LoadBalancerProgressing',
  'LoadBalancerReady',
  'OperandsManaged',
]

/** All controllers of one cluster as they are at each moment, by watching rather than by asking. */
export class LiveControllers {
  readonly #cluster: Cluster
  readonly #caches: ReadonlyMap<string, CacheReader<KubeObject, never>>
  readonly #changedAt = new Map<string, number>()
  /** The generation of each controller that must be seen, at least. */
  readonly #expected = new Map<string, number>()
  readonly #running: Running
  readonly #close: () => Promise<void>

  constructor(cluster: Cluster) {
    this.#cluster = cluster
    const { operatorNamespace, operandNamespace } = cluster.settings
    const client = connect(cluster.testCluster.access, 'onlooker')
    const manager = new Manager({
      ...systemParts,
      client,
      metrics: createMetrics('portcullis'),
      name: 'onlooker',
      instance: 'onlooker-0',
    })
    const watched: readonly (readonly [Kind, string | undefined])[] = [
      [IngressController, operatorNamespace],
      [Service, operandNamespace],
      [Deployment, operandNamespace],
      [PodDisruptionBudget, operandNamespace],
      [IngressClass, undefined],
    ]
    this.#caches = new Map(
      watched.map(([kind, namespace]) => {
        const store = manager.watch<KubeObject>(
          kind,
          namespace === undefined ? {} : { selection: { namespace } },
        )
        store.subscribe(({ object }) => {
          const owner = kind.kind === 'IngressController' ? object.metadata.name : ownerOf(object)
          if (owner !== undefined) this.#changedAt.set(owner, performance.now())
        })
        return [kind.kind, store]
      }),
    )
    this.#running = start(manager)
    this.#close = () => client.close()
  }

  /** Resolves when everything that there is has been seen. */
  async synced(): Promise<void> {
    await Promise.all([...this.#caches.values()].map((cache) => cache.synced()))
  }

  async stop(): Promise<void> {
    await this.#running.stop()
    await this.#close()
  }

  /** Something was written, and perhaps is not to be seen yet. */
  expect({ metadata: { name, generation = 0 } }: Cached<KubeObject>): void {
    this.#expected.set(name, generation)
    this.#changedAt.set(name, performance.now())
  }

  /** Waits until the Service that is there now is gone. */
  async serviceGoes(name: string): Promise<void> {
    const uid = this.#operand('Service', routerName(name))?.metadata.uid
    await this.#until(
      name,
      'let its Service go',
      () => this.#operand('Service', routerName(name))?.metadata.uid !== uid,
    )
    this.#changedAt.set(name, performance.now())
  }

  controller(name: string): Cached<KubeObject> | undefined {
    return this.#get('IngressController', name, this.#cluster.settings.operatorNamespace)
  }

  seen(name: string): ObservedController {
    return {
      controller: this.controller(name) ?? {},
      service: this.#operand('Service', routerName(name)),
      hasNodePortService: this.#operand('Service', nodePortServiceName(name)) !== undefined,
      // Nobody changes Infrastructure here.
      wasMadeForAnother: false,
    }
  }

  /** Waits until the operator has answered to the spec. */
  async answered(name: string): Promise<void> {
    await this.#until(name, 'answer', () => this.#isAnswered(name))
  }

  #isAnswered(name: string): boolean {
    const { metadata, status } = this.seen(name).controller
    const generation = metadata?.generation ?? -1
    return status?.observedGeneration === generation && generation >= (this.#expected.get(name) ?? 0)
  }

  /** Waits until the cloud has answered to the operator too, and nothing more comes of it. */
  async settled(name: string): Promise<void> {
    await this.#until(name, 'settle', () => {
      const { controller, service } = this.seen(name)
      const { status } = controller
      const is = (type: string, value: string) => findCondition(status?.conditions, type)?.status === value
      const waitsForCloud =
        is('Admitted', 'True') && is('LoadBalancerManaged', 'True') && !is('LoadBalancerReady', 'True')
      const isLeaving = (service as Cached<KubeObject> | undefined)?.metadata.deletionTimestamp !== undefined
      return this.#isAnswered(name) && !waitsForCloud && !isLeaving && this.#isQuiet(name)
    })
  }

  async isGone(name: string): Promise<void> {
    await this.#until(name, 'go', () => this.controller(name) === undefined && this.stateOf(name).size === 0)
  }

  #isQuiet(name: string): boolean {
    return performance.now() - (this.#changedAt.get(name) ?? 0) > quietMs
  }

  async #until(name: string, what: string, isSo: () => boolean): Promise<void> {
    const deadline = performance.now() + patienceMs
    while (!isSo()) {
      if (performance.now() > deadline) throw new Error(`${name} does not ${what}: ${this.#progress(name)}`)
      await pause(20)
    }
  }

  /** The state of a controller, for the error of a wait that timed out. */
  #progress(name: string): string {
    const { metadata, status } = this.seen(name).controller
    const conditions = (status?.conditions ?? [])
      .filter(({ type }) => comparedConditions.includes(type))
      .map(({ type, status, message }) => `${type} ${status} ${message}`)
    const quietForMs = Math.round(performance.now() - (this.#changedAt.get(name) ?? 0))
    return [
      `generation ${metadata?.generation}, of ${this.#expected.get(name)}, answered ${status?.observedGeneration}, quiet for ${quietForMs} ms`,
      ...conditions,
    ].join('; ')
  }

  /** Everything of a controller by kind, without what chance and its pods decide, and without its name. */
  stateOf(name: string): State {
    const operands: readonly (readonly [string, Cached<KubeObject> | undefined])[] = [
      ['Service load balancer', this.#operand('Service', routerName(name))],
      ['Service internal', this.#operand('Service', internalServiceName(name))],
      ['Service node ports', this.#operand('Service', nodePortServiceName(name))],
      ['Deployment', this.#operand('Deployment', routerName(name))],
      ['PodDisruptionBudget', this.#operand('PodDisruptionBudget', routerName(name))],
      ['IngressClass', this.#caches.get('IngressClass')?.get(ingressClassName(name))],
    ]
    const state = new Map<string, JsonObject>()
    for (const [key, object] of operands) if (object !== undefined) state.set(key, normalised(object, name))
    const controller = this.controller(name)
    if (controller !== undefined) state.set('IngressController', normalised(controller, name))
    return state
  }

  #operand(kind: string, name: string): Cached<KubeObject> | undefined {
    return this.#get(kind, name, this.#cluster.settings.operandNamespace)
  }

  #get(kind: string, name: string, namespace: string): Cached<KubeObject> | undefined {
    return this.#caches.get(kind)?.get(keyOf({ namespace, name }))
  }
}

/** The spec of operands, and the status of the controller. */
function normalised(object: Cached<KubeObject>, name: string): JsonObject {
  const { metadata, spec, status, kind } = object as Cached<KubeObject> & JsonObject
  const isController = kind === 'IngressController'
  const kept = {
    metadata: { labels: metadata.labels, annotations: withoutRevision(metadata.annotations) },
    ...(isController
      ? { status: normalisedStatus(status as ObservedController['controller']['status']) }
      : { spec }),
  }
  const text = JSON.stringify(kept, (field, value: unknown) =>
    isVolatile(field, value) ? undefined : inOrder(field, value),
  )
  // A template is hashed with the names that are in it.
  const hash = new RegExp(text.match(`"${templateHashLabel}":"(\\w+)"`)?.[1] ?? '(?!)', 'g')
  return JSON.parse(
    text.replaceAll(name, 'NAME').replace(addresses, 'ADDRESS').replace(hash, 'HASH'),
  ) as JsonObject
}

/** What the cloud gave. */
const addresses =
  /(internal-)?[\w-]+\.(elb\.)?us-east-1\.(elb\.)?amazonaws\.com|\b[\da-f]{8}-us-south\.lb\.appdomain\.cloud|\b(?:\d{1,3}\.){3}\d{1,3}\b(?!\/)/g

/** By the controller of Deployments. */
function withoutRevision(
  annotations: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(annotations).filter(([key]) => key !== 'deployment.kubernetes.io/revision'),
  )
}

function normalisedStatus(status: ObservedController['controller']['status']): object {
  const {
    conditions = [],
    endpointPublishingStrategy,
    domain,
    namespaceSelector,
    routeSelector,
  } = status ?? {}
  return {
    endpointPublishingStrategy,
    domain,
    namespaceSelector,
    routeSelector,
    conditions: conditions
      .filter(({ type }) => comparedConditions.includes(type))
      .toSorted((one, other) => (one.type < other.type ? -1 : 1)),
  }
}

/** The order of these is that in which they came to be wanted. */
function inOrder(field: string, value: unknown): unknown {
  if (Array.isArray(value) && ['env', 'ports', 'volumes', 'volumeMounts'].includes(field))
    return value.toSorted((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1))
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)))
}
