import { setTimeout as pause } from 'node:timers/promises'
import {
  type Client,
  createMetrics,
  findCondition,
  Ingress,
  Manager,
  Namespace,
  Node,
} from '@portcullis/kube'
import { defaultSettings, IngressController, type Settings } from '@portcullis/operator'
import { registerCloud } from '@portcullis/sandbox/internal/controllers/cloud/cloud.ts'
import { ClusterCaches } from '@portcullis/sandbox/internal/controllers/cluster-caches.ts'
import { inParallel } from '../../bench/ingresses.ts'
import { type ControlPlane, startControlPlane } from '../clusters/control-plane.ts'
import { imageNodejs } from '../clusters/nodejs/image-nodejs.ts'
import { adminAccess } from '../clusters/test-client.ts'
import { install } from '../e2e/install.ts'
import { connect, type Running, start, systemParts } from '../e2e/start-manager.ts'
import { seeded } from '../faults/simulation/random.ts'
import { Churn } from './churn.ts'
import { convergenceProblems } from './convergence.ts'
import type { HeapSample } from './heap-growth.ts'
import { Operator, Operators } from './operators.ts'
import type { EnduranceOptions } from './options.ts'
import { aController, aNode, anIngress, Population, strategyOf, types } from './population.ts'

const settings: Settings = { ...defaultSettings, platform: 'AWS' }
const namespace = 'shops'
const minuteMs = 60_000
/** So long at most may everything take to come to rest. */
const patienceMs = 15 * minuteMs
/**
 * Everything that can cost a leader its place happens in so many minutes, whatever follows: who leads in the third leads to
 * the end, and what grows in that process is seen to grow.
 */
const troubledMinutes = 2

export interface EnduranceReport {
  readonly convergedAfterSeconds: number
  readonly settledAfterSeconds: number
  readonly changes: Readonly<Record<string, number>>
  readonly heap: readonly HeapSample[]
  /** From one leader's end to the next one's beginning. */
  readonly withoutLeaderSeconds: readonly number[]
  readonly restartSeconds: readonly number[]
  /** What operators logged as errors: most of it while the API server was away. */
  readonly errors: readonly string[]
  /** Empty if all is well. */
  readonly problems: readonly string[]
}

/** Fills a cluster, plays a busy hour with failures, and reports the state that is left. */
export async function endure(
  options: EnduranceOptions,
  say: (line: string) => void,
): Promise<EnduranceReport> {
  const nodejs = await imageNodejs(say)
  const plane = await startControlPlane({ nodes: 0, nodeLeaseSeconds: 120, nodeGraceSeconds: 600, log: say })
  const client = connect(await adminAccess(plane), 'endurance')
  let cloud: Running | undefined
  let operators: Operators | undefined
  try {
    const population = await populate(client, options, say)
    cloud = await startCloud(plane)
    say(`Starting ${options.operators} operators on Node ${nodejs.version}`)
    operators = await Operators.start(options.operators, () =>
      Operator.start(nodejs, options.program, plane.kubeconfigPath, settings),
    )
    return await new Endurance({ options, say, plane, client, population, operators }).run()
  } finally {
    await operators?.stop()
    await cloud?.stop()
    await client.close()
    await plane.stop()
  }
}

interface Parts {
  readonly options: EnduranceOptions
  readonly say: (line: string) => void
  readonly plane: ControlPlane
  readonly client: Client
  readonly population: Population
  readonly operators: Operators
}

class Endurance {
  readonly #parts: Parts
  readonly #heap: HeapSample[] = []
  readonly #withoutLeader: number[] = []
  readonly #restarts: number[] = []

  constructor(parts: Parts) {
    this.#parts = parts
  }

  async run(): Promise<EnduranceReport> {
    const { options, say, client, population, operators } = this.#parts
    const convergedAfterSeconds = await this.#untilSettled()
    say(`All is at rest after ${convergedAfterSeconds.toFixed(0)} s.`)

    const churn = new Churn({ client, settings, population, namespace, random: seeded(options.seed) })
    const over = AbortSignal.timeout(options.churnMinutes * minuteMs)
    const troubles = Promise.all([this.#restartApiServer(), this.#killLeaders(), this.#sampleHeap(over)])
    await churn.run(options.changesPerMinute, over)
    await troubles
    const changes = Object.fromEntries(churn.done)
    say(`Churn is over: ${JSON.stringify(changes)}`)

    const settledAfterSeconds = await this.#untilSettled()
    say(`All is at rest ${settledAfterSeconds.toFixed(0)} s later.`)
    await this.#sampleLeaderHeap(options.churnMinutes)
    return {
      convergedAfterSeconds,
      settledAfterSeconds,
      changes,
      heap: this.#heap,
      withoutLeaderSeconds: this.#withoutLeader,
      restartSeconds: this.#restarts,
      errors: operators.all.flatMap((operator) => operator.errors),
      problems: await this.#problems(),
    }
  }

  /** @returns after how many seconds nothing was left to do */
  async #untilSettled(): Promise<number> {
    const { say } = this.#parts
    const begun = performance.now()
    for (;;) {
      const problems = await this.#problems()
      const elapsed = performance.now() - begun
      if (problems.length === 0) return elapsed / 1000
      if (elapsed > patienceMs)
        throw new Error(
          `There is no rest after ${patienceMs / minuteMs} minutes:\n${problems.slice(0, 30).join('\n')}`,
        )
      say(
        `${(elapsed / 1000).toFixed(0)} s: ${problems.length} things are left, such as: ${problems[0]?.slice(0, 300)}`,
      )
      await pause(5_000)
    }
  }

  async #problems(): Promise<string[]> {
    const { client, population, operators } = this.#parts
    const problems = await convergenceProblems(client, settings, population)
    const leader = await operators.leader()
    for (const name of ['portcullis_queue_depth', 'portcullis_ingress_controller_pending_change_seconds']) {
      const value = await leader.metric(name)
      if (value !== 0) problems.push(`${name} is ${value}`)
    }
    return problems
  }

