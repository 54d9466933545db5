import type { Storage } from '@portcullis/kube'
import { applyMergePatch, isSameJson, type MergePatch, type Random } from '@portcullis/kube'
import {
  type AddressSettings,
  addressSettingsOf,
  type OperatorConfiguration,
  operatorConfiguration,
} from '@portcullis/operator'
import type { CloudPlatformName } from '@portcullis/sandbox/internal/controllers/cloud/platforms.ts'
import type { AnyObject } from '@portcullis/schema'
import { Api, beginning, operatorNamespace, user, type WriteMode } from './api.ts'
import { Cloud } from './cloud.ts'
import { OperatorProcess } from './operator-process.ts'
import { seeded } from './random.ts'
import { SimulatedClock } from './simulated-clock.ts'
import { Traffic } from './traffic.ts'
import type { Interference, WireOptions } from './wire.ts'
import { Workloads } from './workloads.ts'

export interface SimulationOptions {
  /** The simulation that it continues, quiescent and without its operators; a new cluster unless given. */
  readonly after?: Simulation
  readonly storage: Storage
  readonly platform: CloudPlatformName
  readonly seed: number
  readonly operators: number
  /** By how much the clocks of the operators are ahead, one after the other as they are started; not at all unless given. */
  readonly clocksAheadMs?: readonly number[] | undefined
  readonly interference: Interference
  readonly onRequest?: WireOptions['onRequest']
  /** From the cache by default. */
  readonly writeMode?: WriteMode
}

/** What comes later than this after what came before has nothing to do with it: the simulation is quiescent until then. */
const restMs = 6_500

/** Long enough for a leader to be lost, another to be found, and all to be done. */
const electionMs = 30_000

/** By then an operator has given up whatever hangs or is silent, be it three times in a row. */
const longestMs = 600_000

/** So much happens in no story: what is not at rest by then never will be. */
const mostTurns = 30_000

/** As long as a client that watches an object takes to write to it. */
const otherWriterMs = 5
/** So often they write: who answers them without end is found out long before. */
const otherWriterPatience = 100

const noConfiguration: Partial<OperatorConfiguration> = {}
const read = new WeakMap<Partial<OperatorConfiguration>, AddressSettings>()

/** Most operators are sent the same: it is parsed once. */
function addressesIn(configuration: Partial<OperatorConfiguration>): AddressSettings {
  const settings =
    read.get(configuration) ??
    addressSettingsOf(operatorConfiguration.parse({ operatorNamespace, ...configuration }))
  read.set(configuration, settings)
  return settings
}

/** The API server did not do what a user asked for. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError'
}

/** Nothing came to rest. */
export class RestlessError extends Error {
  override readonly name = 'RestlessError'
}

/**
 * A cluster and its operators in one thread, on one clock, without a socket or a timer: what happens depends on the
 * seed and on the interference alone, and can be played again to the letter.
 */
export class Simulation {
  readonly clock: SimulatedClock
  readonly api: Api
  readonly cloud: Cloud
  readonly platform: CloudPlatformName
  readonly isElected: boolean
  readonly traffic = new Traffic()
  readonly operators: OperatorProcess[] = []
  /** Where operators tripped over themselves. */
  readonly defects: string[] = []
  /** The objects that another client wants different. */
  readonly contested = new Set<string>()
  readonly #workloads: Workloads
  readonly #options: SimulationOptions
  readonly #random: Random
  #configuration: Partial<OperatorConfiguration>
  #born: number
  #turns = 0
  #hasEnded = false

  constructor(options: SimulationOptions) {
    const { after, storage, platform, seed, writeMode = 'remembers' } = options
    this.#options = options
    // Another one than the simulation before it had, or its uids would come again.
    const revision = after?.api.storage.revision ?? 0
    this.#random = seeded(seed + revision)
    this.#born = after === undefined ? 0 : after.#born
    this.#configuration = after === undefined ? noConfiguration : after.#configuration
    this.platform = platform
    this.isElected = options.operators > 1
    this.clock = new SimulatedClock(after?.clock.monotonic())
    const forked = (after?.api.storage ?? storage).fork()
    this.api = new Api(forked, this.clock, seeded(-seed - revision), writeMode, after?.api)
    this.cloud = new Cloud(this.api, this.clock, platform, after?.cloud)
    this.#workloads = new Workloads(this.api, this.clock, after === undefined ? undefined : after.#workloads)
  }

  static async on(options: Omit<SimulationOptions, 'storage'>): Promise<Simulation> {
    // A turn of Node's loop, in which messages are sent and what is no longer referenced is released: simulations have none.
    await new Promise((resolve) => setImmediate(resolve))
    return new Simulation({ ...options, storage: await beginning(options.platform) })
  }

