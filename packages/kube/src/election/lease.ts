import type { Lease as LeaseObject } from 'kubernetes-types/coordination/v1'
import type { Random } from '../backoff.ts'
import type { KubeApi, WriteGuard } from '../client/api.ts'
import { isConflict, isNotFound } from '../client/errors.ts'
import { type Clock, sleep } from '../clock.ts'
import type { Logger } from '../log.ts'
import type { Metrics } from '../metrics.ts'
import { Lease } from '../objects/kinds.ts'
import { keyOf, type Persisted } from '../objects/objects.ts'
import { microTime } from '../objects/time.ts'
import { LeadershipTerm } from './leadership.ts'
import {
  created,
  durationMsOf,
  holderOf,
  released,
  renewed,
  restored,
  taken,
  wasReleased,
} from './lease-record.ts'
import { attemptTimeoutMs, type LeaseTiming, leaseTiming, pauseMs } from './lease-timing.ts'

export interface LeaderElectionOptions extends Partial<LeaseTiming> {
  readonly client: Pick<KubeApi, 'get' | 'create' | 'replace'>
  readonly lease: { readonly namespace: string; readonly name: string }
  /** Our holderIdentity in the Lease. See `uniqueIdentity`. */
  readonly identity: string
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
  readonly metrics: Pick<Metrics, 'leader'>
}

/**
 * A name for this process that no other has, not even the one before it in the same pod: people see in the
 * Lease which process leads. Nothing unsafe happens if two share a name.
 */
export function uniqueIdentity(hostname: string, uuid: string): string {
  return `${hostname}_${uuid}`
}

/**
 * Leader election: of many processes that run this on the same Lease, one at a time leads.
 *
 * Three rules make it safe, and none of them trusts another machine's clock:
 *
 * 1. **The leader counts from before it asks.** A term is valid for `renewDeadlineMs` from the moment at which
 *    the last successful renewal was *sent*. Then it is over, whatever the network does, and `check` refuses.
 * 2. **The others count from when they observe.** They take over a Lease that they have not *seen* change for its
 *    whole duration, which is longer. This goes for any Lease: one found at start, one under our own name (the
 *    process before us may only be stopped), and one that we have created ourselves because there was none: a
 *    person may have deleted it, and the leader that it belonged to is still at work. Only a Lease that its
 *    holder gave back is free at once.
 * 3. **Each write builds on what was read.** Taking, renewing and releasing are replacements of exactly the
 *    version last seen, so that of two who try, one fails.
 */
export class LeaderElection {
  readonly #options: LeaderElectionOptions
  readonly #timing: LeaseTiming
  readonly #key: string
  readonly #log: Logger
  #term: LeadershipTerm | undefined
  /** The Lease as last seen, and the monotonic time at which it was first seen so; undefined if there is none. */
  #seen: { readonly lease: Persisted<LeaseObject>; readonly since: number } | undefined
  #signatures = 0
  #lastProblem: string | undefined

  constructor(options: LeaderElectionOptions) {
    if (options.identity === '')
      throw new RangeError('identity is empty; give uniqueIdentity(hostname, uuid).')
    this.#options = options
    this.#timing = leaseTiming(options)
    this.#key = keyOf(options.lease)
    this.#log = options.log.child({ lease: this.#key, identity: options.identity })
    options.metrics.leader.set({ lease: this.#key }, 0)
  }

  get leading(): boolean {
    return this.#term?.isValid ?? false
  }

  /** Who held the Lease when it was last seen. */
  get holder(): string | undefined {
    return this.#seen === undefined ? undefined : holderOf(this.#seen.lease)
  }

  /**
   * Campaigns until `signal` aborts, and calls `whileLeading` with a new term each time it wins.
   *
   * - When the term is lost, `term.signal` aborts; the next campaign begins when `whileLeading` has returned.
   * - When `signal` aborts, a term goes on: `whileLeading` is expected to know, to finish what is in flight and
   *   to return. The lease is renewed until then.
   * - When `whileLeading` returns while it leads, the lease is released, so that another may lead at once.
   * - When it throws while it leads, so does `run`. The lease is then left to run out: who knows what still runs.
   */
  async run(signal: AbortSignal, whileLeading: (term: WriteGuard) => Promise<void>): Promise<void> {
    while (!signal.aborted) {
      const term = await this.#campaign(signal)
      if (term !== undefined && !signal.aborted) await this.#lead(term, whileLeading)
      if (term?.isValid) await this.#release(term)
      await this.#pause(signal)
    }
  }

  // ── following ──

  async #campaign(signal: AbortSignal): Promise<LeadershipTerm | undefined> {
    while (!signal.aborted) {
      try {
        const term = await this.#tryToWin(signal)
        this.#lastProblem = undefined
        if (term !== undefined) return term
      } catch (error) {
        if (!signal.aborted) this.#warnOnce('Cannot campaign for leadership; trying again', error)
      }
      await this.#pause(signal)
    }
    return undefined
  }

  async #tryToWin(signal: AbortSignal): Promise<LeadershipTerm | undefined> {
    const lease = await this.#read({ signal, timeoutMs: attemptTimeoutMs(this.#timing) })
    try {
      if (lease === undefined) await this.#createAndWait()
      else if (this.#mayTake(lease)) return await this.#take(lease)
    } catch (error) {
      if (!isConflict(error)) throw error // Another candidate was faster, as intended.
    }
    return undefined
  }

  #mayTake(lease: Persisted<LeaseObject>): boolean {
    if (wasReleased(lease)) return true
    const duration = durationMsOf(lease) ?? this.#timing.leaseDurationMs
    return this.#seen !== undefined && this.#options.clock.monotonic() - this.#seen.since >= duration
  }

