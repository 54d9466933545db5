import {
  ApiError,
  ConfigMap,
  ConnectionError,
  Deployment,
  type Persisted,
  WriteRefusedError,
} from '@portcullis/kube'
import type { WriteGuard } from '@portcullis/kube/internal/client/api.ts'
import { describe, expect, test } from 'vitest'
import { eventually } from '../clusters/eventually.ts'
import {
  delay,
  resetBeforeAnswering,
  resetBeforeForwarding,
  respond,
  stallBeforeAnswering,
  truncateLine,
} from '../clusters/faults/faults.ts'
import { reads, writes } from '../clusters/faults/requests.ts'
import { sharedControlPlane } from '../clusters/shared-control-plane.ts'
import { aNamespace, connect, throughProxy } from '../clusters/test-client.ts'

const plane = sharedControlPlane()

/** A client behind the fault proxy, and one beside it that sees the truth. Its connections are open. */
async function behindProxy() {
  const { client: direct, namespace } = await aNamespace(plane)
  const { proxy, access } = await throughProxy(plane)
  const client = connect(access)
  await client.list(ConfigMap, { namespace })
  await client.list(Deployment, { namespace })
  proxy.forget()
  return { direct, proxy, client, namespace, ref: { namespace, name: 'web' } }
}

/** A write that can be counted: each adds an argument to the container. */
const addArgument = {
  type: 'json',
  body: [{ op: 'add', path: `${firstContainer()}/args/-`, value: 'again' }],
} as const

function firstContainer(): string {
  return '/spec/template/spec/containers/0'
}

