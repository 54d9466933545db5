import { connect } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
import { memberPorts } from '../load-balancer/services.ts'
import type { Destination } from '../probe/attempt.ts'
import { attempt, open } from '../probe/connection.ts'
import { loopbackNetwork } from '../testing/loopback.ts'
import { command } from './control-client.ts'
import { FakeBackend } from './fake-backend.ts'

const ports = memberPorts(10_000)
const controlPort = 19_936
const token = 'the token'
const now = () => performance.now()
const options = { from: undefined, timeoutMs: 2000, now }

async function started(address = loopbackNetwork().address(21)) {
  const backend = await FakeBackend.start({ address, ports, controlPort, token, now })
  onTestFinished(() => backend.close())
  const ask = (destination: Omit<Destination, 'address' | 'name'>) =>
    attempt({ address, name: undefined, ...destination }, options).then(({ outcome }) => outcome)
  return { address, backend, ask, control: { address, port: controlPort, token, timeoutMs: 2000 } }
}

test('Each port of a fake backend answers as the real program would, and names the backend', async () => {
  const { address, backend, ask } = await started()
  const certificate = { fingerprint: backend.fingerprint, subject: `portcullis fake backend ${address}` }
  const api = await ask({ port: ports.api, isTls: true, path: '/readyz' })
  expect(api).toEqual({ kind: 'answered', status: 200, certificate, backend: address, service: 'api' })
  for (const [port, isTls, path, status] of [
    [ports.api, true, '/version', 200],
    [ports.api, true, '/', 403],
    [ports['machine-config'], true, '/healthz', 200],
    [ports.router, false, '/healthz/ready', 200],
    [ports.router, true, '/healthz/ready', 200],
    [ports.https, true, '/', 200],
    [ports.http, false, '/', 200],
    [ports.api, false, '/readyz', 400],
  ] as const) {
    expect(await ask({ port, isTls, path }), `${port}${path}`).toMatchObject({ status, backend: address })
  }
})

test('Readiness is flipped with the token, one service at a time', async () => {
  const { ask, control } = await started()
  const readiness = () =>
    Promise.all([
      ask({ port: ports.api, isTls: true, path: '/readyz' }),
      ask({ port: ports.router, isTls: false, path: '/healthz/ready' }),
    ]).then((outcomes) => outcomes.map((outcome) => outcome.kind === 'answered' && outcome.status))
  await command(control, '/ready', { check: 'router', isReady: false })
  expect(await readiness()).toEqual([200, 500])
  await command(control, '/ready', { check: 'router', isReady: true })
  expect(await readiness()).toEqual([200, 200])
})

test('A command with a wrong token is refused', async () => {
  const { control } = await started()
  const stranger = command({ ...control, token: 'another' }, '/ready', { check: 'api', isReady: false })
  await expect(stranger).rejects.toThrow('The token does not match')
  const { ready } = await command(control, '/state', {})
  expect(ready.api).toBe(true)
})

test('A fake backend can refuse new connections, and accept them again', async () => {
  const { ask, control } = await started()
  const api = { port: ports.api, isTls: true, path: '/readyz' }
  await command(control, '/listening', { listener: 'api', isListening: false })
  expect(await ask(api)).toEqual({ kind: 'no-connection', code: 'ECONNREFUSED' })
  await command(control, '/listening', { listener: 'api', isListening: true })
  expect(await ask(api)).toMatchObject({ kind: 'answered' })
})

test('A fake backend remembers how it was health-checked: by connection, TLS or request; but not our probes', async () => {
  const { address, ask, control } = await started()
  await ask({ port: ports.api, isTls: true, path: '/readyz' })
  const bare = connect({ host: address, port: ports.api })
  bare.once('connect', () => bare.destroy())
  const clear = connect({ host: address, port: ports.https })
  clear.write('GET /check HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
  clear.resume()
  const held = await open(
    { address, port: ports['machine-config'], isTls: true, name: undefined, path: '/' },
    options,
  )
  if ('connection' in held) held.connection.close()
  const receivedProbes = await vi.waitFor(async () => {
    const { receivedProbes } = await command(control, '/state', {})
    expect(receivedProbes).toHaveLength(3)
    return receivedProbes
  }, 5_000)
  expect(
    receivedProbes.map(({ listener, kind, isTls, path, status }) => ({
      listener,
      kind,
      isTls,
      path,
      status,
    })),
  ).toEqual(
    expect.arrayContaining([
      { listener: 'api', kind: 'connection', isTls: false, path: undefined, status: undefined },
      { listener: 'https', kind: 'request', isTls: false, path: '/check', status: 400 },
      { listener: 'machine-config', kind: 'tls', isTls: true, path: undefined, status: undefined },
    ]),
  )
  expect((await command(control, '/state', { forget: true })).receivedProbes).toEqual([])
})

test('A fake backend connects for us from its own address', async () => {
  const network = loopbackNetwork()
  const [one, other] = [await started(network.address(21)), await started(network.address(22))]
  const to = { address: other.address, port: ports.api, isTls: true, name: undefined, path: '/readyz' }
  const { attempts } = await command(one.control, '/dial', { to, times: 2, timeoutMs: 1000 })
  expect(attempts.map(({ outcome }) => outcome.kind === 'answered' && outcome.backend)).toEqual([
    other.address,
    other.address,
  ])
})

test('The error names a port that is taken', async () => {
  const { address } = await started()
  await expect(FakeBackend.start({ address, ports, controlPort, token, now })).rejects.toThrow(
    `${address}:16443 is in use; stop what listens there, or choose other ports with --port-offset.`,
  )
})

test('The error names a fake backend that is not there', async () => {
  const unreachable = { address: loopbackNetwork().address(9), port: controlPort, token, timeoutMs: 500 }
  await expect(command(unreachable, '/state', {})).rejects.toThrow(
    /The fake backend at .*:19936 cannot be asked: ECONNREFUSED/,
  )
})