  /** Writes during a campaign get no signal: a stop in mid-air would leave us as the holder of a lease unused. */
  async #take(lease: Persisted<LeaseObject>): Promise<LeadershipTerm | undefined> {
    const sentAt = this.#options.clock.monotonic()
    const timeoutMs = attemptTimeoutMs(this.#timing)
    this.#see(await this.#options.client.replace(Lease, taken(lease, this.#sign()), { timeoutMs }))
    const term = new LeadershipTerm(this.#options.clock, sentAt + this.#timing.renewDeadlineMs)
    return term.isValid ? term : undefined
  }

  /** Having created the Lease is not having won it: see rule 2. */
  async #createAndWait(): Promise<void> {
    const lease = created(this.#options.lease, this.#sign())
    this.#see(await this.#options.client.create(Lease, lease, { timeoutMs: attemptTimeoutMs(this.#timing) }))
    this.#log.info(
      { waitMs: this.#timing.leaseDurationMs },
      'The Lease did not exist and has been created; waiting for one lease duration, in case another client deleted it while a leader was active',
    )
  }

  // ── leading ──

  async #lead(term: LeadershipTerm, whileLeading: (term: WriteGuard) => Promise<void>): Promise<void> {
    this.#announce(term)
    const done = new AbortController()
    term.signal.addEventListener('abort', () => done.abort(), { once: true })
    const renewing = this.#keepRenewing(term, done.signal)
    try {
      await whileLeading(term)
    } catch (error) {
      if (term.isValid) {
        term.end('This process no longer leads: its work has failed.')
        throw error
      }
      this.#log.warn({ err: error }, 'The work of a lost term ended with an error')
    } finally {
      done.abort()
      await renewing
    }
  }

