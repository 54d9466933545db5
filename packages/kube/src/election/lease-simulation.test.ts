import * as fc from 'fast-check'
import type { Lease } from 'kubernetes-types/coordination/v1'
import { describe, expect, it } from 'vitest'
import type { WriteGuard } from '../client/api.ts'
import { ConnectionError } from '../client/errors.ts'
import { type Clock, sleep } from '../clock.ts'
import { silentLogger } from '../log.ts'
import { createMetrics } from '../metrics.ts'
import type { Persisted } from '../objects/objects.ts'
import { type LeaseRequest, LeaseServer } from '../testing/lease-server.ts'
import { VirtualClock } from '../testing/virtual-clock.ts'
import type { LeadershipTerm } from './leadership.ts'
import { LeaderElection } from './lease.ts'

/*
 * The election under faults: several processes, each with clocks of its own, reach one Lease over a network
 * that delays, refuses and loses; processes are stopped, paused and killed; people delete the Lease. A plan of
 * faults and a seed determine everything, so that fast-check prints what replays a failure.
 */

const faultsEndAt = 100_000
const calmFor = 45_000
const leaseDurationMs = 15_000
const longestPauseMs = 2_400
const renewDeadlineMs = 10_000
/**
 * After the last fault: a leader that it costs its term may renew the Lease until the deadline, and not hear of that. Then
 * seeing the last change, waiting out the Lease, the next look at it; clocks differ by 2 %.
 */
const leaderWithin = (renewDeadlineMs + leaseDurationMs + 3 * longestPauseMs) * 1.02

type Network = 'good' | 'refusing' | 'hanging' | 'losing answers' | 'slow'

interface Fault {
  readonly at: number
  /** The leader, if there is one, is the victim that matters. */
  readonly victim: number | 'leader'
  readonly duration: number
  readonly kind:
    | Exclude<Network, 'good'>
    | 'pause'
    | 'kill'
    | 'stop'
    | 'start'
    | 'restart'
    | 'delete the Lease'
}

interface Plan {
  readonly seed: number
  readonly faults: readonly Fault[]
}

const kinds: readonly Fault['kind'][] = [
  'refusing',
  'hanging',
  'losing answers',
  'slow',
  'pause',
  'kill',
  'stop',
  'start',
  'restart',
  'delete the Lease',
]

const faults = fc.record<Fault>({
  at: fc.integer({ min: 0, max: faultsEndAt }),
  victim: fc.oneof(fc.constant('leader' as const), fc.nat({ max: 5 })),
  duration: fc.integer({ min: 0, max: 30_000 }),
  kind: fc.constantFrom(...kinds),
})

const plans: fc.Arbitrary<Plan> = fc.record({
  seed: fc.nat(),
  faults: fc.array(faults, { maxLength: 30, size: 'max' }),
})

class Simulation {
  readonly clock = new VirtualClock()
  readonly server = new LeaseServer()
  readonly random: () => number
  readonly processes: Process[] = []
  readonly terms: LeadershipTerm[] = []
  readonly violations: string[] = []
  #lastWriter = -1

  constructor({ seed, faults }: Plan) {
    this.random = seeded(seed)
    for (let i = 0; i < 3; i++) this.start(`process-${i}`)
    for (const fault of faults) this.clock.after(fault.at, () => this.#inject(fault))
  }

  start(identity: string): Process {
    const process = new Process(this, identity)
    this.processes.push(process)
    return process
  }

  /** All terms that would pass the check now, asked without disturbing them. There must never be two. */
  validTerms(): number[] {
    return this.terms.flatMap(({ isValid }, number) => (isValid ? [number] : []))
  }

  begin(term: WriteGuard): number {
    const number = this.terms.push(term as LeadershipTerm) - 1
    this.#expectOnly(number, 'begins')
    return number
  }

  /** A write that is carried out at once, if the term lets it pass. */
  write(term: WriteGuard, number: number): void {
    if (!passes(term)) return
    this.#expectOnly(number, 'writes')
    if (number < this.#lastWriter)
      this.violations.push(`term ${number} writes after term ${this.#lastWriter} has`)
    this.#lastWriter = number
  }

  /** Noted, not thrown: an election survives the errors of the work in it. */
  #expectOnly(number: number, does: string): void {
    const valid = this.validTerms()
    if (valid.length === 1 && valid[0] === number) return
    this.violations.push(
      `at ${this.clock.monotonic()} ms term ${number} ${does} while [${valid.join()}] are valid`,
    )
  }

  #victim(victim: Fault['victim']): Process | undefined {
    if (victim === 'leader') return this.processes.find(({ election }) => election.leading)
    return this.processes[victim % this.processes.length]
  }

