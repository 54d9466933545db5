import { setTimeout as pause } from 'node:timers/promises'
import { ApiError, type Client, Ingress, isAlreadyExists, isNotFound, Node, Service } from '@portcullis/kube'
import { IngressController, type Settings } from '@portcullis/operator'
import { ingressClassName, routerName } from '@portcullis/operator/internal/ingress/names.ts'
import { aController, aNode, anIngress, type Population, strategyOf, types } from './population.ts'

export interface ChurnParts {
  readonly client: Client
  readonly settings: Settings
  readonly population: Population
  readonly random: () => number
  /** Where Ingresses are. */
  readonly namespace: string
}

/** What happens in a busy cluster, by how often it does among a hundred changes. */
const shares = {
  'Ingress created': 30,
  'Ingress deleted': 30,
  'Ingress moved to another class': 15,
  'scope changed': 6,
  'type changed': 5,
  'load balancer replaced by hand': 3,
  'controller deleted, another created': 2,
  'node cordoned or back': 3,
  'node with another address': 3,
  'node replaced': 3,
} as const

export type Change = keyof typeof shares

/** A change that has been decided on. */
interface PlannedChange {
  /** The names of all objects that it concerns; no two have the same. */
  readonly whom: readonly string[]
  readonly task: () => Promise<unknown>
}

/** Users, nodes and the cloud, at work. */
export class Churn {
  readonly #parts: ChurnParts
  readonly done = new Map<Change, number>()
  /** By the name of an object: the last of what is to become of it. */
  readonly #underWay = new Map<string, Promise<void>>()

  constructor(parts: ChurnParts) {
    this.#parts = parts
  }

  /** Makes changes at an even pace until stopped; a request to an unavailable API server is retried. */
  async run(perMinute: number, stop: AbortSignal): Promise<void> {
    const pauseMs = 60_000 / perMinute
    const begun = performance.now()
    const under = new Set<Promise<void>>()
    for (let number = 1; !stop.aborted; number++) {
      const change = this.#chosen()
      const task: Promise<void> = this.#execute(change).finally(() => under.delete(task))
      under.add(task)
      if (under.size > 50) await Promise.race(under)
      const ahead = begun + number * pauseMs - performance.now()
      if (ahead > 0) await pause(ahead, undefined, { signal: stop }).catch(() => {})
    }
    await Promise.all(under)
  }

