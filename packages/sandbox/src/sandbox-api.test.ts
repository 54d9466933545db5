import { Client, ConfigMap, createMetrics, Ingress, silentLogger, systemClock } from '@portcullis/kube'
import { VirtualClock } from '@portcullis/kube/testing'
import { expect, onTestFinished, test } from 'vitest'
import { startSandboxApi } from './sandbox-api.ts'

/** Chance that repeats itself for the same seed. */
function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return state / 2 ** 31
  }
}

async function aHistory(seed: number) {
  const clock = new VirtualClock()
  const api = await startSandboxApi({ clock, random: seeded(seed), log: silentLogger })
  const credential = { authorization: `Bearer ${api.adminToken}` }
  const client = Client.connect({
    access: {
      source: 'the test',
      server: new URL(api.server),
      namespace: 'default',
      tls: { ca: api.ca, insecureSkipVerify: false },
      credentials: { current: () => credential, rejected: async () => false },
    },
    clock: systemClock,
    random: Math.random,
    metrics: createMetrics('portcullis'),
    userAgent: 'test/1',
  })
  onTestFinished(async () => {
    await client.close()
    await api.close()
  })
  const map = await client.create(ConfigMap, { metadata: { namespace: 'default', generateName: 'a-' } })
  await clock.advance(90_000)
  const backend = { service: { name: 'web', port: { number: 80 } } }
  const ingress = { metadata: { namespace: 'default', name: 'web' }, spec: { defaultBackend: backend } }
  return [map, await client.create(Ingress, ingress)]
}

test('The same seed and the same clock give the same objects, to the last byte', async () => {
  const [one, other] = [await aHistory(7), await aHistory(7)]
  expect(one).toEqual(other)
  expect(one[1]?.metadata.creationTimestamp).toBe('2030-01-01T00:01:30Z')
  expect(one).not.toEqual(await aHistory(8))
})
