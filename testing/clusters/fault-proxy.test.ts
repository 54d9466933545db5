import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer, type Server } from 'node:https'
import { setTimeout as sleep } from 'node:timers/promises'
import { certificateAuthority, servingCertificate } from '@portcullis/kube'
import { Agent, request } from 'undici'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { type FaultProxy, startFaultProxy } from './fault-proxy.ts'
import {
  corruptLine,
  delay,
  dropLine,
  resetAfter,
  resetBeforeAnswering,
  resetBeforeForwarding,
  respond,
  stallAfter,
  stallBeforeAnswering,
  truncateLine,
  watchError,
} from './faults/faults.ts'
import { everything, lists, reads, watches, writes } from './faults/requests.ts'

const ingresses = '/apis/networking.k8s.io/v1/ingresses'
const watchPath = `${ingresses}?watch=true`
const status = '/apis/networking.k8s.io/v1/namespaces/shop/ingresses/cart/status'

/** Sends three lines for a watch and keeps it open; answers everything else with what it was asked. */
class ApiServerStandIn {
  readonly asked: string[] = []
  readonly #server: Server
  readonly #watches = new Set<ServerResponse>()

  constructor(certificate: { certificate: string; key: string }) {
    this.#server = createServer({ cert: certificate.certificate, key: certificate.key })
    this.#server.on('request', (message, response) => void this.#answer(message, response))
  }

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve))
    const address = this.#server.address()
    if (address === null || typeof address === 'string') throw new Error('no port')
    return `https://127.0.0.1:${address.port}`
  }

  /** One more line for every watch. */
  say(line: string): void {
    for (const watch of this.#watches) watch.write(`${line}\n`)
  }

  get openWatches(): number {
    return this.#watches.size
  }

  stop(): void {
    this.#server.close()
    this.#server.closeAllConnections()
  }

  async #answer(message: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = ''
    for await (const chunk of message) body += String(chunk)
    this.asked.push(`${message.method} ${message.url}`)
    if (message.url?.includes('watch=true')) {
      this.#watches.add(response)
      response.once('close', () => this.#watches.delete(response))
      response.writeHead(200, { 'content-type': 'application/json' })
      response.write('{"n":1}\n{"n":2}\n{"n":3}\n')
      return
    }
    const answer = JSON.stringify({ body, headers: message.headersDistinct })
    response.writeHead(200, { 'content-length': Buffer.byteLength(answer), 'set-cookie': ['one', 'two'] })
    response.end(answer)
  }
}

let target: ApiServerStandIn
let targetUrl: string
let proxy: FaultProxy
let client: Agent
const authority = await certificateAuthority('portcullis-test-authority')

beforeAll(async () => {
  target = new ApiServerStandIn(await servingCertificate(authority))
  targetUrl = await target.start()
})
afterAll(() => target.stop())

beforeEach(async () => {
  target.asked.length = 0
  proxy = await startFaultProxy({ target: { server: targetUrl, ca: authority.certificate } })
  client = new Agent({ connect: { ca: proxy.ca } })
})
afterEach(async () => {
  await client.destroy()
  await proxy.close()
})

const ask = (path: string, options: Parameters<typeof request>[1] = {}) =>
  request(`${proxy.url}${path}`, { dispatcher: client, ...options })

/** What a response gave, until it ended, was cut off, or had come to the last line that matters. */
async function drain(path: string, last = '(none)'): Promise<{ text: string; end: string }> {
  const { body } = await ask(path)
  let text = ''
  try {
    for await (const chunk of body) {
      text += String(chunk)
      if (text.endsWith(last)) return { text, end: 'left' }
    }
    return { text, end: 'clean' }
  } catch (error) {
    return { text, end: howItBroke(error) }
  }
}

/** On a machine under load the data and the RST after it may come at once; undici then has another word for it. */
function howItBroke(error: unknown): string {
  const { code = String(error) } = error as NodeJS.ErrnoException
  return ['ECONNRESET', 'UND_ERR_SOCKET'].includes(code) ? 'cut' : code
}

