import { ApiError, type KubeApi, type KubeObject, type Persisted, silentLogger } from '@portcullis/kube'
import { VirtualClock } from '@portcullis/kube/testing'
import type { Event } from 'kubernetes-types/core/v1'
import { expect, it } from 'vitest'
import { ComponentEvents } from './component-events.ts'

/** The Events of a server that takes everything. */
class Bench {
  readonly clock = new VirtualClock()
  readonly stored = new Map<string, Event>()
  isBroken = false
  readonly events = new ComponentEvents({
    component: 'service-controller',
    clock: this.clock,
    random: () => 0.5,
    log: silentLogger,
  })

  readonly client: Pick<KubeApi, 'create' | 'patch'> = {
    create: async <T extends KubeObject>(_kind: unknown, object: T) => {
      if (this.isBroken) throw new ApiError('create Event', 403, { reason: 'Forbidden' })
      this.stored.set(object.metadata?.name ?? '', structuredClone<KubeObject>(object) as Event)
      return object as Persisted<T>
    },
    patch: async <T extends KubeObject>(...[_kind, { name }, { body }]: Parameters<KubeApi['patch']>) => {
      const event = this.stored.get(name)
      if (event === undefined) throw new ApiError('patch Event', 404, { reason: 'NotFound' })
      return Object.assign(event, structuredClone(body)) as KubeObject as Persisted<T>
    },
  }

  record(message: string): Promise<void> {
    const service = {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { namespace: 'ns', name: 'router', uid: 'u' },
    }
    return this.events.record(this.client, service, {
      type: 'Normal',
      reason: 'EnsuringLoadBalancer',
      message,
    })
  }

  get all(): Event[] {
    return [...this.stored.values()]
  }
}

it('An event of a component names its source, and counts its repetitions', async () => {
  const bench = new Bench()
  await bench.record('Ensuring load balancer')
  await bench.clock.advance(5_000)
  await bench.record('Ensuring load balancer')
  expect(bench.all).toMatchObject([
    {
      involvedObject: { kind: 'Service', namespace: 'ns', name: 'router', uid: 'u' },
      source: { component: 'service-controller' },
      reportingComponent: 'service-controller',
      count: 2,
      firstTimestamp: '2030-01-01T00:00:00Z',
      lastTimestamp: '2030-01-01T00:00:05Z',
    },
  ])
})

it('An event of a component is a new one when its message differs, and names sort by time', async () => {
  const bench = new Bench()
  await bench.record('one')
  await bench.record('two')
  const names = bench.all.map(({ metadata }) => metadata.name ?? '')
  expect(names).toEqual([...names].sort())
  expect(new Set(names).size).toBe(2)
})

it('An event of a component is combined with similar ones from the tenth on', async () => {
  const bench = new Bench()
  for (let number = 1; number <= 12; number++) await bench.record(`Created pod: ${number}`)
  expect(bench.all).toHaveLength(10)
  expect(bench.all.at(-1)).toMatchObject({
    message: '(combined from similar events): Created pod: 12',
    count: 3,
  })
})

it('An event of a component is created again when it has expired', async () => {
  const bench = new Bench()
  await bench.record('one')
  bench.stored.clear()
  await bench.record('one')
  expect(bench.all).toMatchObject([{ count: 1 }])
})

it('An event of a component that cannot be written is dropped', async () => {
  const bench = new Bench()
  bench.isBroken = true
  await expect(bench.record('one')).resolves.toBeUndefined()
})
