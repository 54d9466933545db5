import { expect, test } from 'vitest'
import { newSeries, type Occurrence, seriesKey } from './event-series.ts'

const occurrence: Occurrence = { type: 'Normal', reason: 'Why', action: 'Do', note: 'What happened.' }
const reporter = { reportingController: 'portcullis.dev/operator', reportingInstance: 'portcullis-0' }
const time = { now: new Date(0), suffix: 'f00' }

const nameFor = (name: string | undefined) =>
  newSeries({ kind: 'Node', ...(name !== undefined && { name }) }, occurrence, reporter, time).event.metadata
    .name

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
])('the Event of an object that is called $object gets a name that an Event may have: $event', (names) => {
  const name = nameFor(names.object)
  expect(name).toBe(names.event)
  expect(name.length).toBeLessThanOrEqual(253)
})

test('texts are cut to what the API server takes', () => {
  const long = 'x'.repeat(2000)
  const { event } = newSeries(
    { name: 'router' },
    { ...occurrence, reason: long, action: long, note: long },
    { ...reporter, reportingInstance: long },
    time,
  )
  const { reason, action, note, reportingInstance } = event
  expect([reason, action, note, reportingInstance].map((text) => Buffer.byteLength(text ?? ''))).toEqual([
    128, 128, 1024, 128,
  ])
})

test('occurrences are one series whatever else has changed in the objects that they are about', () => {
  const service = (uid: string, resourceVersion: string) => ({
    kind: 'Service',
    metadata: { namespace: 'ingress', name: 'router', uid, resourceVersion },
  })
  const key = (uid: string, resourceVersion: string) =>
    seriesKey(service('1', resourceVersion), { ...occurrence, related: service(uid, resourceVersion) })
  expect(key('2', '7')).toBe(key('2', '8'))
  expect(key('2', '7')).not.toBe(key('3', '7'))
})
