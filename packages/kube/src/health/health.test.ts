import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { networkInterfaces } from 'node:os'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { createMetrics } from '../metrics.ts'
import { startHttpServer } from '../testing/http-server.ts'
import { VirtualClock } from '../testing/virtual-clock.ts'
import { HealthServer } from './health.ts'

async function aHealthServer(problems: Record<string, string | undefined>) {
  const metrics = createMetrics('test')
  const checks = Object.keys(problems).map((name) => ({ name, problem: () => problems[name] }))
  const server = new HealthServer({ checks, metrics })
  const port = await server.listen({ host: '127.0.0.1', port: 0 })
  onTestFinished(() => server.close())
  const get = async (path: string) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`)
    return { status: response.status, text: await response.text() }
  }
  return { get, metrics }
}

test('/readyz is ok when every check passes', async () => {
  const { get } = await aHealthServer({ running: undefined, 'watch Ingress': undefined })
  expect(await get('/readyz')).toEqual({ status: 200, text: '[+] running\n[+] watch Ingress\nready\n' })
})

test('One problem makes the process unready, is shown in words, and leaves it alive', async () => {
  const { get } = await aHealthServer({
    running: undefined,
    'watch Ingress': 'Cannot list Ingress: 403 Forbidden',
  })
  const text = '[+] running\n[-] watch Ingress: Cannot list Ingress: 403 Forbidden\nnot ready\n'
  expect(await get('/readyz')).toEqual({ status: 503, text })
  expect(await get('/healthz')).toEqual({ status: 200, text: 'ok\n' })
})

test('Metrics are served, a query in the path does not matter, and other paths list what is served', async () => {
  const { get, metrics } = await aHealthServer({})
  metrics.overloads.inc()
  expect((await get('/metrics?x=1')).text).toContain('test_api_overloads_total 1')
  expect(await get('/')).toEqual({ status: 404, text: 'There are /healthz, /readyz and /metrics.\n' })
})

function aServer(): HealthServer {
  const server = new HealthServer({ checks: [], metrics: createMetrics('test') })
  onTestFinished(() => server.close())
  return server
}

const hasIPv6 = Object.values(networkInterfaces()).some((all) =>
  all?.some(({ address }) => address === '::1'),
)

const places: [title: string, host: string | undefined, answering: string[], silent: string[]][] = [
  ['every address of both families, where no host is named', undefined, ['127.0.0.1', '[::1]'], []],
  ['every address of both families, at ::', '::', ['127.0.0.1', '[::1]'], []],
  ['IPv4 alone, at 0.0.0.0', '0.0.0.0', ['127.0.0.1'], ['[::1]']],
  ['one address, at ::1', '::1', ['[::1]'], ['127.0.0.1']],
]

test.each(places.filter(([, , answering]) => hasIPv6 || !answering.includes('[::1]')))(
  'The health server answers on %s',
  async (_, host, answering, silent) => {
    const port = await aServer().listen({ host, port: 0 })
    const status = async (to: string) => (await fetch(`http://${to}:${port}/healthz`)).status
    for (const to of answering) expect(await status(to)).toBe(200)
    for (const to of silent)
      await expect(status(to)).rejects.toMatchObject({ cause: { code: 'ECONNREFUSED' } })
  },
)

// Only root makes namespaces everywhere; elsewhere there is nothing to see.
test.skipIf(process.platform !== 'linux' || process.getuid?.() !== 0)(
  'The health server answers on IPv4 where IPv6 is switched off',
  { timeout: 60_000 },
  async () => {
    const script = `
      import { HealthServer } from './packages/kube/src/health/health.ts'
      import { createMetrics } from './packages/kube/src/metrics.ts'
      const server = new HealthServer({ checks: [], metrics: createMetrics('test') })
      const port = await server.listen({ port: 0 })
      console.log((await fetch('http://127.0.0.1:' + port + '/healthz')).status)
      await server.close()`
    const inTheNamespace =
      'ip link set lo up && sysctl -qw net.ipv6.conf.all.disable_ipv6=1 && ' +
      'exec "$0" --import tsx --input-type=module -e "$1"'
    const { stdout } = await promisify(execFile)('unshare', [
      '--net',
      'sh',
      '-c',
      inTheNamespace,
      process.execPath,
      script,
    ])
    expect(stdout).toBe('200\n')
  },
)

test.each([
  ['localhost', (port: number) => `at localhost:${port}: `],
  [undefined, (port: number) => `on port ${port} of all addresses: `],
])('The error names a port that is taken where the host is %s', async (host, place) => {
  const [one, other] = [aServer(), aServer()]
  const port = await one.listen({ host, port: 0 })
  await expect(other.listen({ host, port })).rejects.toThrow(
    `Cannot serve health and metrics ${place(port)}listen EADDRINUSE`,
  )
})

test.runIf(hasIPv6)('The error names an IPv6 address that is taken in brackets', async () => {
  const [one, other] = [aServer(), aServer()]
  const port = await one.listen({ host: '::1', port: 0 })
  await expect(other.listen({ host: '::1', port })).rejects.toThrow(`at [::1]:${port}: listen EADDRINUSE`)
})