const threeLines = '{"n":1}\n{"n":2}\n{"n":3}\n'

describe('The proxy without faults', () => {
  test('A request passes through with its body and its headers, repeated headers apart', async () => {
    const answer = await ask(status, {
      method: 'PATCH',
      headers: {
        authorization: 'Bearer secret',
        'content-type': 'application/merge-patch+json',
        'impersonate-group': ['a', 'b'],
      },
      body: '{"status":{}}',
    })
    const seen = (await answer.body.json()) as { body: string; headers: Record<string, string[]> }
    expect(answer.statusCode).toBe(200)
    expect(answer.headers['set-cookie']).toEqual(['one', 'two'])
    expect(seen.body).toBe('{"status":{}}')
    expect(seen.headers).toMatchObject({
      authorization: ['Bearer secret'],
      'content-type': ['application/merge-patch+json'],
      'impersonate-group': ['a', 'b'],
      host: [new URL(targetUrl).host],
    })
  })

  test('A watch passes line by line as the lines come, and its end reaches the server', async () => {
    const { body } = await ask(watchPath)
    const lines = body[Symbol.asyncIterator]()
    expect(String((await lines.next()).value)).toBe(threeLines)
    target.say('{"n":4}')
    expect(String((await lines.next()).value)).toBe('{"n":4}\n')
    body.destroy()
    await expect.poll(() => target.openWatches).toBe(0)
  })

  test('Every request is logged in the words of the Kubernetes API', async () => {
    const started = Date.now()
    const headers = { 'user-agent': 'tester', 'content-type': 'application/merge-patch+json' }
    await (await ask(status, { method: 'PATCH', headers, body: '{}' })).body.dump()
    await (await ask(`${ingresses}?limit=500`)).body.dump()
    expect(proxy.requests[0]).toMatchObject({
      method: 'PATCH',
      path: status,
      verb: 'patch',
      resource: 'ingresses/status',
      namespace: 'shop',
      name: 'cart',
      contentType: 'application/merge-patch+json',
      userAgent: 'tester',
      status: 200,
    })
    expect(proxy.requests[0]?.at).toBeGreaterThanOrEqual(started)
    expect(proxy.requests[1]).toMatchObject({ verb: 'list', resource: 'ingresses', namespace: undefined })
    expect(proxy.requests[1]?.query.get('limit')).toBe('500')
    expect(proxy.seen(writes('ingresses/status'))).toBe(1)
    expect(proxy.seen(writes('ingresses'))).toBe(0)
    expect(proxy.seen(reads())).toBe(1)
    proxy.forget()
    expect(proxy.seen(everything)).toBe(0)
  })

  test.each([
    ['/api/v1/namespaces', 'list', 'namespaces', undefined, undefined],
    ['/api/v1/namespaces/shop', 'get', 'namespaces', undefined, 'shop'],
    ['/api/v1/namespaces/shop/status', 'get', 'namespaces/status', undefined, 'shop'],
    ['/api/v1/namespaces/shop/pods?watch=1', 'watch', 'pods', 'shop', undefined],
    ['/apis/apps/v1/namespaces/shop/deployments/web/scale', 'get', 'deployments/scale', 'shop', 'web'],
    ['/apis/apps/v1', 'other', undefined, undefined, undefined],
    ['/readyz', 'other', undefined, undefined, undefined],
  ])('The verb and resource of GET %s are recognised', async (path, verb, resource, namespace, name) => {
    await (await ask(path)).body.dump()
    expect(proxy.requests[0]).toMatchObject({ verb, resource, namespace, name })
  })
})

