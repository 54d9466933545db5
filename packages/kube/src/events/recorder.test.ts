import { expect, it } from 'vitest'
import { sleep } from '../clock.ts'
import { aBench, Bench, router, scopeChanged } from '../testing/recorder-bench.ts'
import { settle } from '../testing/virtual-clock.ts'
import type { EventRecord } from './recorder.ts'

it('The first record of an event creates an Event', async () => {
  const bench = aBench()
  const related = { apiVersion: 'v1', kind: 'Service', namespace: 'ingress', name: 'router', uid: 'uid-2' }
  await bench.record({ related })
  expect(bench.stored).toEqual([
    {
      apiVersion: 'events.k8s.io/v1',
      kind: 'Event',
      metadata: { namespace: 'ingress', name: expect.stringMatching(/^default\.[0-9a-f]{16}$/) },
      eventTime: '2030-01-01T00:00:00.000000Z',
      type: 'Normal',
      reason: 'ScopeChanged',
      action: 'DeleteService',
      note: 'The load balancer is replaced.',
      regarding: {
        apiVersion: 'operator.openshift.io/v1',
        kind: 'IngressController',
        namespace: 'ingress',
        name: 'default',
        uid: 'uid-1',
      },
      related,
      reportingController: 'portcullis.dev/operator',
      reportingInstance: 'portcullis-0',
    },
  ])
})

it('A record about an object without a namespace creates the Event in the namespace default', async () => {
  const bench = aBench()
  bench.recorder.record({ apiVersion: 'v1', kind: 'Node', name: 'node-1' }, scopeChanged)
  await bench.clock.advance(0)
  expect(bench.stored[0]?.metadata?.namespace).toBe('default')
  expect(bench.stored[0]?.regarding).toEqual({ apiVersion: 'v1', kind: 'Node', name: 'node-1' })
})

it.each(['system:node', 'system:.node', `${'a'.repeat(235)}.b${'c'.repeat(20)}`, ':', 'Capital.'])(
  'A record about an object named %s creates an Event with a name that Events may have',
  async (name) => {
    const bench = aBench()
    bench.recorder.record({ ...router, metadata: { name } }, scopeChanged)
    await bench.clock.advance(0)
    const eventName = bench.stored[0]?.metadata?.name ?? ''
    expect(eventName).toMatch(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/)
    expect(eventName.length).toBeLessThanOrEqual(253)
  },
)

it('A record is cut to what the API server takes', async () => {
  const bench = aBench({ reportingInstance: 'i'.repeat(200) })
  await bench.record({ reason: 'R'.repeat(200), action: 'A'.repeat(200), note: '🚦'.repeat(300) })
  const event = bench.stored[0]
  expect(event?.note).toBe(`${'🚦'.repeat(255)}…`)
  for (const text of [event?.reason, event?.action, event?.reportingInstance]) {
    expect(Buffer.byteLength(text ?? '')).toBe(128)
  }
})

it('Further records of the same event are one Event that counts them and has the time of the last one', async () => {
  const bench = aBench()
  await bench.record()
  await bench.clock.advance(60_000)
  await bench.record()
  await bench.clock.advance(60_000)
  await bench.record()
  expect(bench.stored).toHaveLength(1)
  expect(bench.stored[0]).toMatchObject({
    eventTime: '2030-01-01T00:00:00.000000Z',
    series: { count: 3, lastObservedTime: '2030-01-01T00:02:00.000000Z' },
  })
})

it('Records that come together are sent together', async () => {
  const bench = aBench()
  for (let i = 0; i < 3; i++) bench.recorder.record(router, scopeChanged)
  await bench.clock.advance(0)
  expect(bench.requests).toEqual(['create'])
  expect(bench.stored[0]?.series?.count).toBe(3)
})

