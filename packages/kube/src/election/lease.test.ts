// Longer than 350 lines: candidates and leaders are tested with the same simulated Lease and clock.

import { describe, expect, it } from 'vitest'
import type { WriteGuard } from '../client/api.ts'
import { ApiError, ConnectionError, WriteRefusedError } from '../client/errors.ts'
import { sleep } from '../clock.ts'
import { silentLogger } from '../log.ts'
import { createMetrics } from '../metrics.ts'
import { type LeaseRequest, LeaseServer, type Network } from '../testing/lease-server.ts'
import { settle, VirtualClock } from '../testing/virtual-clock.ts'
import { LeaderElection, type LeaderElectionOptions, uniqueIdentity } from './lease.ts'

const carriedOut: Network = async ({ carryOut }) => carryOut()

const unanswered = new ConnectionError('replace Lease portcullis/leader', 'no answer')

/** A candidate in an election, whose work is a promise that the test settles. */
class Candidate {
  readonly clock: VirtualClock
  readonly terms: WriteGuard[] = []
  readonly election: LeaderElection
  readonly warnings: string[] = []
  readonly metrics = createMetrics('test')
  /** Everything that was asked of the server. */
  readonly requests: LeaseRequest[] = []
  network: Network = carriedOut
  ended = false
  failure: unknown
  readonly #stop = new AbortController()
  #work: { resolve: () => void; reject: (error: Error) => void } | undefined

  constructor(server: LeaseServer, clock: VirtualClock, options: Partial<LeaderElectionOptions> = {}) {
    this.clock = clock
    this.election = new LeaderElection({
      client: server.client((request) => {
        this.requests.push(request)
        return this.network(request)
      }),
      lease: { namespace: 'portcullis', name: 'leader' },
      identity: 'me',
      clock,
      random: () => 0,
      log: this.#log(),
      metrics: this.metrics,
      ...options,
    })
    this.election
      .run(this.#stop.signal, (term) => this.#lead(term))
      .catch((error: unknown) => {
        this.failure = error
      })
      .finally(() => {
        this.ended = true
      })
  }

  get term(): WriteGuard {
    const term = this.terms.at(-1)
    if (term === undefined) throw new Error('The candidate has never led')
    return term
  }

  get gauge(): Promise<number | undefined> {
    return this.metrics.leader.get().then(({ values }) => values[0]?.value)
  }

  async stop(): Promise<void> {
    this.#stop.abort()
    await settle()
  }

  async finishWork(): Promise<void> {
    this.#work?.resolve()
    await settle()
  }

  async failWork(error: Error): Promise<void> {
    this.#work?.reject(error)
    await settle()
  }

  #lead(term: WriteGuard): Promise<void> {
    this.terms.push(term)
    return new Promise((resolve, reject) => {
      this.#work = { resolve, reject }
    })
  }

  #log() {
    return {
      ...silentLogger,
      warn: (_fields: object, message: string) => this.warnings.push(message),
      child: () => this.#log(),
    }
  }
}

const longAgo = '1999-01-01T00:00:00.000000Z'

function aLease(spec: object, metadata: object = {}) {
  const server = new LeaseServer()
  server.create({ metadata: { name: 'leader', namespace: 'portcullis', ...metadata }, spec })
  return server
}

const heldBy = (holderIdentity: string, leaseDurationSeconds = 15) =>
  aLease({
    holderIdentity,
    leaseDurationSeconds,
    renewTime: longAgo,
    acquireTime: longAgo,
    leaseTransitions: 4,
  })

const releasedLease = () => aLease({ holderIdentity: '', leaseDurationSeconds: 1, renewTime: longAgo })

/** A candidate that leads since 0 ms. */
async function leader(options: Partial<LeaderElectionOptions> = {}) {
  const server = releasedLease()
  const clock = new VirtualClock()
  const candidate = new Candidate(server, clock, options)
  await settle()
  return { server, clock, candidate }
}