describe('Responses in the place of the server', () => {
  test('An injected response is a Status, and is sent as often as requested', async () => {
    proxy.inject({ when: lists('ingresses'), times: 2, fault: respond(429, { retryAfter: 1 }) })
    for (let time = 1; time <= 2; time++) {
      const answer = await ask(ingresses)
      expect(answer.statusCode).toBe(429)
      expect(answer.headers['retry-after']).toBe('1')
      expect(await answer.body.json()).toMatchObject({
        kind: 'Status',
        apiVersion: 'v1',
        status: 'Failure',
        reason: 'TooManyRequests',
        details: { retryAfterSeconds: 1 },
        code: 429,
      })
    }
    expect((await ask(ingresses)).statusCode).toBe(200)
    expect(target.asked).toHaveLength(1)
    expect(proxy.requests.map(({ status, fault }) => [status, fault])).toEqual([
      [429, 'respond'],
      [429, 'respond'],
      [200, undefined],
    ])
  })

  test('An injected response can be an ERROR event of a watch', async () => {
    proxy.inject({ when: watches(), fault: watchError(410) })
    const { text, end } = await drain(watchPath)
    expect(JSON.parse(text)).toMatchObject({ type: 'ERROR', object: { code: 410, reason: 'Expired' } })
    expect(end).toBe('clean')
  })

  test('An injected response is no longer sent once it is lifted', async () => {
    const injection = proxy.inject({ when: everything, times: Number.POSITIVE_INFINITY, fault: respond(503) })
    expect((await ask(ingresses)).statusCode).toBe(503)
    injection.lift()
    expect((await ask(ingresses)).statusCode).toBe(200)
    expect(injection.met).toBe(1)
  })
})

test('Delays add up, also with another fault', async () => {
  proxy.inject({ when: everything, fault: delay(30) })
  proxy.inject({ when: everything, fault: delay(30) })
  proxy.inject({ when: everything, fault: respond(500) })
  const start = performance.now()
  expect((await ask(ingresses)).statusCode).toBe(500)
  expect(performance.now() - start).toBeGreaterThan(55)
})

describe('Resets', () => {
  test('A request reset before forwarding never reaches the server', async () => {
    proxy.inject({ when: writes(), fault: resetBeforeForwarding })
    expect(await ask(status, { method: 'PATCH', body: '{}' }).catch(howItBroke)).toBe('cut')
    expect(target.asked).toEqual([])
  })

  test('A write reset before the response is carried out, and its response is lost', async () => {
    proxy.inject({ when: writes(), fault: resetBeforeAnswering })
    expect(await ask(status, { method: 'PATCH', body: '{}' }).catch(howItBroke)).toBe('cut')
    expect(target.asked).toEqual([`PATCH ${status}`])
  })

  test.each([
    [{ lines: 2 }, '{"n":1}\n{"n":2}\n'],
    [{ bytes: 10 }, '{"n":1}\n{"'],
    [{ bytes: 0 }, ''],
  ])('A response is reset after %o', async (position, passed) => {
    proxy.inject({ when: watches(), fault: resetAfter(position) })
    expect(await drain(watchPath)).toEqual({ text: passed, end: 'cut' })
  })

  test('A reset of everything matching cuts all requests in flight', async () => {
    const watch = drain(watchPath)
    await expect.poll(() => target.openWatches).toBe(1)
    expect(proxy.resetAll(lists())).toBe(0)
    expect(proxy.resetAll(watches('ingresses'))).toBe(1)
    expect((await watch).end).toBe('cut')
  })
})

