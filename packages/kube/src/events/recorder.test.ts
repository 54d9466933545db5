// Longer than 350 lines: all tests share the API server that fails on demand below.

import type { Event } from 'kubernetes-types/events/v1'
import { afterEach, describe, expect, it } from 'vitest'
import type { KubeApi } from '../client/api.ts'
import { ApiError, ConnectionError, WriteRefusedError } from '../client/errors.ts'
import { sleep } from '../clock.ts'
import { silentLogger } from '../log.ts'
import { createMetrics } from '../metrics.ts'
import type { KubeObject, Persisted } from '../objects/objects.ts'
import { settle, VirtualClock } from '../testing/virtual-clock.ts'
import { type EventRecord, EventRecorder, type EventRecorderOptions } from './recorder.ts'

const router = {
  apiVersion: 'operator.openshift.io/v1',
  kind: 'IngressController',
  metadata: { namespace: 'ingress', name: 'default', uid: 'uid-1', resourceVersion: '7' },
}

const scopeChanged: EventRecord = {
  type: 'Normal',
  reason: 'ScopeChanged',
  action: 'DeleteService',
  note: 'The load balancer is replaced.',
}

const refusal = (code: number, reason: string) => new ApiError('create Event', code, { reason })

/** The Events of a server, a recorder that writes them, and a clock that both go by. */
class Bench {
  readonly clock = new VirtualClock()
  readonly metrics = createMetrics('portcullis')
  readonly events = new Map<string, Event>()
  readonly requests: string[] = []
  readonly warnings: string[] = []
  /** What happens to a request before the server carries it out. */
  network: (request: { name: string; verb: 'create' | 'patch' }) => Promise<void> = async () => {}
  readonly recorder: EventRecorder
  #chance = 0

  constructor(options: Partial<EventRecorderOptions> = {}) {
    this.recorder = new EventRecorder({
      client: { create: this.#create, patch: this.#patch },
      reportingController: 'portcullis.dev/operator',
      reportingInstance: 'portcullis-0',
      clock: this.clock,
      random: () => {
        this.#chance = (this.#chance + 0.618) % 1
        return this.#chance
      },
      log: { ...silentLogger, warn: (_fields, message) => void this.warnings.push(message) },
      metrics: this.metrics,
      ...options,
    })
  }

  get stored(): Event[] {
    return [...this.events.values()]
  }

  async record(record: Partial<EventRecord> = {}): Promise<void> {
    this.recorder.record(router, { ...scopeChanged, ...record })
    await this.clock.advance(0)
  }

  async dropped(): Promise<Record<string, number>> {
    const { values } = await this.metrics.eventsDropped.get()
    return Object.fromEntries(values.map(({ labels, value }) => [labels.cause, value]))
  }

  readonly #create: KubeApi['create'] = async <T extends KubeObject>(_kind: unknown, object: T) => {
    const name = object.metadata?.name ?? ''
    this.requests.push('create')
    await this.network({ name, verb: 'create' })
    if (this.events.has(name)) throw refusal(409, 'AlreadyExists')
    this.events.set(name, structuredClone<KubeObject>(object) as Event)
    return object as Persisted<T>
  }

  readonly #patch: KubeApi['patch'] = async <T extends KubeObject>(
    ...[_kind, { name }, { body }]: Parameters<KubeApi['patch']>
  ) => {
    this.requests.push('patch')
    await this.network({ name, verb: 'patch' })
    const event = this.events.get(name)
    if (event === undefined) throw refusal(404, 'NotFound')
    Object.assign(event, structuredClone(body))
    return event as KubeObject as Persisted<T>
  }
}

let benches: Bench[] = []
const aBench = (options: Partial<EventRecorderOptions> = {}) => {
  const bench = new Bench(options)
  benches.push(bench)
  return bench
}

afterEach(() => {
  for (const { recorder, clock } of benches) {
    recorder.close()
    expect(clock.pendingTimers, 'timers left after close').toBe(0)
  }
  benches = []
})