  #announce(term: LeadershipTerm): void {
    const { metrics } = this.#options
    this.#term = term
    metrics.leader.set({ lease: this.#key }, 1)
    this.#log.info({}, 'Leading')
    const onEnd = () => {
      metrics.leader.set({ lease: this.#key }, 0)
      this.#log.info({ why: (term.signal.reason as Error).message }, 'No longer leading')
    }
    term.signal.addEventListener('abort', onEnd, { once: true })
  }

  /** An attempt that hung has cost time enough: the next follows at once, while there is something left of the term. */
  async #keepRenewing(term: LeadershipTerm, done: AbortSignal): Promise<void> {
    const { clock } = this.#options
    let begun = clock.monotonic()
    for (await this.#pause(done); !done.aborted; await this.#pause(done, clock.monotonic() - begun)) {
      begun = clock.monotonic()
      try {
        const sentAt = await this.#renew(term)
        if (sentAt !== undefined) term.extend(sentAt + this.#timing.renewDeadlineMs)
        this.#lastProblem = undefined
      } catch (error) {
        if (term.isValid) this.#warnOnce('Cannot renew the lease; trying again', error)
      }
    }
  }

  /** The time at which the renewal that succeeded was sent; undefined when the term turned out to be lost. */
  async #renew(term: LeadershipTerm): Promise<number | undefined> {
    const last = this.#seen?.lease
    if (last !== undefined) {
      try {
        return await this.#replaceInTerm(term, last)
      } catch (error) {
        // Changed under our hands: by a renewal of our own whose response was lost, or by another client.
        if (!isConflict(error) && !isNotFound(error)) throw error
      }
    }
    const lease = await this.#read(this.#withinTerm(term))
    if (lease === undefined) return this.#restoreInTerm(term, last)
    if (holderOf(lease) === this.#options.identity) return this.#replaceInTerm(term, lease)
    term.end(
      `This process no longer leads: the Lease ${this.#key} is now held by ${holderOf(lease) ?? 'nobody'}.`,
    )
    return undefined
  }

  async #replaceInTerm(term: LeadershipTerm, lease: Persisted<LeaseObject>): Promise<number> {
    const sentAt = this.#options.clock.monotonic()
    const options = this.#withinTerm(term)
    this.#see(await this.#options.client.replace(Lease, renewed(lease, this.#sign()), options))
    return sentAt
  }

  /**
   * Another client deleted the Lease. Within a valid term no other candidate can lead (who creates it has to wait), so ours
   * goes on, unless another was faster: then the creation fails, and the next read shows who.
   */
  async #restoreInTerm(term: LeadershipTerm, last: Persisted<LeaseObject> | undefined): Promise<number> {
    const sentAt = this.#options.clock.monotonic()
    const options = this.#withinTerm(term)
    const by = this.#sign()
    const lease = last === undefined ? created(this.#options.lease, by) : restored(last, by)
    this.#see(await this.#options.client.create(Lease, lease, options))
    this.#log.warn({}, 'The Lease was deleted by another client; it has been created again')
    return sentAt
  }

  /** Only what was last seen is released, so never another's lease. Failing that, it runs out by itself. */
  async #release(term: LeadershipTerm): Promise<void> {
    term.end('This process no longer leads: it has given up the lease because its work is done.')
    const { client, clock } = this.#options
    if (this.#seen === undefined) return
    const free = released(this.#seen.lease, microTime(clock.now()))
    try {
      this.#see(await client.replace(Lease, free, { timeoutMs: attemptTimeoutMs(this.#timing) }))
    } catch (error) {
      this.#log.warn(
        { err: error },
        `Cannot release the lease; the next leader has to wait until it runs out, ${this.#timing.leaseDurationMs / 1000} s at most`,
      )
    }
  }

  // ── the Lease ──

  async #read(options: {
    timeoutMs: number
    signal: AbortSignal
  }): Promise<Persisted<LeaseObject> | undefined> {
    try {
      const lease = await this.#options.client.get(Lease, this.#options.lease, options)
      this.#see(lease)
      return lease
    } catch (error) {
      if (!isNotFound(error)) throw error
      this.#seen = undefined
      return undefined
    }
  }

  #see(lease: Persisted<LeaseObject>): void {
    if (this.#seen?.lease.metadata.resourceVersion === lease.metadata.resourceVersion) return
    this.#seen = { lease, since: this.#options.clock.monotonic() }
  }

  /** A request that cannot outlive the term. */
  #withinTerm(term: LeadershipTerm): { timeoutMs: number; signal: AbortSignal } {
    return { timeoutMs: Math.min(term.check(), attemptTimeoutMs(this.#timing)), signal: term.signal }
  }

  #sign() {
    const { identity, clock } = this.#options
    // The API server stores nothing when nothing changes. Counting in the microseconds keeps one sign of life
    // from looking like the one before, even where the wall clock stands still.
    const time = microTime(clock.now(), this.#signatures++ % 1000)
    return { identity, leaseDurationMs: this.#timing.leaseDurationMs, time }
  }

  /**
   * Ends early when the signal aborts; loops look at the signal themselves.
   * @param passedMs how much of the pause is over already
   */
  async #pause(signal: AbortSignal, passedMs = 0): Promise<void> {
    const { clock, random } = this.#options
    const left = Math.max(0, pauseMs(this.#timing, random()) - passedMs)
    await sleep(clock, left, signal).catch(() => {})
  }

  /** The same problem every two seconds is worth one line. */
  #warnOnce(message: string, error: unknown): void {
    const problem = `${message}: ${String(error)}`
    if (problem === this.#lastProblem) this.#log.debug({ err: error }, message)
    else this.#log.warn({ err: error }, message)
    this.#lastProblem = problem
  }
}