describe('Stalls', () => {
  test('A stalled response keeps the connection open and silent until the stall is lifted', async () => {
    const injection = proxy.inject({ when: watches(), fault: stallAfter({ lines: 1 }) })
    const { body } = await ask(watchPath)
    const chunks = body[Symbol.asyncIterator]()
    expect(String((await chunks.next()).value)).toBe('{"n":1}\n')
    const next = chunks.next()
    expect(await Promise.race([next, sleep(50, 'silence')])).toBe('silence')
    injection.lift()
    expect(String((await next).value)).toBe('{"n":2}\n{"n":3}\n')
    body.destroy()
  })

  test('A stall before the response keeps the client waiting for a write that was carried out', async () => {
    const injection = proxy.inject({ when: writes(), fault: stallBeforeAnswering })
    const answer = ask(status, { method: 'PATCH', body: '{}' })
    await vi.waitFor(() => expect(target.asked).toHaveLength(1))
    expect(await Promise.race([answer, sleep(50, 'silence')])).toBe('silence')
    injection.lift()
    expect((await answer).statusCode).toBe(200)
  })

  test('A stall of everything matching holds all requests in flight until it is lifted', async () => {
    const watch = drain(watchPath, '{"n":4}\n')
    await expect.poll(() => target.openWatches).toBe(1)
    const goOn = proxy.stallAll(watches())
    target.say('{"n":4}')
    expect(await Promise.race([watch, sleep(50, 'silence')])).toBe('silence')
    goOn()
    expect((await watch).text).toBe(`${threeLines}{"n":4}\n`)
  })

  test('A stall ends when the client gives up', async () => {
    proxy.inject({ when: watches(), fault: stallAfter({ lines: 1 }) })
    const { body } = await ask(watchPath)
    await body[Symbol.asyncIterator]().next()
    body.destroy()
    await expect.poll(() => target.openWatches).toBe(0)
  })

  test('A stalled response goes on when all faults are lifted', async () => {
    proxy.inject({ when: watches(), fault: stallAfter({ bytes: 0 }) })
    const watch = drain(watchPath, threeLines)
    await expect.poll(() => target.openWatches).toBe(1)
    proxy.heal()
    expect((await watch).text).toBe(threeLines)
  })
})

describe('Damaged lines', () => {
  test('A line is cut in half, and the response ends as if it were complete', async () => {
    proxy.inject({ when: watches(), fault: truncateLine(2, 'end') })
    expect(await drain(watchPath)).toEqual({ text: '{"n":1}\n{"n"', end: 'clean' })
  })

  test('A line is cut in half, and the connection is cut too', async () => {
    proxy.inject({ when: watches(), fault: truncateLine(1, 'reset') })
    expect(await drain(watchPath)).toEqual({ text: '{"n"', end: 'cut' })
  })

  test('A line is replaced by text that is not JSON, and the stream goes on', async () => {
    proxy.inject({ when: watches(), fault: corruptLine(2) })
    const [first, second, third] = (await drain(watchPath, '{"n":3}\n')).text.split('\n')
    expect([first, third]).toEqual(['{"n":1}', '{"n":3}'])
    expect(() => JSON.parse(second ?? '') as unknown).toThrow(SyntaxError)
  })

  test('A line is left out, and nothing shows it', async () => {
    proxy.inject({ when: watches(), fault: dropLine(2) })
    expect((await drain(watchPath, '{"n":3}\n')).text).toBe('{"n":1}\n{"n":3}\n')
  })

  test('A response with a damaged line does not announce its original length', async () => {
    proxy.inject({ when: lists(), fault: truncateLine(1, 'end') })
    expect((await drain(ingresses)).end).toBe('clean')
  })
})

test('An outage cuts open connections and refuses new ones until it is over', async () => {
  const watch = drain(watchPath)
  await expect.poll(() => target.openWatches).toBe(1)
  await proxy.outage()
  expect((await watch).end).toBe('cut')
  await expect(ask(ingresses)).rejects.toMatchObject({ code: 'ECONNREFUSED' })
  await proxy.restore()
  expect((await ask(ingresses)).statusCode).toBe(200)
})

test('An unreachable server looks to the client like a cut connection', async () => {
  const away = await startFaultProxy({
    target: { server: 'https://127.0.0.1:1', ca: authority.certificate },
    authority,
  })
  const dispatcher = new Agent({ connect: { ca: authority.certificate } })
  expect(await request(away.url, { dispatcher }).catch(howItBroke)).toBe('cut')
  expect(away.requests[0]?.failure).toContain('ECONNREFUSED')
  await dispatcher.destroy()
  await away.close()
})
