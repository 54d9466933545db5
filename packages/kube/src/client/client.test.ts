// Longer than 350 lines: one claim about each behaviour of the client, on one kind of HTTP server.

import type { IncomingMessage, ServerResponse } from 'node:http'
import { afterEach, expect, test, vi } from 'vitest'
import { systemClock } from '../clock.ts'
import type { ClusterAccess, Credentials } from '../config/access.ts'
import { createMetrics } from '../metrics.ts'
import { ConfigMap, Ingress, Namespace, PodDisruptionBudget } from '../objects/kinds.ts'
import { type KubeObject, kind } from '../objects/objects.ts'
import { type LocalServer, startHttpServer } from '../testing/http-server.ts'
import type { ListOptions, WriteGuard } from './api.ts'
import { Client } from './client.ts'
import { ApiError, ConnectionError, MalformedResponseError, WriteRefusedError } from './errors.ts'

type Answer = (request: IncomingMessage, response: ServerResponse, body: string) => void

const closing: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

const anonymous: Credentials = { current: async () => ({}), rejected: async () => false }

/** A client of a server that knows ConfigMaps and Namespaces and otherwise answers as the test says. */
async function clientOf(
  answer: Answer,
  { access, maxInFlight }: { access?: Partial<ClusterAccess>; maxInFlight?: number } = {},
) {
  const server: LocalServer = await startHttpServer((request, response, body) => {
    if (request.url?.endsWith('/api/v1')) {
      json(response, 200, {
        resources: [
          { name: 'configmaps', kind: 'ConfigMap', namespaced: true },
          { name: 'namespaces', kind: 'Namespace', namespaced: false },
          { name: 'namespaces/status', kind: 'Namespace', namespaced: false },
        ],
      })
    } else answer(request, response, body)
  })
  const metrics = createMetrics('test')
  const client = Client.connect({
    access: {
      source: 'the test',
      server: server.url,
      namespace: 'default',
      tls: { insecureSkipVerify: false },
      credentials: anonymous,
      ...access,
    },
    clock: systemClock,
    random: () => 0.5,
    metrics,
    userAgent: 'test/1.2.3',
    ...(maxInFlight !== undefined && { maxInFlight }),
  })
  closing.push(
    () => client.close(),
    () => server.close(),
  )
  return { client, metrics, server }
}

function json(
  response: ServerResponse,
  status: number,
  body: object,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
}

const conflict = {
  kind: 'Status',
  code: 409,
  reason: 'Conflict',
  message: 'the object has been modified',
  details: { name: 'web', kind: 'configmaps' },
}
const aConfigMap = { metadata: { name: 'web', namespace: 'default', uid: '1', resourceVersion: '5' } }
const web = { namespace: 'default', name: 'web' }

test('An API error reads as a sentence with the verb, kind, namespace and name', async () => {
  const { client } = await clientOf((_, response) => json(response, 409, conflict))
  const patching = client.patch(ConfigMap, web, { type: 'merge', body: {} })
  await expect(patching).rejects.toThrow(
    'Cannot patch ConfigMap default/web: 409 Conflict: the object has been modified',
  )
  await expect(patching).rejects.toMatchObject({ code: 409, reason: 'Conflict' })
})

test('An API error lists which fields are invalid', async () => {
  const invalid = {
    reason: 'Invalid',
    message: 'ConfigMap "web" is invalid',
    details: { causes: [{ field: 'data[a b]', message: 'Invalid value', reason: 'FieldValueInvalid' }] },
  }
  const { client } = await clientOf((_, response) => json(response, 422, invalid))
  await expect(client.create(ConfigMap, aConfigMap)).rejects.toMatchObject({
    causes: ['data[a b]: Invalid value'],
  })
})

test('An error response that is not from an API server is shown as it came', async () => {
  const { client } = await clientOf((_, response) => response.writeHead(502).end('<html>Bad gateway</html>'))
  await expect(client.create(ConfigMap, aConfigMap)).rejects.toThrow(
    'Cannot create ConfigMap default/web: 502 Unknown: <html>Bad gateway</html>',
  )
})

test('A response that is cut short is an error, not an object', async () => {
  const { client } = await clientOf((_, response) => response.writeHead(200).end('{"metadata":'))
  await expect(client.get(ConfigMap, web)).rejects.toThrow(MalformedResponseError)
})