  /** The settings of the operators, besides those that all simulations share. */
  get configuration(): Partial<OperatorConfiguration> {
    return this.#configuration
  }

  startOperators(): void {
    for (let index = 0; index < this.#options.operators; index++) this.#start(index)
  }

  #start(index: number): void {
    const { interference, onRequest = () => {}, clocksAheadMs = [] } = this.#options
    const born = ++this.#born
    const operator: OperatorProcess = new OperatorProcess({
      name: `operator-${born}`,
      clockAheadMs: clocksAheadMs[born % clocksAheadMs.length] ?? 0,
      api: this.api,
      clock: this.clock,
      random: this.#random,
      traffic: this.traffic,
      interference,
      onRequest,
      isElected: this.isElected,
      addresses: addressesIn(this.#configuration),
      onDefect: (message) => this.defects.push(message),
      // Its Deployment starts it anew.
      onDeath: () => {
        if (!this.#hasEnded) this.clock.after(300, () => this.#start(index))
      },
    })
    this.operators[index] = operator
    operator.run()
  }

  /** Configures the operators differently from now on: they are started anew, as after a change of their Deployment. */
  configureOperators(configuration: Partial<OperatorConfiguration>): void {
    this.#configuration = configuration
    for (const operator of this.operators) operator.die()
  }

  /** Stops the leader, and leaves it the time to end in good order. */
  stopLeader(): void {
    void this.operators.find(({ leads }) => leads)?.stop()
  }

  /** Lets everything happen that follows from what has happened. Those who stand for election never rest. */
  async rest(): Promise<void> {
    if (this.isElected) await this.pass(electionMs)
    const end = this.clock.monotonic() + longestMs
    while (!this.isElected || this.traffic.pending > 0) {
      await settle()
      const next = this.clock.nextAt
      if (next === undefined) return
      if (this.traffic.pending === 0 && next - this.clock.monotonic() > restMs) return
      if (next > end && this.traffic.pending > 0)
        throw new RestlessError(`Something still hangs or is silent after ${longestMs / 1000} s`)
      this.#fire()
    }
  }

  /** Lets time pass, whatever happens in it. */
  async pass(milliseconds: number): Promise<void> {
    const end = this.clock.monotonic() + milliseconds
    // So that there is something due at the end.
    this.clock.after(milliseconds, () => {})
    await settle()
    while ((this.clock.nextAt ?? Infinity) <= end) {
      this.#fire()
      await settle()
    }
  }

  #fire(): void {
    if (++this.#turns > mostTurns) throw new RestlessError(`There is no rest after ${mostTurns} turns`)
    this.clock.fireNext()
  }

  /** Ends everything that runs. */
  end(): void {
    this.#hasEnded = true
    for (const operator of this.operators) operator.die()
  }

  /**
   * Another manager changes an object whenever it differs from what it wants, until this simulation ends. It takes its time, as
   * a client that watches it does.
   */
  insist(collection: string, path: string, patch: object): void {
    const [namespace, , name] = path.split('/').slice(-3)
    const key = `${namespace}/${name}`
    const isContent = () => {
      const object = this.api.storage.get(collection, key)
      return object === undefined || isSameJson(applyMergePatch(object, patch as MergePatch), object)
    }
    let isComing = false
    let patience = otherWriterPatience
    const come = () => {
      if (isComing || patience === 0 || isContent()) return
      isComing = true
      this.clock.after(otherWriterMs, () => {
        isComing = false
        patience--
        if (!this.#hasEnded && !isContent()) this.ask('PATCH', path, patch, 'rival')
      })
    }
    this.api.observe((entry, writer) => {
      if (writer !== user && entry.collection === collection && entry.key === key) come()
    })
    this.contested.add(`${collection} ${key}`)
    come()
  }

  /** What a user does, with kubectl. */
  ask(method: string, path: string, body?: object, manager = 'kubectl-edit'): AnyObject {
    const answer = this.api.as(user, () =>
      this.api.answer({
        method,
        path: method === 'PATCH' ? `${path}?fieldManager=${manager}` : path,
        contentType: method === 'PATCH' ? 'application/merge-patch+json' : 'application/json',
        body: body && JSON.stringify(body),
        userAgent: 'kubectl/1',
      }),
    )
    if (!('status' in answer) || answer.status >= 300)
      throw new RefusedError(`${method} ${path}: ${JSON.stringify(answer)}`)
    return JSON.parse(answer.body) as AnyObject
  }
}

/**
 * Lets every promise that can settle do so: what is put off to the next tick comes when no promise has anything left to
 * do. There are hundreds of these in a history, and a turn of Node's loop for each would cost more.
 */
function settle(): Promise<void> {
  return new Promise<void>((resolve) => process.nextTick(resolve))
}
