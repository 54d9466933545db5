import { expect, onTestFinished, test } from 'vitest'
import { startHttpServer } from '../../test/http-server.ts'
import { HealthServer } from './health.ts'
import { createMetrics } from './metrics.ts'

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

test('it is ready when every check is well', async () => {
  const { get } = await aHealthServer({ running: undefined, 'watch Ingress': undefined })
  expect(await get('/readyz')).toEqual({ status: 200, text: '[+] running\n[+] watch Ingress\nready\n' })
})

test('one problem makes it unready, is told in words, and leaves it alive', async () => {
  const { get } = await aHealthServer({
    running: undefined,
    'watch Ingress': 'Cannot list Ingress: 403 Forbidden',
  })
  const text = '[+] running\n[-] watch Ingress: Cannot list Ingress: 403 Forbidden\nnot ready\n'
  expect(await get('/readyz')).toEqual({ status: 503, text })
  expect(await get('/healthz')).toEqual({ status: 200, text: 'ok\n' })
})

test('metrics are served, a query in the path does not matter, and other paths say what there is', async () => {
  const { get, metrics } = await aHealthServer({})
  metrics.overloads.inc()
  expect((await get('/metrics?x=1')).text).toContain('test_api_overloads_total 1')
  expect(await get('/')).toEqual({ status: 404, text: 'There are /healthz, /readyz and /metrics.\n' })
})

test('a port that is taken is named', async () => {
  const other = await startHttpServer(() => {})
  onTestFinished(() => other.close())
  const server = new HealthServer({ checks: [], metrics: createMetrics() })
  const port = Number(other.url.port)
  await expect(server.listen({ host: '127.0.0.1', port })).rejects.toThrow(
    `Cannot serve health and metrics at 127.0.0.1:${port}: listen EADDRINUSE`,
  )
})
