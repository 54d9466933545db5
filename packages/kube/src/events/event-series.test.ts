import { expect, test } from 'vitest'
import { type EventRecord, eventOf, newSeries, patchOf, type Regarding, seriesKey } from './event-series.ts'

const record: EventRecord = { type: 'Normal', reason: 'Why', action: 'Do', note: 'What happened.' }
const reporter = { reportingController: 'portcullis.dev/operator', reportingInstance: 'portcullis-0' }
const time = { now: new Date(0), suffix: 'f00' }

const nameFor = (name: string | undefined) =>
  newSeries({ kind: 'Node', ...(name !== undefined && { name }) }, record, reporter, time).event.metadata.name

test.each([
  { object: 'router', event: 'router.f00' },
  { object: 'a.b-c--d', event: 'a.b-c--d.f00' },
  { object: 'System:Node', event: 'system-node.f00' },
  { object: 'a..b-.-c', event: 'a.b.c.f00' },
  { object: '-.a-b', event: 'a-b.f00' },
  { object: 'a-.', event: 'a.f00' },
  { object: '_:', event: 'f00' },
  { object: undefined, event: 'f00' },
  { object: 'a'.repeat(300), event: `${'a'.repeat(249)}.f00` },
  { object: `${'a'.repeat(248)}-b`, event: `${'a'.repeat(248)}.f00` },
])('The Event of an object named $object gets a name that an Event may have: $event', (names) => {
  const name = nameFor(names.object)
  expect(name).toBe(names.event)
  expect(name.length).toBeLessThanOrEqual(253)
})

test('Texts are cut to the lengths that the API server takes', () => {
  const long = 'x'.repeat(2000)
  const { event } = newSeries(
    { name: 'router' },
    { ...record, reason: long, action: long, note: long },
    { ...reporter, reportingInstance: long },
    time,
  )
  const { reason, action, note, reportingInstance } = event
  expect([reason, action, note, reportingInstance].map((text) => Buffer.byteLength(text ?? ''))).toEqual([
    128, 128, 1024, 128,
  ])
})

test('Events belong to one series whatever else changed in the objects that they are about', () => {
  const service = (uid: string, resourceVersion: string) => ({
    kind: 'Service',
    metadata: { namespace: 'ingress', name: 'router', uid, resourceVersion },
  })
  const key = (uid: string, resourceVersion: string) =>
    seriesKey(service('1', resourceVersion), { ...record, related: service(uid, resourceVersion) })
  expect(key('2', '7')).toBe(key('2', '8'))
  expect(key('2', '7')).not.toBe(key('3', '7'))
})

test('An Event says what happened, to which object, when, and who reports it', () => {
  const regarding = {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { namespace: 'ingress', name: 'router', uid: '1', resourceVersion: '7' },
  }
  const related = { kind: 'Node', name: 'a' }
  expect(newSeries(regarding, { ...record, related }, reporter, time)).toEqual({
    event: {
      apiVersion: 'events.k8s.io/v1',
      kind: 'Event',
      metadata: { namespace: 'ingress', name: 'router.f00' },
      eventTime: '1970-01-01T00:00:00.000000Z',
      type: 'Normal',
      reason: 'Why',
      action: 'Do',
      note: 'What happened.',
      regarding: { apiVersion: 'v1', kind: 'Service', namespace: 'ingress', name: 'router', uid: '1' },
      related,
      reportingController: 'portcullis.dev/operator',
      reportingInstance: 'portcullis-0',
    },
    created: false,
    count: 0,
    lastObserved: new Date(0),
    sent: 0,
  })
})

test.each<[string, Regarding]>([
  ['that has no namespace', { kind: 'Node', name: 'a' }],
  ['whose namespace is empty', { kind: 'Node', namespace: '', name: 'a' }],
])('An Event about an object %s is in the namespace default', (_, regarding) => {
  const { event } = newSeries(regarding, record, reporter, time)
  expect(event.metadata.namespace).toBe('default')
  expect(event.regarding).toStrictEqual(regarding)
  expect(event).not.toHaveProperty('related')
})

test('An Event says how often it happened, and when last, from the second time on', () => {
  const series = newSeries({ name: 'router' }, record, reporter, time)
  const happened = (count: number) => ({ ...series, count, lastObserved: new Date(count * 1000) })
  expect(eventOf(happened(1))).toEqual(series.event)
  const twice = { count: 2, lastObservedTime: '1970-01-01T00:00:02.000000Z' }
  expect(eventOf(happened(2))).toEqual({ ...series.event, series: twice })
  expect(patchOf(happened(2))).toEqual({ type: 'merge', body: { series: twice } })
})

test('Events that differ in what happened, or in the object, belong to different series', () => {
  const about = { kind: 'Service', namespace: 'ingress', name: 'router' }
  const keys = [
    seriesKey(about, record),
    seriesKey({ ...about, uid: '1' }, record),
    seriesKey({ ...about, uid: '2' }, record),
    seriesKey({ ...about, kind: 'Deployment' }, record),
    seriesKey({ ...about, namespace: 'default' }, record),
    seriesKey({ ...about, name: 'other' }, record),
    seriesKey(about, { ...record, type: 'Warning' }),
    seriesKey(about, { ...record, reason: 'Other' }),
    seriesKey(about, { ...record, action: 'Other' }),
    seriesKey(about, { ...record, note: 'Other.' }),
    seriesKey(about, { ...record, related: about }),
  ]
  expect(new Set(keys).size).toBe(keys.length)
})