test('Each type of patch is sent with its own content type', async () => {
  const seen: string[] = []
  const { client } = await clientOf((request, response) => {
    seen.push(`${request.headers['content-type']} ${request.url}`)
    json(response, 200, aConfigMap)
  })
  await client.patch(ConfigMap, web, { type: 'merge', body: {} })
  await client.patch(ConfigMap, web, { type: 'strategic', body: {} }, { dryRun: true })
  await client.patch(ConfigMap, web, { type: 'json', body: [] }, { fieldValidation: 'Strict' })
  await client.patch(ConfigMap, web, { type: 'apply', body: {}, force: true }, { fieldManager: 'me' })
  const path = '/api/v1/namespaces/default/configmaps/web'
  expect(seen).toEqual([
    `application/merge-patch+json ${path}`,
    `application/strategic-merge-patch+json ${path}?dryRun=All`,
    `application/json-patch+json ${path}?fieldValidation=Strict`,
    `application/apply-patch+yaml ${path}?fieldManager=me&force=true`,
  ])
})

test('A metadata-only patch asks for little and accepts any response; a refusal is read', async () => {
  const accepted: (string | undefined)[] = []
  const { client } = await clientOf((request, response) => {
    accepted.push(request.headers.accept)
    if (accepted.length === 1) response.writeHead(200).end('{"metadata":')
    else json(response, 409, { message: 'the object has been modified', reason: 'Conflict' })
  })
  await client.patchMetadataOnly(ConfigMap, web, { type: 'merge', body: {} })
  expect(accepted).toEqual(['application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json'])
  await expect(client.patchMetadataOnly(ConfigMap, web, { type: 'merge', body: {} })).rejects.toThrow(
    'Cannot patch ConfigMap default/web: 409 Conflict: the object has been modified',
  )
})

test('An apply without a field manager, a missing namespace and an unknown subresource are refused before anything is sent', async () => {
  const { client } = await clientOf(() => expect.unreachable('nothing may be sent'))
  await expect(client.patch(ConfigMap, web, { type: 'apply', body: {} })).rejects.toThrow(
    'needs a fieldManager',
  )
  await expect(client.get(ConfigMap, { name: 'web' })).rejects.toThrow(
    'Cannot get ConfigMap web: ConfigMap lives in a namespace, and none was given',
  )
  await expect(client.get(Namespace, web)).rejects.toThrow(
    'Namespace is cluster-scoped; leave the namespace out',
  )
  await expect(client.get(Namespace, { name: 'a' }, { subresource: 'scale' })).rejects.toThrow(
    'Namespace has no subresource "scale" (it has: status)',
  )
})

test('Requests carry the user agent', async () => {
  let agent: string | undefined
  const { client } = await clientOf((request, response) => {
    agent = request.headers['user-agent']
    json(response, 200, aConfigMap)
  })
  await client.get(ConfigMap, web)
  expect(agent).toBe('test/1.2.3')
})

