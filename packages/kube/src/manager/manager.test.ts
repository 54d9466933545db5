import type { IncomingMessage, ServerResponse } from 'node:http'
import { expect, onTestFinished, test, vi } from 'vitest'
import { Client } from '../client/client.ts'
import { systemClock } from '../clock.ts'
import { anonymousCredentials } from '../config/credentials.ts'
import { enqueueOnStart } from '../controller/source.ts'
import { watchedKind } from '../informer/watched-kind.ts'
import { silentLogger } from '../log.ts'
import { createMetrics } from '../metrics.ts'
import { ConfigMap, Namespace } from '../objects/kinds.ts'
import { startHttpServer } from '../testing/http-server.ts'
import { Manager } from './manager.ts'

/** A manager that watches ConfigMaps on a server that answers as the test says, and reconciles nothing. */
async function aRunningRuntime(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
  furnish: (manager: Manager) => void = () => {},
) {
  const server = await startHttpServer(answer)
  const metrics = createMetrics('test')
  const common = { clock: systemClock, random: Math.random, metrics }
  const access = {
    source: 'the test',
    server: server.url,
    namespace: 'default',
    tls: { insecureSkipVerify: false },
    credentials: anonymousCredentials(),
  }
  const client = Client.connect({ ...common, access, userAgent: 'test/1' })
  const manager = new Manager({
    ...common,
    client,
    name: 'test',
    instance: 'one',
    health: { host: '127.0.0.1', port: 0 },
    log: silentLogger,
  })
  const store = manager.watch(ConfigMap)
  furnish(manager)
  const stop = new AbortController()
  let hasEnded = false
  const running = manager.run(stop.signal).then(() => {
    hasEnded = true
  })
  onTestFinished(async () => {
    stop.abort(new Error('the test is over'))
    await client.close()
    await server.close()
    await running
  })
  await vi.waitFor(() => expect(manager.healthPort).toBeDefined())
  const ready = async () => {
    const response = await fetch(`http://127.0.0.1:${manager.healthPort}/readyz`)
    return { status: response.status, text: await response.text() }
  }
  return { manager, store, ready, stop, running, hasEnded: () => hasEnded }
}

function json(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

const endOfList = `${JSON.stringify({
  type: 'BOOKMARK',
  object: { metadata: { resourceVersion: '5', annotations: { 'k8s.io/initial-events-end': 'true' } } },
})}\n`
const served = {
  resources: [
    { name: 'configmaps', kind: 'ConfigMap', namespaced: true },
    { name: 'namespaces', kind: 'Namespace', namespaced: false },
  ],
}

test('/readyz shows a list that is forbidden, in words, until it is allowed; then the manager runs until the stop', async () => {
  let allowed = false
  const { ready, stop, running, hasEnded } = await aRunningRuntime((request, response) => {
    if (request.url === '/api/v1') json(response, 200, served)
    else if (allowed) response.writeHead(200).write(endOfList)
    else json(response, 403, { reason: 'Forbidden', message: 'configmaps is forbidden' })
  })
  await vi.waitFor(async () => {
    expect(await ready()).toEqual({
      status: 503,
      text: expect.stringContaining(
        '[-] watch ConfigMap: Cannot watch ConfigMap in all namespaces: 403 Forbidden: configmaps is forbidden (since ',
      ) as string,
    })
  })
  allowed = true
  const text = '[+] running\n[+] watch ConfigMap\nready\n'
  await vi.waitFor(async () => expect(await ready()).toEqual({ status: 200, text }), 5000)
  expect(hasEnded()).toBe(false)
  stop.abort(new Error('told to stop'))
  await running
})

test('Reconcilers do not wait for optional caches, and /readyz says what is wrong with them', async () => {
  let reconciled = 0
  const { ready } = await aRunningRuntime(
    (request, response) => {
      if (request.url === '/api/v1') json(response, 200, served)
      else if (request.url?.startsWith('/api/v1/configmaps')) response.writeHead(200).write(endOfList)
      else json(response, 403, { reason: 'Forbidden', message: 'namespaces is forbidden' })
    },
    (manager) => {
      manager.watch(Namespace, { isOptional: true })
      manager.reconcile({
        name: 'test',
        kind: ConfigMap,
        sources: [enqueueOnStart('ns/name')],
        reconcile: async () => {
          reconciled += 1
        },
      })
    },
  )
  await vi.waitFor(() => expect(reconciled).toBe(1))
  await vi.waitFor(async () => {
    expect((await ready()).text).toContain('403 Forbidden: namespaces is forbidden (since ')
  })
})

test('The manager stops at once even if the API server never answers, not even discovery', async () => {
  let asked = 0
  const { stop, running } = await aRunningRuntime(() => {
    asked += 1
  })
  await vi.waitFor(() => expect(asked).toBe(1))
  const stoppedAt = performance.now()
  stop.abort(new Error('told to stop'))
  await running
  expect(performance.now() - stoppedAt).toBeLessThan(1000)
})

test('Watches of a whole kind share one cache, and a selection has one of its own', async () => {
  const { manager, store } = await aRunningRuntime(() => {})
  expect(manager.watch(ConfigMap)).toBe(store)
  expect(manager.watch(ConfigMap, { selection: { namespace: 'default' } })).not.toBe(store)
  const { whole, part } = manager.watchAll({
    whole: watchedKind(ConfigMap),
    part: watchedKind(ConfigMap, { selection: { namespace: 'default' } }),
  })
  expect(whole).toBe(store)
  expect(part).not.toBe(store)
})
