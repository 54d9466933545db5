import { expect, it } from 'vitest'
import { ConnectionError, WriteRefusedError } from '../client/errors.ts'
import { sleep } from '../clock.ts'
import { Candidate, leader, releasedLease, reliable } from '../testing/lease-candidate.ts'
import { settle, VirtualClock } from '../testing/virtual-clock.ts'

const unanswered = new ConnectionError('replace Lease portcullis/leader', 'no answer')

it('A leader renews every retry period, keeping since when it leads', async () => {
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

it('A leader reports that it leads', async () => {
  const { candidate } = await leader()
  expect(candidate.election.leading).toBe(true)
  expect(candidate.election.holder).toBe('me')
  expect(await candidate.gauge).toBe(1)
})

it('A leader changes the record with each renewal even if its wall clock stands still', async () => {
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

it('A leader counts its time from before a renewal was sent, not from the response', async () => {
  const clock = new VirtualClock()
  const candidate = new Candidate(releasedLease(), clock)
  candidate.network = async ({ verb, execute }) => {
    if (verb === 'replace') await sleep(clock, 3_000)
    return execute()
  }
  await clock.advance(3_000)
  expect(candidate.term.check(), 'after an acquisition that took 3 s').toBe(7_000)
  await clock.advance(5_000)
  expect(candidate.term.check(), 'after a renewal that took 3 s').toBe(7_000)
})

it('A leader gives an attempt to renew half the deadline, and, if it hangs so long, the next at once what is left of the term', async () => {
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

it('A leader that cannot renew stops at the deadline: writes are refused, the signal aborts', async () => {
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

it('A leader that lost the lease waits for its work to end, then campaigns again', async () => {
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

it('A leader swallows the errors of work that ended because the term was lost', async () => {
  const { server, clock, candidate } = await leader()
  server.edit((lease) => Object.assign(lease.spec ?? {}, { holderIdentity: 'other' }))
  await clock.advance(3_000)
  await candidate.failWork(new WriteRefusedError('cut off'))
  await clock.advance(60_000)
  expect(candidate.terms).toHaveLength(2)
})

it('A leader that sees another holder in the record stops at once', async () => {
  const { server, clock, candidate } = await leader()
  server.edit((lease) => Object.assign(lease.spec ?? {}, { holderIdentity: 'other' }))
  await clock.advance(2_000)
  expect(() => candidate.term.check()).toThrow('the Lease portcullis/leader is now held by other')
  expect(server.lease?.spec?.holderIdentity).toBe('other')
})

it('A leader leads on after another client changed a label', async () => {
  const { server, clock, candidate } = await leader()
  server.edit((lease) => Object.assign(lease.metadata ?? {}, { labels: { team: 'edge' } }))
  await clock.advance(60_000)
  expect(candidate.term.check()).toBeGreaterThanOrEqual(8_000)
  expect(server.lease?.metadata.labels).toEqual({ team: 'edge' })
})

it('A leader leads on after a renewal that was carried out but whose response was lost', async () => {
  const { clock, candidate } = await leader()
  candidate.network = async ({ execute }) => {
    execute()
    candidate.network = reliable
    throw unanswered
  }
  await clock.advance(60_000)
  expect(candidate.terms).toHaveLength(1)
  expect(candidate.term.check()).toBeGreaterThanOrEqual(8_000)
})

it('A leader restores a Lease that was deleted, and leads on', async () => {
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

it('A leader stops when another has created the deleted Lease anew', async () => {
  const { server, clock, candidate } = await leader()
  server.delete()
  server.create({
    metadata: { name: 'leader' },
    spec: { holderIdentity: 'other', leaseDurationSeconds: 15 },
  })
  await clock.advance(2_000)
  expect(() => candidate.term.check()).toThrow('held by other')
})

it('A leader that is stopped keeps its term and renews until its work is done, then releases the lease and ends', async () => {
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

it('A leader refuses writes before it releases the lease', async () => {
  const { candidate } = await leader()
  let refused = false
  candidate.network = async ({ execute }) => {
    refused = candidate.term.signal.aborted
    return execute()
  }
  await candidate.finishWork()
  expect(refused).toBe(true)
})

it('A leader whose work is done without a stop lets another lead first, and campaigns again', async () => {
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

it('A leader ends in order even if it cannot release the lease', async () => {
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

it("A leader does not release another's lease", async () => {
  const { server, candidate } = await leader()
  server.edit((lease) => Object.assign(lease.spec ?? {}, { holderIdentity: 'other' }))
  await candidate.stop()
  await candidate.finishWork()
  expect(server.lease?.spec?.holderIdentity).toBe('other')
})

it('A leader whose work fails reports the failure and leaves the lease to run out', async () => {
  const { server, candidate } = await leader()
  await candidate.failWork(new Error('out of memory'))
  expect(candidate.failure).toEqual(new Error('out of memory'))
  expect(() => candidate.term.check()).toThrow('its work has failed')
  expect(server.lease?.spec?.holderIdentity).toBe('me')
})
