import type { Cached, Persisted } from '@portcullis/kube'
import type { Event } from 'kubernetes-types/core/v1'
import { expect, test } from 'vitest'
import { projectCloudEvent, cloudReport as reportOf } from './cloud-events.ts'

const second = '2030-01-01T00:00:01Z'

const event = (reason: string, version: number, more: object = {}): Cached<Event> => ({
  metadata: { name: `e${version}`, uid: `e${version}`, resourceVersion: String(version) },
  involvedObject: { kind: 'Service', uid: 'ours' },
  source: { component: 'service-controller' },
  reason,
  message: `${reason} ${version}`,
  lastTimestamp: second,
  ...more,
})

/** What is kept of the events says the same as all of them. */
function cloudReport(events: readonly Cached<Event>[], uid: string) {
  const report = reportOf(events, uid)
  expect(reportOf(events.map(kept), uid)).toEqual(report)
  return report
}
const kept = (each: Cached<Event>) => projectCloudEvent(structuredClone(each) as Persisted<Event>)

const failed = (version: number, more?: object) => event('SyncLoadBalancerFailed', version, more)
const ensured = (version: number, more?: object) => event('EnsuredLoadBalancer', version, more)

test('without events nothing is known', () => {
  expect(cloudReport([], 'ours')).toEqual({
    failure: undefined,
    succeededAt: undefined,
    isAtWork: false,
    nodes: 'unknown',
  })
})

test('a failure counts until a success that was written after it, be it in the same second', () => {
  expect(cloudReport([failed(2)], 'ours').failure?.message).toBe('SyncLoadBalancerFailed 2')
  expect(cloudReport([ensured(3), failed(2)], 'ours')).toEqual({
    failure: undefined,
    succeededAt: new Date(second),
    isAtWork: false,
    nodes: 'unknown',
  })
  expect(cloudReport([ensured(3), failed(4)], 'ours').failure?.message).toBe('SyncLoadBalancerFailed 4')
})

test('what somebody else says about the Service is not what the cloud says', () => {
  const impostor = { source: { component: 'impostor' }, reportingComponent: 'service-controller' }
  expect(cloudReport([failed(2, impostor)], 'ours').failure).toBeUndefined()
  expect(cloudReport([failed(2), ensured(3, impostor)], 'ours').failure).toBeDefined()
})

test('the cloud may say who it is in the way of newer events', () => {
  const inTheNewWay = { source: {}, reportingComponent: 'service-controller' }
  expect(cloudReport([failed(2, inTheNewWay)], 'ours').failure).toBeDefined()
})

test('an event that is counted up again is younger than it looks', () => {
  const again = failed(9, { count: 7, lastTimestamp: '2030-01-01T00:09:00Z' })
  expect(cloudReport([again, ensured(3)], 'ours').failure?.at).toEqual(new Date('2030-01-01T00:09:00Z'))
})

test('of several failures the last one tells', () => {
  const [elder, younger] = [failed(9), failed(10)]
  for (const failures of [
    [elder, younger],
    [younger, elder],
  ])
    expect(cloudReport(failures, 'ours').failure?.message).toBe('SyncLoadBalancerFailed 10')
})

test('events about a Service that had the name before do not count', () => {
  expect(cloudReport([failed(2)], 'another').failure).toBeUndefined()
})

test('versions are numbers, however long', () => {
  const report = cloudReport([ensured(99), failed(100)], 'ours')
  expect(report.failure).toBeDefined()
})

test('other reasons say nothing', () => {
  const others = [event('EnsuringLoadBalancer', 5), event('DeletedLoadBalancer', 6)]
  expect(cloudReport([...others, failed(2)], 'ours').failure).toBeDefined()
})

test('it is at work from the beginning to the end, well or not', () => {
  const ensuring = event('EnsuringLoadBalancer', 5)
  const isAtWork = (...events: Cached<Event>[]) => cloudReport([ensuring, ...events], 'ours').isAtWork
  expect([isAtWork(), isAtWork(ensured(3), failed(4))]).toEqual([true, true])
  expect([isAtWork(ensured(6)), isAtWork(failed(6)), isAtWork(failed(4), ensured(6))]).toEqual([
    false,
    false,
    false,
  ])
})

test('it lacks nodes from its warning until it has looked again, and "ensured" just after the warning is no such look', () => {
  const warning = event('UnAvailableLoadBalancer', 5)
  const ensuring = (version: number) => event('EnsuringLoadBalancer', version)
  const nodes = (...events: Cached<Event>[]) => cloudReport([warning, ...events], 'ours').nodes
  expect([nodes(), nodes(ensuring(4), ensured(6))]).toEqual(['none', 'none'])
  expect([nodes(ensuring(7), ensured(6)), nodes(ensuring(7), failed(8))]).toEqual(['none', 'none'])
  expect([nodes(ensuring(7), ensured(8)), nodes(event('UpdatedLoadBalancer', 6))]).toEqual(['some', 'some'])
})