test('Impersonation headers are sent, for several groups too, to a server behind a path', async () => {
  let raw: string[] = []
  let url: string | undefined
  const server = await startHttpServer((request, response) => {
    raw = request.rawHeaders
    url = request.url
    json(response, 200, {
      resources: [{ name: 'namespaces', kind: 'Namespace', namespaced: false }],
      metadata: {},
    })
  })
  const { client } = await clientOf(() => {}, {
    access: {
      server: new URL('/k8s/clusters/c-1', server.url),
      impersonate: { user: 'zoë €', groups: ['a', 'b'], extra: { 'example.com/reason': ['audit'] } },
    },
  })
  closing.push(() => server.close())
  await client.get(Namespace, { name: 'x' })
  expect(url).toBe('/k8s/clusters/c-1/api/v1/namespaces/x')
  // Node takes each byte for a character.
  const decoded = (value = '') => Buffer.from(value, 'latin1').toString('utf8')
  const pairs = raw.flatMap((name, at) =>
    at % 2 === 0 ? [`${name.toLowerCase()}: ${decoded(raw[at + 1])}`] : [],
  )
  expect(pairs).toEqual(
    expect.arrayContaining([
      'impersonate-user: zoë €',
      'impersonate-group: a',
      'impersonate-group: b',
      'impersonate-extra-example.com%2freason: audit',
    ]),
  )
})

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
  const answer: Answer = (request, response) => {
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

test('A request ends at its deadline, and the error says so', async () => {
  const { client } = await clientOf(() => {})
  await expect(client.create(ConfigMap, aConfigMap, { timeoutMs: 50 })).rejects.toThrow(
    /Cannot create ConfigMap default\/web: no answer within \d+ ms from http/,
  )
})

test('A request ends when its signal aborts, with the reason of that signal', async () => {
  const { client } = await clientOf(() => {})
  const controller = new AbortController()
  const creating = client.create(ConfigMap, aConfigMap, { signal: controller.signal })
  setTimeout(() => controller.abort(new Error('told to stop')), 20)
  await expect(creating).rejects.toThrow('told to stop')
})

test('Slow credentials delay neither the deadline nor the withdrawal of a write permission', async () => {
  let isStuck = false
  const credentials: Credentials = {
    current: () => (isStuck ? new Promise(() => {}) : {}),
    rejected: async () => false,
  }
  const { client } = await clientOf((_, response) => json(response, 200, aConfigMap), {
    access: { credentials },
  })
  await client.get(ConfigMap, web)
  isStuck = true
  await expect(client.get(ConfigMap, web, { timeoutMs: 30 })).rejects.toThrow(
    'Cannot get ConfigMap default/web: its credentials were not to be had in time from the test',
  )
  const guard = aGuard()
  setTimeout(guard.withdraw, 10)
  await expect(client.guardedBy(guard).create(ConfigMap, aConfigMap)).rejects.toThrow('no longer allowed')
})

test('The error of an unreachable server names the address and where it was read', async () => {
  const { client, server } = await clientOf(() => {})
  await server.close()
  await expect(client.create(ConfigMap, aConfigMap)).rejects.toThrow(
    /nothing listens at http:\/\/127\.0\.0\.1:\d+; check that the API server runs and that the test names it/,
  )
})

test('A page is elided where only facts of its objects are kept', async () => {
  const spec = { tls: Array.from({ length: 60_000 }, () => ({})) }
  const items = ['facts', 'whole'].map((name) => ({ metadata: { name }, spec }))
  const { client } = await clientOf((_, response) => {
    json(response, 200, { metadata: { resourceVersion: '9' }, items })
  })
  const lengths = async (options: ListOptions) => {
    const list = await client.list(ConfigMap, options)
    return list.items.map((item) => (item as unknown as { spec: typeof spec }).spec.tls.length)
  }
  expect(await lengths({})).toEqual([60_000, 60_000])
  expect(await lengths({ isKeptWhole: () => false })).toEqual([50_000, 50_000])
  expect(await lengths({ isKeptWhole: ({ metadata }) => metadata.name === 'whole' })).toEqual([
    60_000, 60_000,
  ])
})

test('A list goes page by page, and starts over in one piece when the pages expire', async () => {
  const seen: string[] = []
  const { client } = await clientOf((request, response) => {
    const query = new URL(request.url ?? '', 'http://x').searchParams
    seen.push(`limit=${query.get('limit')} continue=${query.get('continue')}`)
    if (query.get('limit') === '0')
      json(response, 200, { metadata: { resourceVersion: '9' }, items: [aConfigMap] })
    else if (query.get('continue') === null) {
      json(response, 200, { metadata: { resourceVersion: '8', continue: 'more' }, items: [aConfigMap] })
    } else json(response, 410, { reason: 'Expired', message: 'The provided continue parameter is too old' })
  })
  const list = await client.list(ConfigMap, { pageSize: 1 })
  expect(seen).toEqual(['limit=1 continue=null', 'limit=1 continue=more', 'limit=0 continue=null'])
  expect(list.resourceVersion).toBe('9')
  expect(list.items).toEqual([{ apiVersion: 'v1', kind: 'ConfigMap', ...aConfigMap }])
})

test.each([
  ['and comes in pages the next time', 1, 'resolves'],
  ['and is given up where they expire again', 2, 'rejects'],
] as const)(
  'a list that expires and is too long in one piece is begun again %s',
  async (_, expiries, end) => {
    const seen: string[] = []
    const long = { ...aConfigMap, data: { bulk: 'x'.repeat(9 * 1024 * 1024) } }
    let expired = 0
    const { client } = await clientOf((request, response) => {
      const query = new URL(request.url ?? '', 'http://x').searchParams
      seen.push(`${query.get('limit')} ${query.get('continue')}`)
      if (query.get('limit') === '0')
        json(response, 200, { metadata: { resourceVersion: '9' }, items: [long] })
      else if (query.get('continue') === null)
        json(response, 200, { metadata: { resourceVersion: '8', continue: 'more' }, items: [aConfigMap] })
      else if (expired++ < expiries) json(response, 410, { reason: 'Expired', message: 'too old' })
      else json(response, 200, { metadata: { resourceVersion: '8' }, items: [aConfigMap] })
    })
    const list = client.list(ConfigMap, { pageSize: 1 })
    if (end === 'resolves') expect((await list).items).toHaveLength(2)
    else await expect(list).rejects.toThrow('too old')
    expect(seen).toEqual(['1 null', '1 more', '0 null', '1 null', '1 more'])
  },
)

test('A page of large objects is given up before it is read, and asked for in smaller pages', async () => {
  const bulk = 'x'.repeat(300_000)
  const objects = Array.from({ length: 30 }, (_, at) => ({
    metadata: { ...aConfigMap.metadata, name: `map-${at}` },
    data: { bulk },
  }))
  const limits: number[] = []
  const { client } = await clientOf((request, response) => {
    const query = new URL(request.url ?? '', 'http://x').searchParams
    const limit = Number(query.get('limit'))
    const start = Number(query.get('continue') ?? 0)
    limits.push(limit)
    const items = objects.slice(start, start + limit)
    const end = start + items.length
    const metadata = {
      resourceVersion: '8',
      ...(end < objects.length && { continue: String(end) }),
    }
    json(response, 200, { metadata, items })
  })
  const names: string[] = []
  let longest = 0
  for await (const { items } of client.pages(ConfigMap)) {
    names.push(...items.map(({ metadata }) => metadata.name))
    longest = Math.max(longest, items.length)
  }
  expect(names).toEqual(objects.map(({ metadata }) => metadata.name))
  expect(limits.slice(0, 3)).toEqual([100, 12, 3])
  expect(longest).toBe(12)
})

test('The client gives up a response without end, and the error says so', async () => {
  const { client } = await clientOf((_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    const chunk = Buffer.alloc(1024 * 1024, 'x')
    const more = () => {
      while (!response.destroyed && response.write(chunk));
      if (!response.destroyed) response.once('drain', more)
    }
    more()
  })
  await expect(client.list(ConfigMap, { namespace: 'default', pageSize: 0 })).rejects.toThrow(
    'Cannot list ConfigMap in namespace default: the answer is longer than 8192 KiB',
  )
})

test('A watch without a version asks for the initial events', async () => {
  let asked = ''
  const { client } = await clientOf((request, response) => {
    asked = request.url ?? ''
    response.writeHead(200).end()
  })
  const { signal } = new AbortController()
  await client.watchOnce(ConfigMap, { timeoutSeconds: 60, signal })
  expect(asked).toBe(
    '/api/v1/configmaps?watch=true&allowWatchBookmarks=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&timeoutSeconds=60',
  )
})

const Octopus = kind<KubeObject>('sea.example.com/v1', 'Octopus')

test('A path that is no longer served is discovered anew', async () => {
  let discoveries = 0
  const { client } = await clientOf((request, response) => {
    if (request.url === '/apis/sea.example.com/v1') {
      discoveries += 1
      json(response, 200, {
        resources: [{ name: `plural${discoveries}`, kind: 'Octopus', namespaced: true }],
      })
    } else if (request.url?.includes('plural2')) json(response, 200, aConfigMap)
    else response.writeHead(404).end('404 page not found')
  })
  await expect(client.get(Octopus, web)).rejects.toBeInstanceOf(ApiError)
  await expect(client.get(Octopus, web)).resolves.toMatchObject(aConfigMap)
})

test('A built-in kind costs no discovery, and the error says when the server does not serve it', async () => {
  const seen: string[] = []
  const { client } = await clientOf((request, response) => {
    seen.push(request.url ?? '')
    if (request.url?.startsWith('/apis/policy/v1')) response.writeHead(404).end('404 page not found')
    else json(response, 200, aConfigMap)
  })
  await client.get(Ingress, web)
  expect(seen.splice(0)).toEqual(['/apis/networking.k8s.io/v1/namespaces/default/ingresses/web'])
  await expect(client.get(PodDisruptionBudget, web)).rejects.toThrow(
    'The API server does not serve PodDisruptionBudget of policy/v1',
  )
})

test('The client finds a scope or a subresource that the definition has gained', async () => {
  let served: object[] = [{ name: 'octopi', kind: 'Octopus', namespaced: false }]
  const { client } = await clientOf((request, response) => {
    json(response, 200, request.url === '/apis/sea.example.com/v1' ? { resources: served } : aConfigMap)
  })
  await client.get(Octopus, { name: 'web' })
  served = [{ name: 'octopi', kind: 'Octopus', namespaced: true }]
  await client.get(Octopus, web)
  const getStatus = () => client.get(Octopus, web, { subresource: 'status' })
  await expect(getStatus()).rejects.toThrow('Octopus has no subresource "status" (it has: none)')
  served.push({ name: 'octopi/status', kind: 'Octopus', namespaced: true })
  await expect(getStatus()).resolves.toMatchObject(aConfigMap)
})

test('A watch that is aborted ends with the reason of its signal', async () => {
  const { client } = await clientOf((_, response) => response.writeHead(200).flushHeaders())
  const stop = new AbortController()
  const options = { resourceVersion: '1', timeoutSeconds: 60, signal: stop.signal }
  const next = (await client.watchOnce(ConfigMap, options))[Symbol.asyncIterator]().next()
  stop.abort(new Error('enough'))
  await expect(next).rejects.toThrow(/^enough$/)
})

test('Closing the client cuts a watch off even if the client certificate has been replaced since', async () => {
  let clientCertificate = { certificate: 'old', key: 'old' }
  const credentials: Credentials = {
    current: async () => ({ clientCertificate }),
    rejected: async () => false,
  }
  const { client } = await clientOf(
    (request, response) => {
      if (request.url?.includes('watch')) response.writeHead(200).flushHeaders()
      else json(response, 200, aConfigMap)
    },
    { access: { credentials } },
  )
  const signal = new AbortController().signal
  const stream = await client.watchOnce(ConfigMap, { resourceVersion: '1', timeoutSeconds: 60, signal })
  clientCertificate = { certificate: 'new', key: 'new' }
  await client.get(ConfigMap, web)
  await client.close()
  await expect(stream[Symbol.asyncIterator]().next()).rejects.toThrow(ConnectionError)
})

test('The client has no more requests in flight than allowed', async () => {
  let inFlight = 0
  let most = 0
  const { client } = await clientOf(
    (_, response) => {
      inFlight += 1
      most = Math.max(most, inFlight)
      setTimeout(() => {
        inFlight -= 1
        json(response, 200, aConfigMap)
      }, 2)
    },
    { maxInFlight: 3 },
  )
  await Promise.all(Array.from({ length: 30 }, () => client.get(ConfigMap, web)))
  expect(most).toBe(3)
})

test('Requests are counted by verb, kind and status', async () => {
  const { client, metrics } = await clientOf((_, response) => json(response, 409, conflict))
  await expect(client.create(ConfigMap, aConfigMap)).rejects.toThrow()
  const { values } = await metrics.requests.get()
  expect(values).toContainEqual({ value: 1, labels: { verb: 'create', kind: 'ConfigMap', code: 409 } })
})

test('A delete carries its preconditions, propagation policy and dry run', async () => {
  let sent: unknown
  const { client } = await clientOf((_, response, body) => {
    sent = JSON.parse(body)
    json(response, 200, {})
  })
  await client.delete(ConfigMap, web, {
    preconditions: { uid: '1', resourceVersion: '5' },
    propagation: 'Foreground',
    gracePeriodSeconds: 0,
    dryRun: true,
  })
  expect(sent).toEqual({
    apiVersion: 'v1',
    kind: 'DeleteOptions',
    preconditions: { uid: '1', resourceVersion: '5' },
    propagationPolicy: 'Foreground',
    gracePeriodSeconds: 0,
    dryRun: ['All'],
  })
})

function aGuard(): WriteGuard & { withdraw: () => void } {
  const controller = new AbortController()
  let allowed = true
  return {
    signal: controller.signal,
    check: () => {
      if (!allowed) throw new WriteRefusedError('no longer allowed')
      return 4000
    },
    withdraw: () => {
      allowed = false
      controller.abort(new WriteRefusedError('no longer allowed'))
    },
  }
}

test('A guarded write is sent to a server behind a path too', async () => {
  const urls: (string | undefined)[] = []
  const server = await startHttpServer((request, response) => {
    urls.push(request.url)
    json(response, 200, {
      resources: [{ name: 'namespaces', kind: 'Namespace', namespaced: false }],
      metadata: {},
    })
  })
  closing.push(() => server.close())
  const { client } = await clientOf(() => {}, { access: { server: new URL('/k8s/c-1', server.url) } })
  await client.guardedBy(aGuard()).patch(Namespace, { name: 'x' }, { type: 'merge', body: {} })
  expect(urls.at(-1)).toBe('/k8s/c-1/api/v1/namespaces/x?timeout=4000ms')
})

test('The error of a 401 says where the credentials were read', async () => {
  const { client } = await clientOf((_, response) =>
    json(response, 401, { reason: 'Unauthorized', message: 'Unauthorized' }),
  )
  await expect(client.get(ConfigMap, web)).rejects.toThrow(
    'Cannot get ConfigMap default/web: 401 Unauthorized: Unauthorized; check the credentials in the test',
  )
})

test('A guarded write tells the server how long the permission lasts; a read does not', async () => {
  const seen: (string | undefined)[] = []
  const { client } = await clientOf((request, response) => {
    seen.push(request.url)
    json(response, 200, aConfigMap)
  })
  const guarded = client.guardedBy(aGuard())
  await guarded.get(ConfigMap, web)
  await guarded.patch(ConfigMap, web, { type: 'merge', body: {} }, { fieldManager: 'me' })
  await guarded.delete(ConfigMap, web)
  expect(seen).toEqual([
    '/api/v1/namespaces/default/configmaps/web',
    '/api/v1/namespaces/default/configmaps/web?fieldManager=me&timeout=4000ms',
    '/api/v1/namespaces/default/configmaps/web?timeout=4000ms',
  ])
})

test('No write is sent without permission, even if it is withdrawn at the very last moment', async () => {
  const { client } = await clientOf(() => expect.unreachable('nothing may be sent'))
  const guard = aGuard()
  let asked = 0
  const withdrawnInBetween: WriteGuard = {
    signal: guard.signal,
    check: () => {
      asked += 1
      if (asked === 2) throw new WriteRefusedError('no longer allowed')
      return guard.check()
    },
  }
  await expect(client.guardedBy(withdrawnInBetween).create(ConfigMap, aConfigMap)).rejects.toThrow(
    WriteRefusedError,
  )
  expect(asked).toBe(2)
  guard.withdraw()
  await expect(client.guardedBy(guard).create(ConfigMap, aConfigMap)).rejects.toThrow('no longer allowed')
})

test('A write in flight is cut off when the permission is withdrawn', async () => {
  const { client } = await clientOf(() => setTimeout(() => guard.withdraw(), 5))
  const guard = aGuard()
  await expect(client.guardedBy(guard).create(ConfigMap, aConfigMap)).rejects.toThrow('no longer allowed')
})

test('A call keeps its deadline and its signal while the kind is being discovered', async () => {
  const server = await startHttpServer(() => {})
  closing.push(() => server.close())
  const { client } = await clientOf(() => {}, { access: { server: server.url } })
  await expect(client.get(ConfigMap, web, { timeoutMs: 50 })).rejects.toThrow(
    /Cannot get ConfigMap default\/web: no answer within \d+ ms from http/,
  )
  const signal = AbortSignal.timeout(50)
  await expect(client.list(ConfigMap, { signal })).rejects.toMatchObject({ name: 'TimeoutError' })
  await expect(client.create(ConfigMap, aConfigMap, { signal })).rejects.toMatchObject({
    name: 'TimeoutError',
  })
  const watching = client.watchOnce(ConfigMap, { resourceVersion: '1', timeoutSeconds: 60, signal })
  await expect(watching).rejects.toMatchObject({ name: 'TimeoutError' })
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