describe('the first record of an event', () => {
  it('creates an Event', async () => {
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

  it('about an object without a namespace creates the Event in the namespace default', async () => {
    const bench = aBench()
    bench.recorder.record({ apiVersion: 'v1', kind: 'Node', name: 'node-1' }, scopeChanged)
    await bench.clock.advance(0)
    expect(bench.stored[0]?.metadata?.namespace).toBe('default')
    expect(bench.stored[0]?.regarding).toEqual({ apiVersion: 'v1', kind: 'Node', name: 'node-1' })
  })

  it.each(['system:node', 'system:.node', `${'a'.repeat(235)}.b${'c'.repeat(20)}`, ':', 'Capital.'])(
    'about an object named %s gets a name that Events may have',
    async (name) => {
      const bench = aBench()
      bench.recorder.record({ ...router, metadata: { name } }, scopeChanged)
      await bench.clock.advance(0)
      const eventName = bench.stored[0]?.metadata?.name ?? ''
      expect(eventName).toMatch(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/)
      expect(eventName.length).toBeLessThanOrEqual(253)
    },
  )

  it('is cut to what the API server takes', async () => {
    const bench = aBench({ reportingInstance: 'i'.repeat(200) })
    await bench.record({ reason: 'R'.repeat(200), action: 'A'.repeat(200), note: '🚦'.repeat(300) })
    const event = bench.stored[0]
    expect(event?.note).toBe(`${'🚦'.repeat(255)}…`)
    for (const text of [event?.reason, event?.action, event?.reportingInstance]) {
      expect(Buffer.byteLength(text ?? '')).toBe(128)
    }
  })
})

describe('further records of the same event', () => {
  it('are one Event that counts them and has the time of the last one', async () => {
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

  it('that come together are sent together', async () => {
    const bench = aBench()
    for (let i = 0; i < 3; i++) bench.recorder.record(router, scopeChanged)
    await bench.clock.advance(0)
    expect(bench.requests).toEqual(['create'])
    expect(bench.stored[0]?.series?.count).toBe(3)
  })

  it('are counted while a request is in flight', async () => {
    const bench = aBench()
    bench.network = () => sleep(bench.clock, 100)
    await bench.record()
    await bench.record()
    await bench.clock.advance(10_000)
    expect(bench.requests).toEqual(['create', 'patch'])
    expect(bench.stored[0]?.series?.count).toBe(2)
  })

  it('in a hot loop cost a request every few seconds, and each one is counted', async () => {
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
  ])('create another Event when they differ in %o', async (difference) => {
    const bench = aBench()
    await bench.record()
    await bench.record(difference)
    expect(bench.stored).toHaveLength(2)
  })

  it('create another Event when they are about another object, even of the same name', async () => {
    const bench = aBench()
    await bench.record()
    bench.recorder.record({ ...router, metadata: { ...router.metadata, uid: 'uid-2' } }, scopeChanged)
    await bench.clock.advance(0)
    expect(bench.stored).toHaveLength(2)
  })

  it('create another Event after six quiet minutes', async () => {
    const bench = aBench()
    await bench.record()
    await bench.clock.advance(359_000)
    await bench.record()
    expect(bench.stored).toHaveLength(1)
    await bench.clock.advance(360_000)
    await bench.record()
    expect(bench.stored).toHaveLength(2)
  })

  it('create the Event again if the first one has expired', async () => {
    const bench = aBench()
    await bench.record()
    bench.events.clear()
    await bench.clock.advance(60_000)
    await bench.record()
    expect(bench.stored).toMatchObject([{ series: { count: 2 } }])
  })
})

describe('when the API server fails', () => {
  it('record returns at once, and never throws', () => {
    const bench = aBench()
    bench.network = () => new Promise(() => {})
    expect(bench.recorder.record(router, scopeChanged)).toBeUndefined()
    expect(() => bench.recorder.record(undefined as never, scopeChanged)).not.toThrow()
    expect(() => bench.recorder.record(router, { ...scopeChanged, note: 5 as never })).not.toThrow()
  })

  it('transient failures are retried with backoff', async () => {
    const bench = aBench()
    bench.network = async () => {
      throw new ConnectionError('create Event', 'refused')
    }
    await bench.record()
    await bench.clock.advance(10_000)
    expect(bench.requests.length).toBeGreaterThanOrEqual(3)
    expect(bench.requests.length).toBeLessThanOrEqual(5)
    bench.network = async () => {}
    await bench.clock.advance(30_000)
    expect(bench.stored).toHaveLength(1)
    expect(await bench.dropped()).toEqual({})
  })

  it('Retry-After is respected', async () => {
    const bench = aBench()
    bench.network = async () => {
      throw new ApiError('create Event', 429, { reason: 'TooManyRequests' }, 20_000)
    }
    await bench.record()
    await bench.clock.advance(19_999)
    expect(bench.requests).toHaveLength(1)
    await bench.clock.advance(1)
    expect(bench.requests).toHaveLength(2)
  })

  it('an Event that fails again and again is dropped after a few tries, and counted', async () => {
    const bench = aBench()
    bench.network = async () => {
      throw refusal(503, 'ServiceUnavailable')
    }
    await bench.record()
    await bench.clock.advance(600_000)
    expect(bench.requests).toHaveLength(6)
    expect(await bench.dropped()).toEqual({ unreachable: 1 })
    expect(bench.warnings).toEqual(['Events are being lost: the API server cannot be reached'])
  })

  it.each([
    [refusal(403, 'Forbidden'), 'forbidden'],
    [refusal(422, 'Invalid'), 'rejected'],
    [refusal(404, 'NotFound'), 'rejected'],
    [new WriteRefusedError('not leading'), 'refused'],
  ])('%s is permanent: nothing is retried, all is counted, one line is logged', async (error, cause) => {
    const bench = aBench()
    bench.network = async () => {
      throw error
    }
    await bench.record({ note: 'one' })
    await bench.record({ note: 'two' })
    await bench.clock.advance(300_000)
    expect(bench.requests).toHaveLength(2)
    expect(await bench.dropped()).toEqual({ [cause]: 2 })
    expect(bench.warnings).toHaveLength(1)
  })

  it('an Event whose creation got no response is not created twice', async () => {
    const bench = aBench()
    bench.network = async ({ name }) => {
      bench.network = async () => {}
      bench.events.set(name, { eventTime: '' })
      throw new ConnectionError('create Event', 'no answer')
    }
    await bench.record()
    await bench.record()
    await bench.clock.advance(10_000)
    expect(bench.stored).toHaveLength(1)
    expect(bench.stored[0]?.series?.count).toBe(2)
    expect(await bench.dropped()).toEqual({})
  })

  it('an Event that fails does not hold up the others', async () => {
    const bench = aBench()
    let first: string | undefined
    bench.network = async ({ name }) => {
      first ??= name
      if (name === first) throw refusal(500, 'InternalError')
    }
    await bench.record({ note: 'fails' })
    await bench.record({ note: 'works' })
    expect(bench.stored).toMatchObject([{ note: 'works' }])
  })

  it('an overflow is dropped and counted, with one line in the log', async () => {
    const bench = aBench({ capacity: 10 })
    bench.network = () => new Promise(() => {})
    for (let i = 0; i < 25; i++) bench.recorder.record(router, { ...scopeChanged, note: `note ${i}` })
    expect(await bench.dropped()).toEqual({ overflow: 15 })
    expect(bench.warnings).toHaveLength(1)
  })

  it('a reason with a limit takes no more than its share, and other Events are sent', async () => {
    const bench = aBench({ capacity: 10 })
    let answer = () => {}
    const slow = new Promise<void>((resolve) => {
      answer = resolve
    })
    bench.network = () => slow
    for (let at = 0; at < 50; at++)
      await bench.record({ reason: 'IngressNotSelected', note: `of ${at}`, maxUnsent: 3 })
    await bench.record({ note: 'something else' })
    answer()
    await bench.clock.advance(1_000)
    expect(bench.stored.map(({ note }) => note)).toEqual(['of 0', 'of 1', 'of 2', 'something else'])
    expect(await bench.dropped()).toEqual({ overflow: 47 })
    await bench.record({ reason: 'IngressNotSelected', note: 'later', maxUnsent: 3 })
    expect(bench.stored.at(-1)?.note).toBe('later')
  })

  it('memory is bounded: the series that was sent longest ago makes room', async () => {
    const bench = aBench({ capacity: 2 })
    for (const note of ['one', 'two', 'one', 'three', 'one', 'two']) {
      await bench.record({ note })
      await bench.clock.advance(5_000)
    }
    expect(bench.stored.map(({ note }) => note)).toEqual(['one', 'two', 'three', 'two'])
    expect(await bench.dropped()).toEqual({})
  })
})

describe('at an orderly stop', () => {
  it('flush sends what is unsent', async () => {
    const bench = aBench()
    await bench.record()
    await bench.record()
    expect(bench.stored[0]?.series).toBeUndefined()
    await bench.recorder.flush(new AbortController().signal)
    expect(bench.stored[0]?.series?.count).toBe(2)
    expect(bench.clock.pendingTimers).toBe(0)
  })

  it('flush waits for a request in flight', async () => {
    const bench = aBench()
    bench.network = () => sleep(bench.clock, 500)
    await bench.record()
    const flushed = bench.recorder.flush(new AbortController().signal)
    await bench.clock.advance(500)
    await flushed
    expect(bench.stored).toHaveLength(1)
  })

  it('flush gives up when its signal aborts', async () => {
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

  it('close drops and counts the rest, and what is recorded later', async () => {
    const bench = aBench()
    bench.recorder.record(router, scopeChanged)
    bench.recorder.close()
    bench.recorder.record(router, scopeChanged)
    await bench.clock.advance(60_000)
    expect(bench.requests).toEqual([])
    expect(await bench.dropped()).toEqual({ closed: 2 })
  })
})

describe('the options', () => {
  it.each([
    [{ reportingController: 'not a name' }, 'reportingController is "not a name"; give it a qualified name'],
    [{ reportingController: '' }, 'reportingController is ""'],
    [{ reportingInstance: '' }, 'reportingInstance is empty'],
    [{ capacity: 0 }, 'capacity is 0'],
  ])('%o are refused, for the API server would reject every Event', (options, message) => {
    expect(() => new Bench(options)).toThrow(message)
  })
})
