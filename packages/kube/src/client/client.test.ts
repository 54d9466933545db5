import { expect, test } from 'vitest'
import type { Credentials } from '../config/access.ts'
import { ConfigMap, Namespace } from '../objects/kinds.ts'
import { aConfigMap, aGuard, clientOf, closing, json, web } from '../testing/client-of-server.ts'
import { startHttpServer } from '../testing/http-server.ts'
import { ConnectionError, MalformedResponseError } from './errors.ts'

const conflict = {
  kind: 'Status',
  code: 409,
  reason: 'Conflict',
  message: 'the object has been modified',
  details: { name: 'web', kind: 'configmaps' },
}

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

test('The error of a 401 says where the credentials were read', async () => {
  const { client } = await clientOf((_, response) =>
    json(response, 401, { reason: 'Unauthorized', message: 'Unauthorized' }),
  )
  await expect(client.get(ConfigMap, web)).rejects.toThrow(
    'Cannot get ConfigMap default/web: 401 Unauthorized: Unauthorized; check the credentials in the test',
  )
})
