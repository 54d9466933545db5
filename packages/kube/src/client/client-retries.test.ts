import type { IncomingMessage } from 'node:http'
import { expect, test, vi } from 'vitest'
import type { Credentials } from '../config/access.ts'
import { ConfigMap } from '../objects/kinds.ts'
import { aConfigMap, clientOf, json, type RequestHandler, web } from '../testing/client-of-server.ts'
import { ConnectionError } from './errors.ts'

test('After a 401 the request is sent once more with new credentials, and only once', async () => {
  let token = 'old'
  const credentials: Credentials = {
    current: async () => ({ authorization: `Bearer ${token}` }),
    rejected: async () => {
      token = 'new'
      return true
    },
  }
  const seen: (string | undefined)[] = []
  const accepted = (request: IncomingMessage) => request.headers.authorization === 'Bearer new'
  const answer: RequestHandler = (request, response) => {
    seen.push(request.headers.authorization)
    if (accepted(request) && request.url?.includes('good')) json(response, 200, aConfigMap)
    else json(response, 401, { reason: 'Unauthorized', message: 'Unauthorized' })
  }
  const { client } = await clientOf(answer, { access: { credentials } })
  await client.get(ConfigMap, { namespace: 'default', name: 'good' })
  expect(seen).toEqual(['Bearer old', 'Bearer new'])
  seen.length = 0
  await expect(client.get(ConfigMap, { namespace: 'default', name: 'bad' })).rejects.toMatchObject({
    code: 401,
  })
  expect(seen).toHaveLength(2)
})

test.each([429, 503])(
  'The client waits out Retry-After of a %i and then repeats the request',
  async (status) => {
    const times: number[] = []
    const { client, metrics } = await clientOf((_, response) => {
      times.push(performance.now())
      if (times.length === 1) json(response, status, { message: 'busy' }, { 'retry-after': '1' })
      else json(response, 200, aConfigMap)
    })
    await client.create(ConfigMap, aConfigMap)
    expect(times).toHaveLength(2)
    expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(990)
    expect((await metrics.overloads.get()).values[0]?.value).toBe(1)
  },
)

test('A request with noRetry is not repeated', async () => {
  let requests = 0
  const { client } = await clientOf((_, response) => {
    requests += 1
    json(response, 429, { message: 'busy' }, { 'retry-after': '1' })
  })
  const deleting = client.delete(ConfigMap, aConfigMap.metadata, { noRetry: true })
  await expect(deleting).rejects.toThrow('busy')
  expect(requests).toBe(1)
})

test('A Retry-After beyond the deadline is an error at once', async () => {
  const { client } = await clientOf((_, response) =>
    json(response, 429, { message: 'busy' }, { 'retry-after': '60' }),
  )
  const creating = client.create(ConfigMap, aConfigMap, { timeoutMs: 5000 })
  await expect(creating).rejects.toMatchObject({ code: 429, retryAfterMs: 60_000 })
})

test('The client retries a GET whose connection breaks, and no write', async () => {
  let requests = 0
  const { client } = await clientOf((request, response) => {
    requests += 1
    if (requests === 1 || request.method !== 'GET') request.socket.resetAndDestroy()
    else json(response, 200, aConfigMap)
  })
  await client.get(ConfigMap, web)
  expect(requests).toBe(2)
  await expect(client.create(ConfigMap, aConfigMap)).rejects.toThrow(ConnectionError)
  expect(requests).toBe(3)
})

test('A call that waits for a slot after a 429 fails with the overload at its deadline', async () => {
  const answers: (() => void)[] = []
  const { client } = await clientOf(
    (request, response) => {
      if (request.url?.includes('busy')) json(response, 429, { message: 'busy' }, { 'retry-after': '0' })
      else answers.push(() => json(response, 200, aConfigMap))
    },
    { maxInFlight: 4 },
  )
  const others = Promise.all(Array.from({ length: 3 }, () => client.get(ConfigMap, web)))
  await vi.waitFor(() => expect(answers).toHaveLength(3))
  const turnedAway = client.get(ConfigMap, { namespace: 'default', name: 'busy' }, { timeoutMs: 100 })
  await expect(turnedAway).rejects.toThrow('Cannot get ConfigMap default/busy: 429 Unknown: busy')
  for (const answer of answers) answer()
  await others
})