  /** Alternates graceful restarts and kills, at times when no leader is about to be killed. */
  async #restartApiServer(): Promise<void> {
    const { options, plane, say } = this.#parts
    const begun = performance.now()
    for (const [number, at] of moments(options.apiServerRestarts, options.churnMinutes, 0.3, 0.7).entries()) {
      await pauseUntil(begun + at)
      const how = number % 2 === 0 ? 'graceful' : 'kill'
      const stoppedAt = performance.now()
      await plane.restartApiServer(how)
      this.#restarts.push((performance.now() - stoppedAt) / 1000)
      say(`The API server was restarted (${how}) in ${this.#restarts.at(-1)?.toFixed(1)} s.`)
    }
  }

  /** Three kills 45 s apart; the lease of the killed leader takes some 18 s of that to expire. */
  async #killLeaders(): Promise<void> {
    const { options, operators, say } = this.#parts
    const begun = performance.now()
    for (const at of moments(options.leaderKills, options.churnMinutes, 0.1, 0.85)) {
      await pauseUntil(begun + at)
      await operators.killLeader()
      const killedAt = performance.now()
      await operators.leader()
      this.#withoutLeader.push((performance.now() - killedAt) / 1000)
      say(`The leader was killed; another leads after ${this.#withoutLeader.at(-1)?.toFixed(1)} s.`)
    }
  }

  async #sampleHeap(over: AbortSignal): Promise<void> {
    const { options } = this.#parts
    const begun = performance.now()
    for (let minute = 1; minute < options.churnMinutes; minute++) {
      await pauseUntil(begun + minute * minuteMs, over)
      if (over.aborted) return
      await this.#sampleLeaderHeap(minute)
    }
  }

  async #sampleLeaderHeap(minute: number): Promise<void> {
    const { operators, say } = this.#parts
    const leader = await operators.leader()
    const bytes = await leader.heap().catch(() => undefined) // It was killed just now.
    if (bytes === undefined) return
    this.#heap.push({ minute, pid: leader.pid, megabytes: bytes / 1e6 })
    say(`Minute ${minute}: the leader (${leader.pid}) needs ${(bytes / 1e6).toFixed(1)} MB of heap.`)
  }
}

/** So many moments (ms from the beginning), between two parts of the time in which there is trouble. */
function moments(count: number, minutes: number, from: number, to: number): number[] {
  const total = Math.min(troubledMinutes, 0.8 * minutes) * minuteMs
  const between = count <= 1 ? 0 : (to - from) / (count - 1)
  return Array.from({ length: count }, (_, number) => (from + number * between) * total)
}

/** Not at all where that moment is over; no longer than until the signal aborts. */
async function pauseUntil(moment: number, signal?: AbortSignal): Promise<void> {
  const left = Math.max(0, moment - performance.now())
  await pause(left, undefined, signal && { signal }).catch(() => {})
}

async function populate(
  client: Client,
  { ingresses, controllers, nodes }: EnduranceOptions,
  say: (line: string) => void,
): Promise<Population> {
  const population = new Population()
  await install(client)
  for (const name of [settings.operatorNamespace, settings.operandNamespace, namespace])
    await client.create(Namespace, { metadata: { name } })
  say(`Creating ${nodes} nodes, ${controllers} IngressControllers and ${ingresses} Ingresses …`)
  await inParallel(nodes, 16, async () => {
    const node = population.nextNode()
    population.nodes.set(node.name, node.address)
    await client.create(Node, aNode(node))
  })
  await inParallel(controllers, 16, async (at) => {
    const name = population.nextController()
    const strategy = strategyOf(types[at % types.length] ?? 'Private', at % 2 === 0 ? 'External' : 'Internal')
    population.controllers.set(name, strategy)
    await client.create(IngressController, aController(settings.operatorNamespace, name, strategy))
  })
  const all = [...population.controllers.keys()]
  await inParallel(ingresses, 16, async (at) => {
    const name = population.nextIngress()
    const controller = all[at % all.length] ?? ''
    population.ingresses.set(name, controller)
    await client.create(Ingress, anIngress(namespace, name, controller))
  })
  await everyNodeReady(client, nodes)
  return population
}

async function everyNodeReady(client: Client, count: number): Promise<void> {
  for (;;) {
    const { items } = await client.list(Node)
    const ready = items.filter(({ status }) => findCondition(status?.conditions, 'Ready')?.status === 'True')
    if (ready.length >= count) return
    await pause(1000)
  }
}

/** The sandbox's cloud, in this process: load balancers in a second. */
async function startCloud(plane: ControlPlane): Promise<Running> {
  const client = connect(await adminAccess(plane), 'cloud')
  const manager = new Manager({
    ...systemParts,
    client,
    metrics: createMetrics('portcullis'),
    name: 'cloud',
    instance: 'cloud-0',
  })
  const { operandNamespace } = settings
  const watch: Manager['watch'] = (kind, options) =>
    manager.watch(kind, {
      ...options,
      ...(kind.kind === 'Service' && { selection: { namespace: operandNamespace } }),
    })
  const timing = {
    provisioningMs: 1000,
    deletionMs: 500,
    slowDeletionMs: 2000,
    retryBaseMs: 1000,
    retryMaxMs: 5000,
  }
  registerCloud({ ...systemParts, manager, caches: new ClusterCaches({ watch }), platform: 'AWS', timing })
  const running = start(manager)
  return {
    async stop() {
      await running.stop()
      await client.close()
    },
  }
}
