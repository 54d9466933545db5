import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { eventually } from '../eventually.ts'
import { here } from '../inside.ts'
import { formatReport } from './format-report.ts'
import { type LoadOptions, request, startLoad } from './load.ts'

async function serve(answer: RequestListener): Promise<{ server: Server; url: string }> {
  const server = createServer(answer).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

const identity: RequestListener = (asked, answer) => {
  answer.end(`pod=a node=n1 client=${asked.socket.remoteAddress} host=${asked.headers.host}\nmore`)
}

async function load(options: Pick<LoadOptions, 'targets'> & Partial<LoadOptions>) {
  const running = await startLoad({
    inside: here,
    ratePerSecond: 100,
    timeoutMs: 500,
    connection: 'new',
    ...options,
  })
  onTestFinished(async () => void (await running.stop()))
  return running
}

test('The load generator counts every answer by its status and by who gave it', async () => {
  const { url } = await serve(identity)
  const running = await load({ targets: [{ name: 'router', url }] })
  await eventually(() => expect(running.snapshot().targets['router']?.sent).toBeGreaterThan(30))
  const report = await running.stop()
  const { sent = 0, answered, pods, nodes, clients, lost, inFlight } = report.targets['router'] ?? {}
  expect({ answered, pods, nodes, clients, lost, inFlight }).toEqual({
    answered: { 200: sent },
    pods: { a: sent },
    nodes: { n1: sent },
    clients: { '127.0.0.1': sent },
    lost: 0,
    inFlight: 0,
  })
  expect(formatReport(report)).toMatch(/^router: \d+ sent, 0 lost; answered 200×\d+; failed none; pods a×\d+/)
})

test('The load generator names when a server was away, and how requests failed then', async () => {
  const { server, url } = await serve(identity)
  const running = await load({ targets: [{ name: 'router', url }] })
  const { port } = server.address() as AddressInfo
  const before = Date.now()
  server.close()
  await eventually(() => expect(running.snapshot().lost).toBeGreaterThan(5))
  server.listen(port, '127.0.0.1')
  const after = Date.now()
  const { sent: sentUntilNow = 0 } = running.snapshot().targets['router'] ?? {}
  await eventually(() =>
    expect(running.snapshot().targets['router']?.sent).toBeGreaterThan(sentUntilNow + 50),
  )
  const report = await running.stop()
  const { spans = [], failed = {}, lost, largestGapMs } = report.targets['router'] ?? {}
  expect(spans).toHaveLength(1)
  expect(spans[0]).toMatchObject({ lost, reasons: failed })
  expect(Object.keys(failed)).toContain('ECONNREFUSED')
  // Two processes read the clock in two ways.
  expect(spans[0]?.begin).toBeGreaterThanOrEqual(before - 50)
  expect(spans[0]?.end).toBeLessThanOrEqual(after + 500)
  expect(largestGapMs).toBeGreaterThan(40)
})

test('The load generator calls a request lost that is not answered in time, or with another status than the one wanted', async () => {
  const { url } = await serve((asked, answer) => {
    if (asked.url !== '/never') answer.writeHead(503).end()
  })
  const running = await load({
    timeoutMs: 100,
    targets: [
      { name: 'never', url: `${url}/never` },
      { name: 'unavailable', url },
      { name: 'as wanted', url, expectedStatus: 503 },
    ],
  })
  await eventually(() => expect(running.snapshot().targets['never']?.lost).toBeGreaterThan(5))
  const { targets } = await running.stop()
  expect(Object.keys(targets['never']?.failed ?? {})).toEqual(['timeout (waiting)'])
  expect(targets['unavailable']?.lost).toBe(targets['unavailable']?.sent)
  expect(targets['as wanted']?.lost).toBe(0)
})

test('The load generator uses its connections again with keep-alive, and counts answers that ask to close them', async () => {
  let [connections, draining] = [0, false]
  const { server, url } = await serve((_, answer) => {
    if (draining) answer.setHeader('connection', 'close')
    answer.end('pod=a')
  })
  server.on('connection', () => connections++)
  const running = await load({
    targets: [{ name: 'router', url }],
    connection: 'keep-alive',
    connections: 2,
  })
  await eventually(() => expect(running.snapshot().targets['router']?.sent).toBeGreaterThan(30))
  // A request that is due while the one before is under way has a connection of its own.
  const connectionsBefore = connections
  expect(connectionsBefore).toBeLessThan(15)
  expect(running.snapshot().targets['router']?.closing).toBe(0)
  draining = true
  await eventually(() => expect(running.snapshot().targets['router']?.closing).toBeGreaterThan(3))
  expect((await running.stop()).lost).toBe(0)
  expect(connections).toBeGreaterThan(connectionsBefore + 2)
})

test('The load generator ends by itself after the most requests that it may send', async () => {
  const { url } = await serve(identity)
  const running = await load({ targets: [{ name: 'router', url }], maxRequests: 7, ratePerSecond: 500 })
  await eventually(() => expect(running.snapshot().targets['router']?.answered).toEqual({ 200: 7 }))
  expect((await running.stop()).targets['router']?.sent).toBe(7)
})

test('The load generator ends when it is aborted', async () => {
  const { url } = await serve(identity)
  const abort = new AbortController()
  const running = await load({ targets: [{ name: 'router', url }], signal: abort.signal })
  abort.abort()
  const { sent } = (await running.stop()).targets['router'] ?? {}
  await new Promise((resolve) => setTimeout(resolve, 100))
  expect(running.snapshot().targets['router']?.sent).toBe(sent)
})

test('A single request brings the answer with its headers', async () => {
  const { url } = await serve(identity)
  const reply = await request({ inside: here, url, headers: { host: 'shop.example.com' } })
  expect(reply).toMatchObject({ status: 200, headers: { connection: 'close' } })
  expect(reply.body).toBe('pod=a node=n1 client=127.0.0.1 host=shop.example.com\nmore')
})

test('A single request says how it failed', async () => {
  const { server, url } = await serve(identity)
  await new Promise((resolve) => server.close(resolve))
  expect(await request({ inside: here, url })).toEqual({ error: 'ECONNREFUSED' })
})
