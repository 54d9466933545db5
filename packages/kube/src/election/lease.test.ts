import { expect, it } from 'vitest'
import { ApiError } from '../client/errors.ts'
import { sleep } from '../clock.ts'
import { silentLogger } from '../log.ts'
import { createMetrics } from '../metrics.ts'
import { aLease, Candidate, leader, longAgo, releasedLease, reliable } from '../testing/lease-candidate.ts'
import { LeaseServer } from '../testing/lease-server.ts'
import { settle, VirtualClock } from '../testing/virtual-clock.ts'
import { LeaderElection, type LeaderElectionOptions, uniqueIdentity } from './lease.ts'

const heldBy = (holderIdentity: string, leaseDurationSeconds = 15) =>
  aLease({
    holderIdentity,
    leaseDurationSeconds,
    renewTime: longAgo,
    acquireTime: longAgo,
    leaseTransitions: 4,
  })

it('A candidate waits the whole duration for a record that it finds at start, however old the record says it is', async () => {
  const clock = new VirtualClock()
  const candidate = new Candidate(heldBy('other'), clock)
  await clock.advance(14_999)
  expect(candidate.terms).toHaveLength(0)
  await clock.advance(2_000)
  expect(candidate.terms).toHaveLength(1)
})

it('A candidate starts counting again whenever the record changes, whatever its times say', async () => {
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

it("A candidate waits as long as the record's holder wrote, not as long as it would itself", async () => {
  const clock = new VirtualClock()
  const candidate = new Candidate(heldBy('other', 60), clock)
  await clock.advance(59_000)
  expect(candidate.terms).toHaveLength(0)
  await clock.advance(3_000)
  expect(candidate.terms).toHaveLength(1)
})

it('A candidate waits out a record under its own name: the process before it may still run', async () => {
  const clock = new VirtualClock()
  const candidate = new Candidate(heldBy('me'), clock)
  await clock.advance(14_999)
  expect(candidate.terms).toHaveLength(0)
  await clock.advance(2_000)
  expect(candidate.terms).toHaveLength(1)
})

it('A candidate takes a released lease at once', async () => {
  const { candidate } = await leader()
  expect(candidate.terms).toHaveLength(1)
})

it('A candidate creates a missing Lease, but leads only after the whole duration: it may have been deleted', async () => {
  const server = new LeaseServer()
  const clock = new VirtualClock()
  const candidate = new Candidate(server, clock)
  await clock.advance(14_999)
  expect(server.lease?.spec).toMatchObject({ holderIdentity: 'me', leaseTransitions: 0 })
  expect(candidate.terms).toHaveLength(0)
  await clock.advance(2_000)
  expect(candidate.terms).toHaveLength(1)
})

it('A candidate does not take a Lease without holder that a person created by hand for released', async () => {
  const clock = new VirtualClock()
  const candidate = new Candidate(aLease({}), clock)
  await clock.advance(14_999)
  expect(candidate.terms).toHaveLength(0)
  await clock.advance(2_000)
  expect(candidate.terms).toHaveLength(1)
})

it('A candidate takes over a Lease that has changed hands as often as the API server can count', async () => {
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

it('A candidate writes into the Lease who leads since when, and keeps what others wrote there', async () => {
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

it('A candidate loses a race quietly and goes on', async () => {
  const server = heldBy('other')
  const clock = new VirtualClock()
  const candidate = new Candidate(server, clock)
  candidate.network = async ({ verb, execute }) => {
    if (verb === 'replace')
      server.edit((lease) => Object.assign(lease.spec ?? {}, { holderIdentity: 'faster' }))
    return execute()
  }
  await clock.advance(17_000)
  expect(server.lease?.spec?.holderIdentity).toBe('faster')
  expect(candidate.terms).toHaveLength(0)
  expect(candidate.warnings).toEqual([])
  candidate.network = reliable
  await clock.advance(20_000)
  expect(candidate.terms).toHaveLength(1)
})

it('A candidate does not recreate a Lease that was deleted between reading and taking it', async () => {
  const server = heldBy('other')
  const clock = new VirtualClock()
  const candidate = new Candidate(server, clock)
  candidate.network = async ({ verb, execute }) => {
    if (verb === 'replace') server.delete()
    return execute()
  }
  await clock.advance(17_000)
  expect(server.lease).toBeUndefined()
  expect(candidate.terms).toHaveLength(0)
})

it('A candidate survives every error, warns once about the same one, and tries for ever', async () => {
  const clock = new VirtualClock()
  const candidate = new Candidate(heldBy('other'), clock)
  candidate.network = async () => {
    throw new ApiError('get Lease portcullis/leader', 403, { reason: 'Forbidden' })
  }
  await clock.advance(3_600_000)
  expect(candidate.warnings).toHaveLength(1)
  candidate.network = reliable
  await clock.advance(20_000)
  expect(candidate.terms).toHaveLength(1)
})

it('A candidate does not lead by an acquisition whose response comes after the deadline', async () => {
  const clock = new VirtualClock()
  const candidate = new Candidate(releasedLease(), clock)
  candidate.network = async ({ verb, execute }) => {
    const answer = execute()
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
  'A candidate reads the Lease every retry period, longer by up to a fifth so that candidates drift apart (%d)',
  async (chance, looks) => {
    const clock = new VirtualClock()
    const candidate = new Candidate(heldBy('other'), clock, { random: () => chance })
    await clock.advance(10_000)
    expect(candidate.requests).toHaveLength(looks)
  },
)

it('A candidate ends when its signal aborts', async () => {
  const clock = new VirtualClock()
  const candidate = new Candidate(heldBy('other'), clock)
  await clock.advance(5_000)
  await candidate.stop()
  expect(candidate.ended).toBe(true)
  expect(clock.pendingTimers).toBe(0)
})

it('A candidate that wins at the moment of the stop releases the lease and does not lead', async () => {
  const server = releasedLease()
  const candidate = new Candidate(server, new VirtualClock())
  candidate.network = async ({ verb, execute }) => {
    if (verb === 'replace') {
      candidate.network = reliable
      await candidate.stop()
    }
    return execute()
  }
  await settle()
  await settle()
  expect(server.lease?.spec).toMatchObject({ holderIdentity: '', leaseTransitions: 1 })
  expect(candidate.terms).toHaveLength(0)
  expect(candidate.ended).toBe(true)
})

it('A candidate knows who holds the lease and that it is not itself', async () => {
  const candidate = new Candidate(heldBy('other'), new VirtualClock())
  await settle()
  expect(candidate.election.holder).toBe('other')
  expect(candidate.election.leading).toBe(false)
  expect(await candidate.gauge).toBe(0)
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

it.each([
  [{ leaseDurationMs: 10_000 }, 'leaseDurationMs is 10000, but must be above renewDeadlineMs (10000)'],
  [{ retryPeriodMs: 9_000 }, 'renewDeadlineMs is 10000, but must be above 10800 (retryPeriodMs 9000'],
  [{ retryPeriodMs: 0 }, 'retryPeriodMs is 0; give it a number of milliseconds above 0'],
  [{ leaseDurationMs: Number.NaN }, 'leaseDurationMs is NaN'],
  [{ identity: '' }, 'identity is empty'],
])('The options %o are refused, and the error says which, why and what to do', (options, message) => {
  expect(election(options)).toThrow(RangeError)
  expect(election(options)).toThrow(message)
})

it('The durations of an election may all be shorter', () => {
  expect(election({ leaseDurationMs: 1_500, renewDeadlineMs: 1_000, retryPeriodMs: 200 })).not.toThrow()
})

it('An identity names the host and the process', () => {
  expect(uniqueIdentity('node-1', '7d1c')).toBe('node-1_7d1c')
})