describe('a candidate', () => {
  it('waits the whole duration for a record that it finds at start, however old the record says it is', async () => {
    const clock = new VirtualClock()
    const candidate = new Candidate(heldBy('other'), clock)
    await clock.advance(14_999)
    expect(candidate.terms).toHaveLength(0)
    await clock.advance(2_000)
    expect(candidate.terms).toHaveLength(1)
  })

  it('starts counting again whenever the record changes, whatever its times say', async () => {
    const server = heldBy('other')
    const clock = new VirtualClock()
    const candidate = new Candidate(server, clock)
    for (let renewal = 1; renewal < 10; renewal++) {
      await clock.advance(10_000)
      server.edit((lease) =>
        Object.assign(lease.spec ?? {}, { renewTime: `1999-01-01T00:00:0${renewal}.000000Z` }),
      )
    }
    expect(candidate.terms).toHaveLength(0)
    await clock.advance(19_000)
    expect(candidate.terms).toHaveLength(1)
  })

  it("waits as long as the record's holder wrote, not as long as it would itself", async () => {
    const clock = new VirtualClock()
    const candidate = new Candidate(heldBy('other', 60), clock)
    await clock.advance(59_000)
    expect(candidate.terms).toHaveLength(0)
    await clock.advance(3_000)
    expect(candidate.terms).toHaveLength(1)
  })

  it('waits out a record under its own name: the process before it may still run', async () => {
    const clock = new VirtualClock()
    const candidate = new Candidate(heldBy('me'), clock)
    await clock.advance(14_999)
    expect(candidate.terms).toHaveLength(0)
    await clock.advance(2_000)
    expect(candidate.terms).toHaveLength(1)
  })

  it('takes a released lease at once', async () => {
    const { candidate } = await leader()
    expect(candidate.terms).toHaveLength(1)
  })

  it('creates a missing Lease, but leads only after the whole duration: it may have been deleted', async () => {
    const server = new LeaseServer()
    const clock = new VirtualClock()
    const candidate = new Candidate(server, clock)
    await clock.advance(14_999)
    expect(server.lease?.spec).toMatchObject({ holderIdentity: 'me', leaseTransitions: 0 })
    expect(candidate.terms).toHaveLength(0)
    await clock.advance(2_000)
    expect(candidate.terms).toHaveLength(1)
  })

  it('does not take a Lease without holder that a person created by hand for released', async () => {
    const clock = new VirtualClock()
    const candidate = new Candidate(aLease({}), clock)
    await clock.advance(14_999)
    expect(candidate.terms).toHaveLength(0)
    await clock.advance(2_000)
    expect(candidate.terms).toHaveLength(1)
  })

  it('takes over a Lease that has changed hands as often as the API server can count', async () => {
    const most = 2 ** 31 - 1
    const server = aLease({
      holderIdentity: '',
      leaseDurationSeconds: 1,
      renewTime: longAgo,
      leaseTransitions: most,
    })
    const candidate = new Candidate(server, new VirtualClock())
    await settle()
    expect(candidate.terms).toHaveLength(1)
    expect(server.lease?.spec).toMatchObject({ holderIdentity: 'me', leaseTransitions: most })
  })

  it('writes into the Lease who leads since when, and keeps what others wrote there', async () => {
    const server = heldBy('other')
    server.edit((lease) => {
      Object.assign(lease.metadata ?? {}, { labels: { team: 'edge' }, annotations: { note: 'keep' } })
      Object.assign(lease.spec ?? {}, { strategy: 'OldestEmulationVersion' })
    })
    const clock = new VirtualClock()
    const candidate = new Candidate(server, clock, { leaseDurationMs: 14_200 })
    await clock.advance(16_000)
    expect(candidate.terms).toHaveLength(1)
    expect(server.lease).toMatchObject({
      metadata: { labels: { team: 'edge' }, annotations: { note: 'keep' } },
      spec: { holderIdentity: 'me', leaseTransitions: 5, strategy: 'OldestEmulationVersion' },
    })
    expect(server.lease?.spec?.acquireTime).toBe('2030-01-01T00:00:16.000000Z')
    expect(server.lease?.spec?.renewTime).toBe('2030-01-01T00:00:16.000000Z')
    expect(server.lease?.spec?.leaseDurationSeconds, 'whole seconds, rounded up').toBe(15)
  })

  it('loses a race quietly and goes on', async () => {
    const server = heldBy('other')
    const clock = new VirtualClock()
    const candidate = new Candidate(server, clock)
    candidate.network = async ({ verb, carryOut }) => {
      if (verb === 'replace')
        server.edit((lease) => Object.assign(lease.spec ?? {}, { holderIdentity: 'faster' }))
      return carryOut()
    }
    await clock.advance(17_000)
    expect(server.lease?.spec?.holderIdentity).toBe('faster')
    expect(candidate.terms).toHaveLength(0)
    expect(candidate.warnings).toEqual([])
    candidate.network = carriedOut
    await clock.advance(20_000)
    expect(candidate.terms).toHaveLength(1)
  })

  it('does not recreate a Lease that was deleted between reading and taking it', async () => {
    const server = heldBy('other')
    const clock = new VirtualClock()
    const candidate = new Candidate(server, clock)
    candidate.network = async ({ verb, carryOut }) => {
      if (verb === 'replace') server.delete()
      return carryOut()
    }
    await clock.advance(17_000)
    expect(server.lease).toBeUndefined()
    expect(candidate.terms).toHaveLength(0)
  })

  it('survives every error, warns once about the same one, and tries for ever', async () => {
    const clock = new VirtualClock()
    const candidate = new Candidate(heldBy('other'), clock)
    candidate.network = async () => {
      throw new ApiError('get Lease portcullis/leader', 403, { reason: 'Forbidden' })
    }
    await clock.advance(3_600_000)
    expect(candidate.warnings).toHaveLength(1)
    candidate.network = carriedOut
    await clock.advance(20_000)
    expect(candidate.terms).toHaveLength(1)
  })

  it('does not lead by an acquisition that is answered after the deadline', async () => {
    const clock = new VirtualClock()
    const candidate = new Candidate(releasedLease(), clock)
    candidate.network = async ({ verb, carryOut }) => {
      const answer = carryOut()
      if (verb === 'replace') await sleep(clock, 10_000)
      return answer
    }
    await clock.advance(12_000)
    expect(candidate.terms).toHaveLength(0)
  })

  it.each([
    [0, 6],
    [1, 5],
  ])(
    'reads the Lease every retry period, longer by up to a fifth so that candidates drift apart (%d)',
    async (chance, looks) => {
      const clock = new VirtualClock()
      const candidate = new Candidate(heldBy('other'), clock, { random: () => chance })
      await clock.advance(10_000)
      expect(candidate.requests).toHaveLength(looks)
    },
  )

  it('ends when its signal aborts', async () => {
    const clock = new VirtualClock()
    const candidate = new Candidate(heldBy('other'), clock)
    await clock.advance(5_000)
    await candidate.stop()
    expect(candidate.ended).toBe(true)
    expect(clock.pendingTimers).toBe(0)
  })

  it('that wins at the moment of the stop releases the lease and does not lead', async () => {
    const server = releasedLease()
    const candidate = new Candidate(server, new VirtualClock())
    candidate.network = async ({ verb, carryOut }) => {
      if (verb === 'replace') {
        candidate.network = carriedOut
        await candidate.stop()
      }
      return carryOut()
    }
    await settle()
    await settle()
    expect(server.lease?.spec).toMatchObject({ holderIdentity: '', leaseTransitions: 1 })
    expect(candidate.terms).toHaveLength(0)
    expect(candidate.ended).toBe(true)
  })

  it('knows who holds the lease and that it is not itself', async () => {
    const candidate = new Candidate(heldBy('other'), new VirtualClock())
    await settle()
    expect(candidate.election.holder).toBe('other')
    expect(candidate.election.leading).toBe(false)
    expect(await candidate.gauge).toBe(0)
  })
})