  #inject({ kind, victim, duration }: Fault): void {
    const process = this.#victim(victim)
    if (process === undefined) return
    const later = (callback: () => void) =>
      this.clock.after(Math.min(duration, faultsEndAt - this.clock.monotonic()), callback)
    switch (kind) {
      case 'delete the Lease':
        this.server.delete()
        break
      case 'start':
        this.start(`process-${this.processes.length}`)
        break
      case 'restart':
        // Killed or only stopped, nobody knows: the new process has the same name and the old one may wake up.
        process.pause()
        later(() => process.resume())
        this.start(process.identity)
        break
      case 'kill':
        process.pause()
        break
      case 'pause':
        process.pause()
        later(() => process.resume())
        break
      case 'stop':
        process.stop()
        break
      case 'refusing':
      case 'hanging':
      case 'losing answers':
      case 'slow':
        process.network = kind
        later(() => {
          process.network = 'good'
        })
    }
  }
}

/**
 * A process can do nothing by itself: it reacts to timers and answers. All of them pass `#enter`, so holding them
 * back there is what SIGSTOP does: the clocks go on, the code does not.
 */
class Process {
  network: Network = 'good'
  readonly identity: string
  readonly clock: Clock
  readonly election: LeaderElection
  readonly finished: Promise<void>
  readonly #simulation: Simulation
  readonly #stop = new AbortController()
  #heldBack: (() => void)[] | undefined