test('The error names a port that is taken', async () => {
  const other = await startHttpServer(() => {})
  onTestFinished(() => other.close())
  const server = new HealthServer({ checks: [], metrics: createMetrics('test') })
  const port = Number(other.url.port)
  await expect(server.listen({ host: '127.0.0.1', port })).rejects.toThrow(
    `Cannot serve health and metrics at 127.0.0.1:${port}: listen EADDRINUSE`,
  )
})

/** All that a server answers on one connection to what is written to it, until it hangs up. */
async function answerTo(port: number, written: string, localAddress = '127.0.0.1'): Promise<string> {
  const socket = connect({ port, host: '127.0.0.1', localAddress })
  let answer = ''
  socket.on('data', (chunk) => {
    answer += chunk.toString()
  })
  socket.on('error', () => {})
  socket.write(written)
  await once(socket, 'close')
  return answer
}

const getMetrics = 'GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n'

test('One request is answered per connection, however many are pipelined', async () => {
  const port = await aServer().listen({ host: '127.0.0.1', port: 0 })
  const answer = await answerTo(port, 'GET /healthz HTTP/1.1\r\n\r\n'.repeat(2_000))
  // With so much left unread the answer may be lost on its way.
  expect(answer.split('HTTP/1.1 200').length - 1).toBeLessThanOrEqual(1)
  expect(await answerTo(port, 'GET /healthz HTTP/1.1\r\n\r\n')).toMatch(
    /^HTTP\/1\.1 200 OK\r\n[^]*connection: close\r\n[^]*ok\n$/,
  )
})

test.each([
  ['POST /healthz HTTP/1.1\r\n\r\n', 405],
  ['hello\r\n\r\n', 400],
  [`GET / HTTP/1.1\r\nx: ${'x'.repeat(9_000)}\r\n\r\n`, 431],
  ['GET / HTTP/1.1\r\n'.padEnd(8_192, 'x'), 431],
])('A malformed request is answered with 400: %#', async (written, status) => {
  const port = await aServer().listen({ host: '127.0.0.1', port: 0 })
  expect(await answerTo(port, written)).toContain(`HTTP/1.1 ${status} `)
})

test('HEAD is answered without a body, and a request head may come in pieces', async () => {
  const port = await aServer().listen({ host: '127.0.0.1', port: 0 })
  expect(await answerTo(port, 'HEAD /healthz HTTP/1.1\r\n\r\n')).toMatch(/content-length: 3\r\n[^]*\r\n\r\n$/)
  const socket = connect({ port, host: '127.0.0.1' })
  const answer = text(socket)
  for (const piece of ['GET /hea', 'lthz HTTP/1.1\r\n', '\r', '\n']) {
    socket.write(piece)
    await new Promise(setImmediate)
  }
  expect(await answer).toContain('ok\n')
})

test('Concurrent scrapes, and those within a second, share one reading', async () => {
  const metrics = createMetrics('test')
  let readings = 0
  metrics.queueDepth.poll({ queue: 'a' }, () => ++readings)
  const clock = new VirtualClock()
  const server = new HealthServer({ checks: [], metrics, clock })
  onTestFinished(() => server.close())
  const port = await server.listen({ host: '127.0.0.1', port: 0 })
  const scrapes = await Promise.all(Array.from({ length: 8 }, () => answerTo(port, getMetrics)))
  for (const scrape of scrapes) expect(scrape).toContain('test_queue_depth{queue="a"} 1\n')
  await answerTo(port, getMetrics)
  expect(readings).toBe(1)
  await clock.advance(1_000)
  expect(await answerTo(port, getMetrics)).toContain('test_queue_depth{queue="a"} 2\n')
})

test('A connection that sends no request is closed after ten seconds', async () => {
  const clock = new VirtualClock()
  const server = new HealthServer({ checks: [], metrics: createMetrics('test'), clock })
  onTestFinished(() => server.close())
  const port = await server.listen({ host: '127.0.0.1', port: 0 })
  const socket = connect({ port, host: '127.0.0.1' })
  const closed = once(socket, 'close')
  await once(socket, 'connect')
  while (clock.pendingTimers === 0) await new Promise(setImmediate)
  await clock.advance(10_000)
  await closed
})

// Only Linux has more than one loopback address without being asked.
test.runIf(process.platform === 'linux')(
  'A probe is answered while another address holds all connections that it can get, and asks for more',
  async () => {
    const port = await aServer().listen({ host: '127.0.0.1', port: 0 })
    const flood = Array.from({ length: 200 }, () =>
      connect({ port, host: '127.0.0.1', localAddress: '127.0.0.66' }),
    )
    onTestFinished(() => flood.forEach((socket) => socket.destroy()))
    for (const socket of flood) socket.on('error', () => {}).write(getMetrics.slice(0, 20))
    for (let probe = 0; probe < 20; probe++)
      expect(await answerTo(port, 'GET /healthz HTTP/1.1\r\n\r\n', '127.0.0.2')).toContain('ok\n')
    expect(flood.filter(({ readyState }) => readyState === 'open').length).toBeLessThanOrEqual(10)
  },
)
