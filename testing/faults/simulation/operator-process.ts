import {
  Client,
  type ClusterAccess,
  createMetrics,
  type Logger,
  Manager,
  type Metrics,
  type Random,
  silentLogger,
} from '@portcullis/kube'
import type { LeaseTiming } from '@portcullis/kube/internal/election/lease-timing.ts'
import { type AddressSettings, assembleOperator, defaultSettings, type Settings } from '@portcullis/operator'
import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import { operandNamespace, operatorNamespace, type WriteMode } from './api.ts'
import { readAgain, readFrozen } from './json-text.ts'
import { ProcessClock, type SimulatedClock } from './simulated-clock.ts'
import { Wire, type WireOptions } from './wire.ts'

export interface OperatorOptions extends Omit<WireOptions, 'process'> {
  readonly name: string
  readonly clock: SimulatedClock
  readonly random: Random
  /** Whether it stands for election, as one of several. */
  readonly isElected: boolean
  readonly addresses: AddressSettings
  /** By how much the clock of its machine is ahead of the API server's. */
  readonly clockAheadMs: number
  readonly onDeath: () => void
  /** Called for an error of the operator itself; it may go on as if nothing had been. */
  readonly onDefect: (message: string) => void
}

export const settings: Settings = {
  ...defaultSettings,
  operatorNamespace,
  operandNamespace,
  defaultDomain: 'apps.example.com',
}

export const leaseName = 'portcullis'
/** Shorter than in life by a third, with the same proportions: there is less to wait for. */
const timing: LeaseTiming = { leaseDurationMs: 10_000, renewDeadlineMs: 6_600, retryPeriodMs: 1_400 }

const credential = {}
const access: ClusterAccess = {
  source: 'the simulation',
  server: new URL('https://simulation'),
  namespace: 'default',
  tls: { insecureSkipVerify: false },
  credentials: { current: () => credential, rejected: async () => false },
}

/** How an operator parses what it is sent. */
const readers = {
  'checks every write': readFrozen,
  remembers: readAgain,
} as const satisfies Record<WriteMode, unknown>

/** Nobody reads what is counted, and nothing depends on it: all operators count together, and most not at all. */
const counting = createMetrics('portcullis')
const nothing = { value: () => {} }
const silence = {
  inc: nothing,
  dec: nothing,
  set: nothing,
  observe: nothing,
  remove: nothing,
  reset: nothing,
}

function silenced(metrics: Metrics): Metrics {
  const all = Object.entries(metrics).map(([name, metric]) => [
    name,
    metric instanceof Counter || metric instanceof Gauge || metric instanceof Histogram
      ? (Object.create(metric, silence) as unknown)
      : metric,
  ])
  return Object.fromEntries(all) as Metrics
}

const silent = silenced(counting)

const killed = new Error('killed')

/** Silent but for errors that no API server and no network can make: code that changes what is frozen makes one. */
function logOfDefects(onDefect: (message: string) => void): Logger {
  const note = (fields: object, message: string) => {
    const { err } = fields as { err?: unknown }
    if (err instanceof TypeError || err instanceof ReferenceError || err instanceof RangeError)
      onDefect(message)
  }
  const log: Logger = { ...silentLogger, warn: note, error: note, child: () => log }
  return log
}

type Counted = Metrics['reconciles']

/** A counter that also calls back whenever it counts. */
function observed(counter: Counted, onCount: () => void): Counted {
  const inc = (labels: Parameters<Counted['labels']>[0]) => {
    counter.inc(labels)
    onCount()
  }
  return Object.create(counter, { inc: { value: inc } }) as Counted
}

/** The operator as `portcullis operator` assembles it, with its real client, on a wire instead of a network. */
export class OperatorProcess {
  readonly name: string
  readonly clock: ProcessClock
  readonly #simulatedClock: SimulatedClock
  readonly #wire: Wire
  readonly #stop = new AbortController()
  readonly #manager: Manager
  readonly #onDeath: () => void
  readonly #onDefect: (message: string) => void
  #running: Promise<void> | undefined

  constructor(options: OperatorOptions) {
    const { name, clock: simulatedClock, random, isElected, addresses, onDeath } = options
    this.name = name
    this.#simulatedClock = simulatedClock
    this.#onDeath = onDeath
    this.#onDefect = options.onDefect
    const clock = new ProcessClock(simulatedClock, options.clockAheadMs)
    this.clock = clock
    this.#wire = new Wire({ ...options, process: this })
    const { writeMode } = options.api
    const metrics = writeMode === 'checks every write' ? counting : silent
    const reconciles = observed(metrics.reconciles, () => options.traffic.reconciled())
    const parts = { clock, random, metrics: { ...metrics, reconciles }, log: logOfDefects(options.onDefect) }
    const connect = () =>
      Client.connect({
        ...parts,
        access,
        userAgent: 'portcullis/faults',
        transport: this.#wire,
        parseJson: readers[writeMode],
      })
    this.#manager = new Manager({
      ...parts,
      client: connect(),
      name: 'portcullis',
      instance: name,
      ...(isElected && {
        election: {
          lease: { namespace: operatorNamespace, name: leaseName },
          ...timing,
          client: connect(),
        },
      }),
    })
    const registry = new Registry()
    assembleOperator({ manager: this.#manager, settings, addresses, clock, metrics: { registry } })
    if (metrics === silent)
      for (const metric of registry.getMetricsAsArray()) Object.defineProperties(metric, silence)
  }

  run(): void {
    this.#running = this.#manager.run(this.#stop.signal).catch((error: unknown) => {
      if (!this.clock.isDead) this.#onDefect(String(error))
    })
  }

  get leads(): boolean {
    return this.#manager.leading
  }

  /** At once and without a word, as by SIGKILL. */
  die(): void {
    if (this.clock.isDead) return
    this.clock.die()
    this.#wire.cut()
    this.#onDeath()
    // Nothing comes of this any more, but that signals let go of their listeners.
    this.#stop.abort(killed)
  }

  /** As by SIGTERM: it ends what it has begun, and gives the Lease back. */
  async stop(): Promise<void> {
    this.clock.whenRunning(() => this.#stop.abort(new Error('told to stop')))
    await this.#running
    this.die()
  }

  /** As by SIGSTOP. */
  stopFor(milliseconds: number): void {
    this.clock.stop()
    this.#simulatedClock.after(milliseconds, () => this.clock.goOn())
  }
}