describe('a leader', () => {
  it('renews every retry period, keeping since when it leads', async () => {
    const { server, clock, candidate } = await leader()
    const acquired = server.lease?.spec
    await clock.advance(60_000)
    expect(candidate.terms).toHaveLength(1)
    expect(candidate.term.check()).toBeGreaterThanOrEqual(8_000)
    expect(server.lease?.spec).toMatchObject({
      holderIdentity: 'me',
      acquireTime: acquired?.acquireTime,
      leaseTransitions: acquired?.leaseTransitions,
    })
    expect(server.lease?.spec?.renewTime).toMatch(/^2030-01-01T00:01:00\.000\d{3}Z$/)
  })

  it('reports that it leads', async () => {
    const { candidate } = await leader()
    expect(candidate.election.leading).toBe(true)
    expect(candidate.election.holder).toBe('me')
    expect(await candidate.gauge).toBe(1)
  })

  it('changes the record with each renewal even if its wall clock stands still', async () => {
    const clock = new VirtualClock()
    const frozen = new Date('2030-01-01T00:00:00Z')
    const server = releasedLease()
    const candidate = new Candidate(server, clock, {
      clock: {
        now: () => frozen,
        monotonic: () => clock.monotonic(),
        after: (milliseconds, callback) => clock.after(milliseconds, callback),
      },
    })
    const versions = new Set<string | undefined>()
    for (let second = 0; second < 10; second++) {
      await clock.advance(2_000)
      versions.add(server.lease?.metadata.resourceVersion)
    }
    expect(versions.size).toBe(10)
    expect(candidate.terms).toHaveLength(1)
  })

  it('counts its time from before a renewal was sent, not from the answer', async () => {
    const clock = new VirtualClock()
    const candidate = new Candidate(releasedLease(), clock)
    candidate.network = async ({ verb, carryOut }) => {
      if (verb === 'replace') await sleep(clock, 3_000)
      return carryOut()
    }
    await clock.advance(3_000)
    expect(candidate.term.check(), 'after an acquisition that took 3 s').toBe(7_000)
    await clock.advance(5_000)
    expect(candidate.term.check(), 'after a renewal that took 3 s').toBe(7_000)
  })

  it('gives an attempt to renew half the deadline, and, if it hangs so long, the next at once what is left of the term', async () => {
    const { clock, candidate } = await leader()
    const timeouts: (number | undefined)[] = []
    candidate.network = async ({ options: { timeoutMs } }) => {
      timeouts.push(timeoutMs)
      await sleep(clock, timeoutMs ?? 0)
      throw unanswered
    }
    await clock.advance(10_000)
    expect(timeouts).toEqual([5_000, 3_000])
  })

  it('that cannot renew stops at the deadline: writes are refused, the signal aborts', async () => {
    const { clock, candidate } = await leader()
    candidate.network = async () => {
      throw unanswered
    }
    await clock.advance(9_999)
    expect(candidate.term.check()).toBe(1)
    await clock.advance(1)
    expect(() => candidate.term.check()).toThrow(WriteRefusedError)
    expect(() => candidate.term.check()).toThrow(/no longer leads: it could not renew its lease in time/)
    expect(candidate.term.signal.aborted).toBe(true)
    expect(candidate.election.leading).toBe(false)
    expect(await candidate.gauge).toBe(0)
  })

  it('that lost the lease waits for its work to end, then campaigns again', async () => {
    const { server, clock, candidate } = await leader()
    server.edit((lease) => Object.assign(lease.spec ?? {}, { holderIdentity: 'other' }))
    await clock.advance(60_000)
    expect(candidate.term.signal.aborted).toBe(true)
    expect(candidate.terms).toHaveLength(1)
    await candidate.finishWork()
    await clock.advance(60_000)
    expect(candidate.terms).toHaveLength(2)
    expect(candidate.term.check()).toBeGreaterThan(0)
  })

  it('swallows the errors of work that ended because the term was lost', async () => {
    const { server, clock, candidate } = await leader()
    server.edit((lease) => Object.assign(lease.spec ?? {}, { holderIdentity: 'other' }))
    await clock.advance(3_000)
    await candidate.failWork(new WriteRefusedError('cut off'))
    await clock.advance(60_000)
    expect(candidate.terms).toHaveLength(2)
  })

  it('that sees another holder in the record stops at once', async () => {
    const { server, clock, candidate } = await leader()
    server.edit((lease) => Object.assign(lease.spec ?? {}, { holderIdentity: 'other' }))
    await clock.advance(2_000)
    expect(() => candidate.term.check()).toThrow('the Lease portcullis/leader is now held by other')
    expect(server.lease?.spec?.holderIdentity).toBe('other')
  })

  it('leads on after somebody else changed a label', async () => {
    const { server, clock, candidate } = await leader()
    server.edit((lease) => Object.assign(lease.metadata ?? {}, { labels: { team: 'edge' } }))
    await clock.advance(60_000)
    expect(candidate.term.check()).toBeGreaterThanOrEqual(8_000)
    expect(server.lease?.metadata.labels).toEqual({ team: 'edge' })
  })

  it('leads on after a renewal that was carried out but whose answer was lost', async () => {
    const { clock, candidate } = await leader()
    candidate.network = async ({ carryOut }) => {
      carryOut()
      candidate.network = carriedOut
      throw unanswered
    }
    await clock.advance(60_000)
    expect(candidate.terms).toHaveLength(1)
    expect(candidate.term.check()).toBeGreaterThanOrEqual(8_000)
  })

  it('restores a Lease that was deleted, and leads on', async () => {
    const { server, clock, candidate } = await leader()
    server.edit((lease) => Object.assign(lease.metadata ?? {}, { labels: { team: 'edge' } }))
    await clock.advance(2_000)
    const before = server.lease
    server.delete()
    await clock.advance(2_000)
    expect(candidate.term.check()).toBe(10_000)
    expect(server.lease?.metadata.labels).toEqual({ team: 'edge' })
    expect(server.lease?.metadata.uid).not.toBe(before?.metadata.uid)
    expect(server.lease?.spec?.acquireTime).toBe(before?.spec?.acquireTime)
  })

  it('stops when another has created the deleted Lease anew', async () => {
    const { server, clock, candidate } = await leader()
    server.delete()
    server.create({
      metadata: { name: 'leader' },
      spec: { holderIdentity: 'other', leaseDurationSeconds: 15 },
    })
    await clock.advance(2_000)
    expect(() => candidate.term.check()).toThrow('held by other')
  })

  it('that is stopped keeps its term and renews until its work is done, then releases the lease and ends', async () => {
    const { server, clock, candidate } = await leader()
    await candidate.stop()
    await clock.advance(60_000)
    expect(candidate.ended).toBe(false)
    expect(candidate.term.check()).toBeGreaterThanOrEqual(8_000)
    await candidate.finishWork()
    expect(server.lease?.spec).toMatchObject({ holderIdentity: '', leaseDurationSeconds: 1 })
    expect(server.lease?.spec?.renewTime).toBe('2030-01-01T00:01:00.000000Z')
    expect(candidate.ended).toBe(true)
    expect(clock.pendingTimers).toBe(0)
  })

  it('refuses writes before it releases the lease', async () => {
    const { candidate } = await leader()
    let refused = false
    candidate.network = async ({ carryOut }) => {
      refused = candidate.term.signal.aborted
      return carryOut()
    }
    await candidate.finishWork()
    expect(refused).toBe(true)
  })

  it('whose work is done without a stop lets another lead first, and campaigns again', async () => {
    const { server, clock, candidate } = await leader()
    await candidate.finishWork()
    const other = new Candidate(server, clock, { identity: 'other' })
    await settle()
    expect(other.terms).toHaveLength(1)
    await other.stop()
    await other.finishWork()
    await clock.advance(2_000)
    expect(candidate.terms).toHaveLength(2)
  })

  it('ends in order even if it cannot release the lease', async () => {
    const { candidate } = await leader()
    candidate.network = async () => {
      throw unanswered
    }
    await candidate.stop()
    await candidate.finishWork()
    expect(candidate.ended).toBe(true)
    expect(candidate.failure).toBeUndefined()
    expect(candidate.warnings).toEqual([
      'Cannot release the lease; the next leader has to wait until it runs out, 15 s at most',
    ])
  })

  it("does not release another's lease", async () => {
    const { server, candidate } = await leader()
    server.edit((lease) => Object.assign(lease.spec ?? {}, { holderIdentity: 'other' }))
    await candidate.stop()
    await candidate.finishWork()
    expect(server.lease?.spec?.holderIdentity).toBe('other')
  })

  it('whose work fails reports the failure and leaves the lease to run out', async () => {
    const { server, candidate } = await leader()
    await candidate.failWork(new Error('out of memory'))
    expect(candidate.failure).toEqual(new Error('out of memory'))
    expect(() => candidate.term.check()).toThrow('its work has failed')
    expect(server.lease?.spec?.holderIdentity).toBe('me')
  })
})