test('the newer form of events has its time elsewhere', () => {
  const series = {
    lastTimestamp: undefined,
    series: { count: 2, lastObservedTime: '2030-01-01T00:00:05.000000Z' },
  }
  expect(cloudReport([failed(2, series)], 'ours').failure?.at).toEqual(new Date('2030-01-01T00:00:05Z'))
  const single = { lastTimestamp: undefined, eventTime: '2030-01-01T00:00:04.000000Z' }
  expect(cloudReport([failed(2, single)], 'ours').failure?.at).toEqual(new Date('2030-01-01T00:00:04Z'))
})

test('nothing is kept of an event that a report is not made of, but that it is there', () => {
  const metadata = { name: 'e2', uid: 'e2', resourceVersion: '2' }
  expect(kept(event('DeletedLoadBalancer', 2))).toEqual({ metadata, involvedObject: {} })
  expect(kept(failed(2, { source: { component: 'impostor' } }))).toEqual({ metadata, involvedObject: {} })
  expect(kept(ensured(2))).not.toHaveProperty('message')
})

test.each([
  ['the year 10000, as Go writes it', '10000-01-01T22:59:59Z', new Date(Date.UTC(10_000, 0, 1, 22, 59, 59))],
  ['a year before 0', '-0001-12-31T01:00:00Z', new Date('-000001-12-31T01:00:00Z')],
  ['a time that nobody can read', 'tomorrow', new Date(0)],
])('an Event of %s is kept and told as any other', (_, lastTimestamp, at) => {
  const { failure } = cloudReport([failed(2, { lastTimestamp })], 'ours')
  expect(failure).toEqual({ message: 'SyncLoadBalancerFailed 2', at })
})

test("an Event with Go's zero time, which comes as null, counts by its series or its creation", () => {
  const zero = { lastTimestamp: null, eventTime: null }
  expect(cloudReport([failed(2, zero)], 'ours').failure?.at).toEqual(new Date(0))
  const series = { count: 2, lastObservedTime: '2030-01-01T00:00:01.000000Z' }
  expect(cloudReport([failed(2, { ...zero, series })], 'ours').failure?.at).toEqual(new Date(second))
})

test('an Event of a megabyte keeps little of it', () => {
  const huge = failed(2, { message: ' '.repeat(1_000_000) })
  expect(JSON.stringify(kept(huge)).length).toBeLessThan(3_000)
  expect(kept(huge).involvedObject).toEqual(kept(failed(3)).involvedObject)
})

test.each([
  ['name', 253],
  ['uid', 64],
])('an Event about an object whose %s is longer than %i characters is about no Service', (field, most) => {
  const about = (length: number) =>
    kept(failed(2, { involvedObject: { name: 'a', uid: 'b', [field]: 'x'.repeat(length) } }))
  expect(about(most).involvedObject).toMatchObject({ [field]: 'x'.repeat(most) })
  expect(about(most + 1)).toEqual({ metadata: about(most).metadata, involvedObject: {} })
})

test('times are those at which the API server was told, first or again: the clock of the cloud may be hours off', () => {
  const lastTimestamp = '2030-01-01T09:00:00Z'
  const metadata = { ...failed(2).metadata, creationTimestamp: '2030-01-01T00:00:01Z' }
  const at = (event: Cached<Event>) => cloudReport([event], 'ours').failure?.at
  expect(at(failed(2, { lastTimestamp, metadata }))).toEqual(new Date('2030-01-01T00:00:01Z'))
  const writes = [{ time: '2030-01-01T00:00:07Z' }, { time: '2030-01-01T00:00:05Z' }]
  for (const managedFields of [writes, [...writes, { time: '2030-01-01T00:00:06Z' }], [...writes, {}]]) {
    const again = failed(2, { lastTimestamp, metadata: { ...metadata, managedFields } })
    expect(at(again)).toEqual(new Date('2030-01-01T00:00:07Z'))
  }
})

test('a failure without a message is told as one', () => {
  expect(cloudReport([failed(2, { message: undefined })], 'ours').failure?.message).toBe('no message')
})

test('an Event that names no object is kept as being about no Service', () => {
  expect(kept(failed(2, { involvedObject: {} })).involvedObject).toEqual({ name: '', uid: '' })
})