function aDeployment(metadata: { namespace: string; name: string }) {
  const labels = { app: 'web' }
  const spec = { containers: [{ name: 'router', image: 'router:1', args: ['once'] }] }
  return {
    metadata,
    spec: { replicas: 0, selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
  }
}

function argumentsOf({ spec }: Persisted<NonNullable<typeof Deployment.object>>): string[] | undefined {
  return spec?.template.spec?.containers[0]?.args
}

describe('Writes', () => {
  test.each([429, 503])(
    'The client repeats a write answered with %i and Retry-After after that time',
    async (status) => {
      const { proxy, client, ref } = await behindProxy()
      const busy = proxy.inject({ when: writes('configmaps'), fault: respond(status, { retryAfter: 1 }) })
      const start = performance.now()
      const created = await client.create(ConfigMap, { metadata: ref })
      expect(performance.now() - start).toBeGreaterThanOrEqual(990)
      expect(busy.met).toBe(1)
      expect(proxy.requests.map(({ status }) => status)).toEqual([status, 201])
      expect(await client.get(ConfigMap, ref)).toEqual(created)
    },
  )

  test.each([500, 502, 503, 504])(
    'The client does not repeat a write answered with %i and no Retry-After',
    async (status) => {
      const { proxy, client, ref } = await behindProxy()
      proxy.inject({ when: writes(), fault: respond(status, { message: 'etcdserver: no leader' }) })
      const creating = client.create(ConfigMap, { metadata: ref })
      await expect(creating).rejects.toBeInstanceOf(ApiError)
      await expect(creating).rejects.toMatchObject({ code: status })
      await expect(creating).rejects.toThrow('etcdserver: no leader')
      expect(proxy.seen(writes())).toBe(1)
    },
  )

  test('The client does not repeat a write whose response was lost', async () => {
    const { direct, proxy, client, ref } = await behindProxy()
    const { metadata } = await direct.create(Deployment, aDeployment(ref))
    proxy.inject({ when: writes(), fault: resetBeforeAnswering })
    const patching = client.patch(Deployment, ref, addArgument)
    await expect(patching).rejects.toBeInstanceOf(ConnectionError)
    await expect(patching).rejects.toThrow(
      `Cannot patch Deployment ${ref.namespace}/web: the connection to ${proxy.url} failed: `,
    )
    expect(proxy.seen(writes())).toBe(1)
    const now = await direct.get(Deployment, ref)
    expect(argumentsOf(now)).toEqual(['once', 'again'])
    expect(now.metadata.generation).toBe((metadata.generation ?? 0) + 1)
  })

  test('The client does not repeat a write that never arrived', async () => {
    const { direct, proxy, client, ref } = await behindProxy()
    const created = await direct.create(ConfigMap, { metadata: ref })
    proxy.inject({ when: writes(), fault: resetBeforeForwarding, times: 3 })
    const patch = { type: 'merge', body: { data: { a: '1' } } } as const
    await expect(client.patch(ConfigMap, ref, patch)).rejects.toBeInstanceOf(ConnectionError)
    await expect(client.replace(ConfigMap, { ...created, data: { a: '1' } })).rejects.toBeInstanceOf(
      ConnectionError,
    )
    await expect(client.delete(ConfigMap, ref)).rejects.toBeInstanceOf(ConnectionError)
    expect(proxy.seen(writes())).toBe(3)
    expect(await direct.get(ConfigMap, ref)).toEqual(created)
  })

  test('A slow write ends at its deadline, and the error says so', async () => {
    const { proxy, client, ref } = await behindProxy()
    proxy.inject({ when: writes(), fault: delay(5000) })
    const start = performance.now()
    await expect(client.create(ConfigMap, { metadata: ref }, { timeoutMs: 300 })).rejects.toThrow(
      `Cannot create ConfigMap ${ref.namespace}/web: no answer within 300 ms from ${proxy.url}; ` +
        'is the API server overloaded or cut off?',
    )
    expect(performance.now() - start).toBeLessThan(2000)
  })
})

describe('Reads', () => {
  test('The client retries a GET whose connection breaks', async () => {
    const { direct, proxy, client, ref } = await behindProxy()
    const created = await direct.create(ConfigMap, { metadata: ref })
    proxy.inject({ when: reads(), fault: resetBeforeForwarding })
    proxy.inject({ when: reads(), fault: resetBeforeAnswering })
    expect(await client.get(ConfigMap, ref)).toEqual(created)
    expect(proxy.seen(reads())).toBe(3)
  })

  test('The client gives up a GET whose connection keeps breaking', async () => {
    const { proxy, client, ref } = await behindProxy()
    proxy.inject({ when: reads(), fault: resetBeforeForwarding, times: Number.POSITIVE_INFINITY })
    await expect(client.get(ConfigMap, ref)).rejects.toBeInstanceOf(ConnectionError)
    expect(proxy.seen(reads())).toBe(3)
  })

  test('The client retries a truncated response, and never takes it for the whole', async () => {
    const { direct, proxy, client, ref } = await behindProxy()
    const created = await direct.create(ConfigMap, { metadata: ref, data: { text: 'x'.repeat(100_000) } })
    proxy.inject({ when: reads(), fault: truncateLine(1, 'reset') })
    expect(await client.get(ConfigMap, ref)).toEqual(created)
    expect(proxy.seen(reads())).toBe(2)
  })

  test('A stalled GET ends at its deadline, and does not delay the next one', async () => {
    const { direct, proxy, client, ref } = await behindProxy()
    const created = await direct.create(ConfigMap, { metadata: ref })
    proxy.inject({ when: reads(), fault: stallBeforeAnswering })
    await expect(client.get(ConfigMap, ref, { timeoutMs: 300 })).rejects.toThrow('no answer within 300 ms')
    expect(await client.get(ConfigMap, ref, { timeoutMs: 2000 })).toEqual(created)
  })

  test('A GET succeeds when the network is back, on connections made before the outage', async () => {
    const { direct, proxy, client, ref } = await behindProxy()
    const created = await direct.create(ConfigMap, { metadata: ref })
    await Promise.all(Array.from({ length: 8 }, () => client.get(ConfigMap, ref)))
    await proxy.outage()
    await expect(client.get(ConfigMap, ref)).rejects.toThrow(`nothing listens at ${proxy.url}; check that`)
    await proxy.restore()
    expect(await client.get(ConfigMap, ref)).toEqual(created)
  })
})

describe('Guarded writes', () => {
  function permission(milliseconds: number) {
    const controller = new AbortController()
    const refusal = new WriteRefusedError('no longer the leader')
    const guard: WriteGuard = {
      signal: controller.signal,
      check: () => {
        controller.signal.throwIfAborted()
        return milliseconds
      },
    }
    return { guard, withdraw: () => controller.abort(refusal) }
  }

  test('A guarded write sends the rest of the lease as its timeout, and the server accepts it for every verb', async () => {
    const { proxy, client, ref } = await behindProxy()
    const guarded = client.guardedBy(permission(4000).guard)
    const created = await guarded.create(ConfigMap, { metadata: ref })
    await guarded.replace(ConfigMap, { ...created, data: { a: '1' } })
    await guarded.patch(ConfigMap, ref, { type: 'merge', body: { data: { a: '2' } } })
    await guarded.get(ConfigMap, ref)
    await guarded.delete(ConfigMap, ref)
    expect(proxy.requests.map(({ verb, status, query }) => [verb, status, query.get('timeout')])).toEqual([
      ['create', 201, '4000ms'],
      ['update', 200, '4000ms'],
      ['patch', 200, '4000ms'],
      ['get', 200, null],
      ['delete', 200, '4000ms'],
    ])
  })

  test('A guarded write is not repeated after Retry-After when leadership is lost by then', async () => {
    const { direct, proxy, client, ref } = await behindProxy()
    const { guard, withdraw } = permission(4000)
    const busy = proxy.inject({ when: writes(), fault: respond(429, { retryAfter: 1 }) })
    const creating = expect(client.guardedBy(guard).create(ConfigMap, { metadata: ref })).rejects.toThrow(
      WriteRefusedError,
    )
    await eventually(() => expect(busy.met).toBe(1))
    withdraw()
    await creating
    expect(proxy.seen(writes())).toBe(1)
    await expect(direct.get(ConfigMap, ref)).rejects.toMatchObject({ code: 404 })
  })

  test('A guarded write in flight is cut off when leadership is lost', async () => {
    const { direct, proxy, client, ref } = await behindProxy()
    const { guard, withdraw } = permission(4000)
    const slow = proxy.inject({ when: writes(), fault: delay(1000) })
    const creating = expect(client.guardedBy(guard).create(ConfigMap, { metadata: ref })).rejects.toThrow(
      'no longer the leader',
    )
    await eventually(() => expect(slow.met).toBe(1))
    withdraw()
    await creating
    await expect(direct.get(ConfigMap, ref)).rejects.toMatchObject({ code: 404 })
  })
})