  async #execute(change: Change): Promise<void> {
    const { whom, task } = this.#changes[change]()
    await this.#inTurn(whom, () => untilDone(task))
    this.done.set(change, (this.done.get(change) ?? 0) + 1)
  }

  /** What concerns the same object happens in the order in which it was decided. */
  async #inTurn(whom: readonly string[], task: () => Promise<void>): Promise<void> {
    const before = Promise.all(whom.map(async (each) => this.#underWay.get(each)))
    const own = before.then(task)
    for (const each of whom) this.#underWay.set(each, own)
    try {
      await own
    } finally {
      for (const each of whom) if (this.#underWay.get(each) === own) this.#underWay.delete(each)
    }
  }

  #chosen(): Change {
    let left = this.#parts.random() * 100
    for (const [change, share] of Object.entries(shares)) {
      left -= share
      if (left < 0) return change as Change
    }
    return 'Ingress created'
  }

  /** Each decides at once what becomes of whom, and how; that may be tried several times. */
  readonly #changes: Readonly<Record<Change, () => PlannedChange>> = {
    'Ingress created': () => {
      const { client, population, namespace } = this.#parts
      const [name, controller] = [population.nextIngress(), this.#someController()]
      population.ingresses.set(name, controller)
      return { whom: [name], task: () => client.create(Ingress, anIngress(namespace, name, controller)) }
    },
    'Ingress deleted': () => {
      const { client, population, namespace } = this.#parts
      const name = this.#some([...population.ingresses.keys()])
      population.ingresses.delete(name)
      return { whom: [name], task: () => client.delete(Ingress, { namespace, name }) }
    },
    'Ingress moved to another class': () =>
      this.#move(this.#some([...this.#parts.population.ingresses.keys()])),
    'scope changed': () => {
      const name = this.#someController('LoadBalancerService')
      const before = this.#parts.population.controllers.get(name)?.loadBalancer?.scope
      return this.#publish(name, 'LoadBalancerService', before === 'Internal' ? 'External' : 'Internal')
    },
    'type changed': () => this.#publish(this.#someController(), this.#some(types), 'External'),
    'load balancer replaced by hand': () => {
      const { client, settings } = this.#parts
      const name = routerName(this.#someController('LoadBalancerService'))
      return {
        whom: [name],
        task: () => client.delete(Service, { namespace: settings.operandNamespace, name }),
      }
    },
    'controller deleted, another created': () => {
      const { client, settings, population } = this.#parts
      const { operatorNamespace: namespace } = settings
      const gone = this.#someController()
      population.controllers.delete(gone)
      const [name, strategy] = [population.nextController(), strategyOf(this.#some(types), 'External')]
      population.controllers.set(name, strategy)
      const moves = [...population.ingresses].flatMap(([ingress, controller]) =>
        // Some users take longer than others to notice.
        controller === gone && this.#parts.random() < 0.8 ? [this.#move(ingress, name)] : [],
      )
      const task = async () => {
        await client.create(IngressController, aController(namespace, name, strategy)).catch(unlessThere)
        for (const move of moves) await move.task().catch(unlessMissing)
        await client.delete(IngressController, { namespace, name: gone })
      }
      return { whom: [gone, name, ...moves.flatMap(({ whom }) => whom)], task }
    },
    'node cordoned or back': () => {
      const { client, population, random } = this.#parts
      const name = this.#some([...population.nodes.keys()])
      // Most are in use at any time.
      const body = { spec: { unschedulable: random() < 0.3 ? true : null } }
      return { whom: [name], task: () => client.patch(Node, { name }, { type: 'merge', body }) }
    },
    'node with another address': () => {
      const { client, population } = this.#parts
      const name = this.#some([...population.nodes.keys()])
      const { address } = population.nextNode()
      const { status } = aNode({ name, address })
      const body = { status: { addresses: status.addresses } }
      const options = { subresource: 'status' } as const
      return { whom: [name], task: () => client.patch(Node, { name }, { type: 'merge', body }, options) }
    },
    'node replaced': () => {
      const { client, population } = this.#parts
      const gone = this.#some([...population.nodes.keys()])
      population.nodes.delete(gone)
      const next = population.nextNode()
      population.nodes.set(next.name, next.address)
      const task = async () => {
        await client.create(Node, aNode(next)).catch(unlessThere)
        await client.delete(Node, { name: gone })
      }
      return { whom: [gone, next.name], task }
    },
  }

  #move(name: string, to = this.#someController()): PlannedChange {
    const { client, population, namespace } = this.#parts
    population.ingresses.set(name, to)
    const body = { spec: { ingressClassName: ingressClassName(to) } }
    return { whom: [name], task: () => client.patch(Ingress, { namespace, name }, { type: 'merge', body }) }
  }

  #publish(name: string, type: (typeof types)[number], scope: 'External' | 'Internal'): PlannedChange {
    const { client, settings, population } = this.#parts
    const strategy = strategyOf(type, scope)
    population.controllers.set(name, strategy)
    const others = { loadBalancer: null, hostNetwork: null, nodePort: null, private: null }
    const body = { spec: { endpointPublishingStrategy: { ...others, ...strategy } } }
    const ref = { namespace: settings.operatorNamespace, name }
    return { whom: [name], task: () => client.patch(IngressController, ref, { type: 'merge', body }) }
  }

  #someController(type?: (typeof types)[number]): string {
    const { controllers } = this.#parts.population
    const fitting = [...controllers].filter(([, strategy]) => type === undefined || strategy.type === type)
    return this.#some(fitting.length === 0 ? [...controllers.keys()] : fitting.map(([name]) => name))
  }

  #some<T>(choices: readonly T[]): T {
    return choices[Math.floor(this.#parts.random() * choices.length)] as T
  }
}

async function untilDone(task: () => Promise<unknown>): Promise<void> {
  for (;;) {
    try {
      await task()
      return
    } catch (error) {
      // It was carried out before the connection broke, or by another change: it is as it should be.
      if (isNotFound(error) || isAlreadyExists(error)) return
      // A token is not known yet while the API server starts.
      const isRefused = error instanceof ApiError && [400, 405, 415, 422].includes(error.code)
      if (isRefused) throw error
      await pause(250)
    }
  }
}

function unlessThere(error: unknown): void {
  if (!isAlreadyExists(error)) throw error
}

function unlessMissing(error: unknown): void {
  if (!isNotFound(error)) throw error
}