  constructor(simulation: Simulation, identity: string) {
    this.#simulation = simulation
    this.identity = identity
    this.clock = this.#ownClock()
    this.election = new LeaderElection({
      client: simulation.server.client((request) => this.#send(request)),
      lease: { namespace: 'portcullis', name: 'leader' },
      identity,
      leaseDurationMs,
      renewDeadlineMs,
      clock: this.clock,
      random: simulation.random,
      log: silentLogger,
      metrics: createMetrics('test'),
    })
    this.finished = this.election.run(this.#stop.signal, (term) => this.#work(term))
  }

  get paused(): boolean {
    return this.#heldBack !== undefined
  }

  pause(): void {
    this.#heldBack ??= []
  }

  resume(): void {
    const heldBack = this.#heldBack ?? []
    this.#heldBack = undefined
    // One after the other, each with all that follows from it, as an event loop does: writes may come before timers.
    for (const callback of heldBack) this.#simulation.clock.after(0, () => this.#enter(callback))
  }

  stop(): void {
    this.#enter(() => this.#stop.abort(new Error('told to stop')))
  }

  #enter(callback: () => void): void {
    if (this.#heldBack === undefined) callback()
    else this.#heldBack.push(callback)
  }

  /** Writes again and again: until its signal aborts, and carelessly on for a while after the term is lost. */
  async #work(term: WriteGuard): Promise<void> {
    const number = this.#simulation.begin(term)
    const stillWorkingMs = this.#simulation.random() * 4000
    while (!this.#stop.signal.aborted && !term.signal.aborted) {
      this.#simulation.write(term, number)
      await sleep(this.clock, 300)
    }
    this.#simulation.write(term, number)
    await sleep(this.clock, stillWorkingMs)
    this.#simulation.write(term, number)
  }

  /** Wall clocks disagree by hours, and some stand still; monotonic clocks start anywhere and drift by 1 %. */
  #ownClock(): Clock {
    const { clock, random } = this.#simulation
    const offset = (random() - 0.5) * 48 * 3_600_000
    const standsStill = random() < 0.2
    const start = random() * 1_000_000
    const speed = 0.99 + 0.02 * random()
    return {
      now: () => new Date((standsStill ? 0 : clock.now().getTime()) + 2_000_000_000_000 + offset),
      monotonic: () => start + clock.monotonic() * speed,
      after: (milliseconds, callback) => clock.after(milliseconds / speed, () => this.#enter(callback)),
    }
  }

  #send({ execute, options: { timeoutMs = 30_000, signal } }: LeaseRequest): Promise<Persisted<Lease>> {
    const { clock } = this.#simulation
    const { network } = this
    return new Promise((resolve, reject) => {
      const fail = (problem: string) => reject(new ConnectionError('reach the server', problem))
      const onAbort = () => fail('aborted')
      signal?.addEventListener('abort', onAbort)
      this.clock.after(timeoutMs, () => {
        signal?.removeEventListener('abort', onAbort)
        fail('timed out')
      })
      if (network === 'hanging') return
      if (network === 'refusing') {
        clock.after(this.#latency(), () => this.#enter(() => fail('refused')))
        return
      }
      // What is on its way arrives, even when the sender has given up on it.
      clock.after(this.#latency(), () => {
        const answer = attempt(execute)
        if (network === 'losing answers' && this.#simulation.random() < 0.7) return
        clock.after(this.#latency(), () =>
          this.#enter(() => ('error' in answer ? reject(answer.error) : resolve(answer.result))),
        )
      })
    })
  }

  #latency(): number {
    const untilCalm = Math.max(0, faultsEndAt - this.#simulation.clock.monotonic())
    return this.network === 'slow'
      ? Math.min(this.#simulation.random() * 12_000, untilCalm)
      : this.#simulation.random() * 50
  }
}

function attempt<T>(act: () => T): { result: T } | { error: Error } {
  try {
    return { result: act() }
  } catch (error) {
    return { error: error as Error }
  }
}

function passes(term: WriteGuard): boolean {
  try {
    term.check()
    return true
  } catch {
    return false
  }
}

/** mulberry32 */
function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

async function live(plan: Plan): Promise<Simulation> {
  const simulation = new Simulation(plan)
  await simulation.clock.advance(faultsEndAt)
  simulation.start('born after the faults')
  await simulation.clock.advance(leaderWithin)
  expect(simulation.violations).toEqual([])
  const leaders = simulation.validTerms()
  expect(leaders, 'terms valid once the faults are over').toHaveLength(1)
  await simulation.clock.advance(calmFor)
  expect(simulation.validTerms(), 'terms valid after a calm while').toEqual(leaders)
  expect(simulation.violations).toEqual([])
  return simulation
}

async function stopAll({ clock, processes }: Simulation): Promise<void> {
  const running = processes.filter(({ paused }) => !paused)
  for (const process of running) process.stop()
  const ended = Promise.all(running.map(({ finished }) => finished))
  await clock.advance(10_000)
  await ended
}

describe('an election with random faults', { timeout: 60_000 }, () => {
  it('An election with random faults never has two leaders, never a late write, and soon a leader once the faults end', async () => {
    await fc.assert(
      fc.asyncProperty(plans, async (plan) => {
        await stopAll(await live(plan))
      }),
      // A failure is reported with its seed, even if there is no time left to make it smaller.
      { numRuns: 200, interruptAfterTimeLimit: 45_000, markInterruptAsFailure: true },
    )
  })

  it('The leader changes often in these simulations, or the claim above would mean little', async () => {
    const samples = fc.sample(plans, { numRuns: 20, seed: 1 })
    const simulations: Simulation[] = []
    for (const plan of samples) simulations.push(await live(plan))
    const changes = simulations.reduce((sum, { terms }) => sum + terms.length - 1, 0)
    expect(changes).toBeGreaterThan(20)
    for (const simulation of simulations) await stopAll(simulation)
  })
})