const election = (options: Partial<LeaderElectionOptions>) => () =>
  new LeaderElection({
    client: new LeaseServer().client(),
    lease: { namespace: 'portcullis', name: 'leader' },
    identity: 'me',
    clock: new VirtualClock(),
    random: () => 0,
    log: silentLogger,
    metrics: createMetrics('test'),
    ...options,
  })

describe('the options', () => {
  it.each([
    [{ leaseDurationMs: 10_000 }, 'leaseDurationMs is 10000, but must be above renewDeadlineMs (10000)'],
    [{ retryPeriodMs: 9_000 }, 'renewDeadlineMs is 10000, but must be above 10800 (retryPeriodMs 9000'],
    [{ retryPeriodMs: 0 }, 'retryPeriodMs is 0; give it a number of milliseconds above 0'],
    [{ leaseDurationMs: Number.NaN }, 'leaseDurationMs is NaN'],
    [{ identity: '' }, 'identity is empty'],
  ])('%o are refused, saying which, why and what to do', (options, message) => {
    expect(election(options)).toThrow(RangeError)
    expect(election(options)).toThrow(message)
  })

  it('may all be shorter', () => {
    expect(election({ leaseDurationMs: 1_500, renewDeadlineMs: 1_000, retryPeriodMs: 200 })).not.toThrow()
  })
})

it('An identity names the host and the process', () => {
  expect(uniqueIdentity('node-1', '7d1c')).toBe('node-1_7d1c')
})
