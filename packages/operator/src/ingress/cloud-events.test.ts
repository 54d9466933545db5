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

test('Without events the state of the cloud is unknown', () => {
  expect(cloudReport([], 'ours')).toEqual({
    failure: undefined,
    succeededAt: undefined,
    isAtWork: false,
    nodes: 'unknown',
  })
})

test('A failure counts until a success that was written after it, even in the same second', () => {
  expect(cloudReport([failed(2)], 'ours').failure?.message).toBe('SyncLoadBalancerFailed 2')
  expect(cloudReport([ensured(3), failed(2)], 'ours')).toEqual({
    failure: undefined,
    succeededAt: new Date(second),
    isAtWork: false,
    nodes: 'unknown',
  })
  expect(cloudReport([ensured(3), failed(4)], 'ours').failure?.message).toBe('SyncLoadBalancerFailed 4')
})

test('Events of other reporters about the Service are not reports of the cloud', () => {
  const impostor = { source: { component: 'impostor' }, reportingComponent: 'service-controller' }
  expect(cloudReport([failed(2, impostor)], 'ours').failure).toBeUndefined()
  expect(cloudReport([failed(2), ensured(3, impostor)], 'ours').failure).toBeDefined()
})

test('The cloud may identify itself by the reportingController of events.k8s.io/v1', () => {
  const inTheNewWay = { source: {}, reportingComponent: 'service-controller' }
  expect(cloudReport([failed(2, inTheNewWay)], 'ours').failure).toBeDefined()
})

test('An event whose count increases is dated by its last occurrence', () => {
  const again = failed(9, { count: 7, lastTimestamp: '2030-01-01T00:09:00Z' })
  expect(cloudReport([again, ensured(3)], 'ours').failure?.at).toEqual(new Date('2030-01-01T00:09:00Z'))
})

test('The last of several failures counts', () => {
  const [elder, younger] = [failed(9), failed(10)]
  for (const failures of [
    [elder, younger],
    [younger, elder],
  ])
    expect(cloudReport(failures, 'ours').failure?.message).toBe('SyncLoadBalancerFailed 10')
})

test('Events about an earlier Service of the same name do not count', () => {
  expect(cloudReport([failed(2)], 'another').failure).toBeUndefined()
})

test('Resource versions are compared as numbers of any length', () => {
  const report = cloudReport([ensured(99), failed(100)], 'ours')
  expect(report.failure).toBeDefined()
})

test('Events with other reasons are ignored', () => {
  const others = [event('EnsuringLoadBalancer', 5), event('DeletedLoadBalancer', 6)]
  expect(cloudReport([...others, failed(2)], 'ours').failure).toBeDefined()
})

test('The cloud is syncing from its start event to its success or failure', () => {
  const ensuring = event('EnsuringLoadBalancer', 5)
  const isAtWork = (...events: Cached<Event>[]) => cloudReport([ensuring, ...events], 'ours').isAtWork
  expect([isAtWork(), isAtWork(ensured(3), failed(4))]).toEqual([true, true])
  expect([isAtWork(ensured(6)), isAtWork(failed(6)), isAtWork(failed(4), ensured(6))]).toEqual([
    false,
    false,
    false,
  ])
})

test('The load balancer lacks nodes from the warning until the next sync, and "ensured" just after the warning is not one', () => {
  const warning = event('UnAvailableLoadBalancer', 5)
  const ensuring = (version: number) => event('EnsuringLoadBalancer', version)
  const nodes = (...events: Cached<Event>[]) => cloudReport([warning, ...events], 'ours').nodes
  expect([nodes(), nodes(ensuring(4), ensured(6))]).toEqual(['none', 'none'])
  expect([nodes(ensuring(7), ensured(6)), nodes(ensuring(7), failed(8))]).toEqual(['none', 'none'])
  expect([nodes(ensuring(7), ensured(8)), nodes(event('UpdatedLoadBalancer', 6))]).toEqual(['some', 'some'])
})

test('The time of an events.k8s.io/v1 event is read from eventTime or its series', () => {
  const series = {
    lastTimestamp: undefined,
    series: { count: 2, lastObservedTime: '2030-01-01T00:00:05.000000Z' },
  }
  expect(cloudReport([failed(2, series)], 'ours').failure?.at).toEqual(new Date('2030-01-01T00:00:05Z'))
  const single = { lastTimestamp: undefined, eventTime: '2030-01-01T00:00:04.000000Z' }
  expect(cloudReport([failed(2, single)], 'ours').failure?.at).toEqual(new Date('2030-01-01T00:00:04Z'))
})

test('An event is cached with only the fields that a report needs', () => {
  const metadata = { name: 'e2', uid: 'e2', resourceVersion: '2' }
  expect(kept(event('DeletedLoadBalancer', 2))).toEqual({ metadata, involvedObject: {} })
  expect(kept(failed(2, { source: { component: 'impostor' } }))).toEqual({ metadata, involvedObject: {} })
  expect(kept(ensured(2))).not.toHaveProperty('message')
})

test.each([
  ['the year 10000, as Go writes it', '10000-01-01T22:59:59Z', new Date(Date.UTC(10_000, 0, 1, 22, 59, 59))],
  ['a year before 0', '-0001-12-31T01:00:00Z', new Date('-000001-12-31T01:00:00Z')],
  ['a time that nobody can read', 'tomorrow', new Date(0)],
])('An Event of %s is cached and reported as any other', (_, lastTimestamp, at) => {
  const { failure } = cloudReport([failed(2, { lastTimestamp })], 'ours')
  expect(failure).toEqual({ message: 'SyncLoadBalancerFailed 2', at })
})

test("An Event with Go's zero time, which comes as null, counts by its series or its creation", () => {
  const zero = { lastTimestamp: null, eventTime: null }
  expect(cloudReport([failed(2, zero)], 'ours').failure?.at).toEqual(new Date(0))
  const series = { count: 2, lastObservedTime: '2030-01-01T00:00:01.000000Z' }
  expect(cloudReport([failed(2, { ...zero, series })], 'ours').failure?.at).toEqual(new Date(second))
})

test('An Event of a megabyte is cached in a few bytes', () => {
  const huge = failed(2, { message: ' '.repeat(1_000_000) })
  expect(JSON.stringify(kept(huge)).length).toBeLessThan(3_000)
  expect(kept(huge).involvedObject).toEqual(kept(failed(3)).involvedObject)
})

test.each([
  ['name', 253],
  ['uid', 64],
])('An Event about an object whose %s is longer than %i characters is not about a Service', (field, most) => {
  const about = (length: number) =>
    kept(failed(2, { involvedObject: { name: 'a', uid: 'b', [field]: 'x'.repeat(length) } }))
  expect(about(most).involvedObject).toMatchObject({ [field]: 'x'.repeat(most) })
  expect(about(most + 1)).toEqual({ metadata: about(most).metadata, involvedObject: {} })
})

test('Events are dated by the API server, because the clock of the cloud may be hours off', () => {
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

test('A failure without a message is reported as one without a message', () => {
  expect(cloudReport([failed(2, { message: undefined })], 'ours').failure?.message).toBe('no message')
})

test('An Event that names no object is cached as not being about a Service', () => {
  expect(kept(failed(2, { involvedObject: {} })).involvedObject).toEqual({ name: '', uid: '' })
})
