import type { Event } from 'kubernetes-types/events/v1'
import { afterEach, expect } from 'vitest'
import type { KubeApi } from '../client/api.ts'
import { ApiError } from '../client/errors.ts'
import { type EventRecord, EventRecorder, type EventRecorderOptions } from '../events/recorder.ts'
import { silentLogger } from '../log.ts'
import { createMetrics } from '../metrics.ts'
import type { KubeObject, Persisted } from '../objects/objects.ts'
import { VirtualClock } from './virtual-clock.ts'

export const router = {
  apiVersion: 'operator.openshift.io/v1',
  kind: 'IngressController',
  metadata: { namespace: 'ingress', name: 'default', uid: 'uid-1', resourceVersion: '7' },
}

export const scopeChanged: EventRecord = {
  type: 'Normal',
  reason: 'ScopeChanged',
  action: 'DeleteService',
  note: 'The load balancer is replaced.',
}

export const refusal = (code: number, reason: string) => new ApiError('create Event', code, { reason })

/** The Events of a server, a recorder that writes them, and a clock that both go by. */
export class Bench {
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
export const aBench = (options: Partial<EventRecorderOptions> = {}) => {
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