it('Records are counted while a request is in flight', async () => {
  const bench = aBench()
  bench.network = () => sleep(bench.clock, 100)
  await bench.record()
  await bench.record()
  await bench.clock.advance(10_000)
  expect(bench.requests).toEqual(['create', 'patch'])
  expect(bench.stored[0]?.series?.count).toBe(2)
})

it('Records in a hot loop cost a request every few seconds, and each one is counted', async () => {
  const bench = aBench()
  for (let i = 0; i < 6_000; i++) {
    bench.recorder.record(router, scopeChanged)
    await bench.clock.advance(10)
  }
  await bench.clock.advance(5_000)
  expect(bench.requests.length).toBeLessThanOrEqual(14)
  expect(bench.stored[0]?.series?.count).toBe(6_000)
})

it.each<Partial<EventRecord>>([
  { type: 'Warning' },
  { reason: 'Other' },
  { action: 'Other' },
  { note: 'Other.' },
  { related: { name: 'other' } },
])('Records that differ in %o create another Event', async (difference) => {
  const bench = aBench()
  await bench.record()
  await bench.record(difference)
  expect(bench.stored).toHaveLength(2)
})

it('Records about another object create another Event, even if it has the same name', async () => {
  const bench = aBench()
  await bench.record()
  bench.recorder.record({ ...router, metadata: { ...router.metadata, uid: 'uid-2' } }, scopeChanged)
  await bench.clock.advance(0)
  expect(bench.stored).toHaveLength(2)
})

it('A record after six quiet minutes creates another Event', async () => {
  const bench = aBench()
  await bench.record()
  await bench.clock.advance(359_000)
  await bench.record()
  expect(bench.stored).toHaveLength(1)
  await bench.clock.advance(360_000)
  await bench.record()
  expect(bench.stored).toHaveLength(2)
})

it('A record creates the Event again if the first one has expired', async () => {
  const bench = aBench()
  await bench.record()
  bench.events.clear()
  await bench.clock.advance(60_000)
  await bench.record()
  expect(bench.stored).toMatchObject([{ series: { count: 2 } }])
})

it('At an orderly stop flush sends what is unsent', async () => {
  const bench = aBench()
  await bench.record()
  await bench.record()
  expect(bench.stored[0]?.series).toBeUndefined()
  await bench.recorder.flush(new AbortController().signal)
  expect(bench.stored[0]?.series?.count).toBe(2)
  expect(bench.clock.pendingTimers).toBe(0)
})

it('At an orderly stop flush waits for a request in flight', async () => {
  const bench = aBench()
  bench.network = () => sleep(bench.clock, 500)
  await bench.record()
  const flushed = bench.recorder.flush(new AbortController().signal)
  await bench.clock.advance(500)
  await flushed
  expect(bench.stored).toHaveLength(1)
})

it('At an orderly stop flush gives up when its signal aborts', async () => {
  const bench = aBench()
  bench.network = () => new Promise(() => {})
  await bench.record()
  const patience = new AbortController()
  let flushed = false
  const flushing = bench.recorder.flush(patience.signal).finally(() => {
    flushed = true
  })
  await settle()
  expect(flushed).toBe(false)
  patience.abort()
  await flushing
  await bench.recorder.flush(patience.signal)
})

it('At an orderly stop close drops and counts the rest, and what is recorded later', async () => {
  const bench = aBench()
  bench.recorder.record(router, scopeChanged)
  bench.recorder.close()
  bench.recorder.record(router, scopeChanged)
  await bench.clock.advance(60_000)
  expect(bench.requests).toEqual([])
  expect(await bench.dropped()).toEqual({ closed: 2 })
})

it.each([
  [{ reportingController: 'not a name' }, 'reportingController is "not a name"; give it a qualified name'],
  [{ reportingController: '' }, 'reportingController is ""'],
  [{ reportingInstance: '' }, 'reportingInstance is empty'],
  [{ capacity: 0 }, 'capacity is 0'],
])('The options %o are refused, for the API server would reject every Event', (options, message) => {
  expect(() => new Bench(options)).toThrow(message)
})
