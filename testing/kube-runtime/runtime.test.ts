import { setTimeout as pause } from 'node:timers/promises'
import { ConfigMap, Lease, Namespace } from '@portcullis/kube/internal/objects/kinds.ts'
import { expect, test } from 'vitest'
import { eventually } from '../clusters/eventually.ts'
import { freePort } from '../clusters/free-port.ts'
import { OperatorProcess } from '../clusters/operator-process.ts'
import { sharedControlPlane } from '../clusters/shared-control-plane.ts'
import { adminAccess, connect, freshNamespace } from '../clusters/test-client.ts'

async function fetchText(url: string): Promise<{ status: number; text: string }> {
  const response = await fetch(url)
  return { status: response.status, text: await response.text() }
}

async function aSlowOperator({ slowMs = 0, kubeconfig = sharedControlPlane().kubeconfigPath } = {}) {
  const client = connect(await adminAccess(sharedControlPlane()))
  const namespace = await freshNamespace(client)
  const spec = { holderIdentity: '', renewTime: '2020-01-01T00:00:00.000000Z' }
  await client.create(Lease, { metadata: { namespace, name: 'slow' }, spec })
  const port = await freePort()
  const start = () =>
    new OperatorProcess('testing/kube-runtime/slow-operator.ts', {
      KUBECONFIG: kubeconfig,
      NAMESPACE: namespace,
      SLOW_MS: String(slowMs),
      HEALTH_PORT: String(port),
    })
  const input = (name: string, data: Record<string, string> = {}) =>
    client.create(ConfigMap, { metadata: { namespace, name: `in-${name}` }, data })
  const output = (name: string) => client.get(ConfigMap, { namespace, name: `out-${name}` })
  const health = `http://127.0.0.1:${port}`
  return { client, namespace, start, input, output, health }
}

test('The operator of the README labels namespaces, says so in an event, and is healthy', async () => {
  const plane = sharedControlPlane()
  const client = connect(await adminAccess(plane))
  const spec = { holderIdentity: '', renewTime: '2020-01-01T00:00:00.000000Z' }
  await client.create(Lease, { metadata: { namespace: 'default', name: 'label-namespaces' }, spec })
  const port = await freePort()
  const env = { KUBECONFIG: plane.kubeconfigPath, HEALTH_PORT: String(port) }
  const operator = new OperatorProcess('examples/label-namespaces.ts', env)
  const name = await freshNamespace(client)
  await eventually(async () => {
    const { metadata } = await client.get(Namespace, { name })
    expect(metadata.labels).toMatchObject({ owner: 'platform' })
  })
  await eventually(async () => {
    const { stdout } = await plane.kubectl(['describe', 'namespace', name])
    const { stdout: events } = await plane.kubectl(['events', '-n', 'default', '--for', `namespace/${name}`])
    expect(stdout).toContain('owner=platform')
    expect(events).toContain('Labelled')
  })
  expect(await fetchText(`http://127.0.0.1:${port}/healthz`)).toEqual({ status: 200, text: 'ok\n' })
  const ready = await fetchText(`http://127.0.0.1:${port}/readyz`)
  expect(ready).toEqual({ status: 200, text: '[+] running\n[+] watch Namespace\nready\n' })
  const { text: metrics } = await fetchText(`http://127.0.0.1:${port}/metrics`)
  expect(metrics).toMatch(
    /label_namespaces_reconciles_total\{controller="label-namespaces",result="success"\} [1-9]/,
  )
  expect(metrics).toMatch(/label_namespaces_leader\{lease="default\/label-namespaces"\} 1/)
  operator.send('SIGTERM')
  expect(await operator.ended()).toBe(0)
})

test('An operator that gets SIGTERM finishes what is in flight, takes nothing new, releases the lease and exits with 0', async () => {
  const { start, input, output, client, namespace } = await aSlowOperator({ slowMs: 1500 })
  const operator = start()
  await input('first')
  await eventually(() => expect(operator.log.map(({ msg }) => msg)).toContain('copying'))
  operator.send('SIGTERM')
  await pause(200)
  await input('second')
  expect(await operator.ended()).toBe(0)
  await expect(output('first')).resolves.toBeDefined()
  await expect(output('second')).rejects.toMatchObject({ code: 404 })
  const { spec } = await client.get(Lease, { namespace, name: 'slow' })
  expect(spec?.holderIdentity).toBe('')
  expect(operator.log.at(-1)?.msg).toBe('Stopped')
})

test('A second signal ends the operator at once', async () => {
  const { start, input, output } = await aSlowOperator({ slowMs: 15_000 })
  const operator = start()
  await input('slow')
  await eventually(() => expect(operator.log.map(({ msg }) => msg)).toContain('copying'))
  operator.send('SIGTERM')
  await eventually(() => expect(operator.log.at(-1)?.msg).toContain('finishing what is in flight'))
  // A second signal that follows sooner counts as the same one.
  await pause(700)
  const stoppedAt = performance.now()
  operator.send('SIGTERM')
  expect(await operator.ended()).toBe(130)
  expect(performance.now() - stoppedAt).toBeLessThan(2000)
  await expect(output('slow')).rejects.toMatchObject({ code: 404 })
})

test('A failing key is logged once a try, with its name, and keeps no other from being reconciled', async () => {
  const { start, input, output } = await aSlowOperator()
  const operator = start()
  await input('bad', { fail: 'the disk is full' })
  await input('good')
  await eventually(() => output('good'))
  const failures = await eventually(() => {
    const lines = operator.log.filter(({ msg }) => msg.includes('the disk is full'))
    expect(lines.length).toBeGreaterThan(2)
    return lines
  })
  expect(failures[0]?.msg).toMatch(
    /^Cannot reconcile ConfigMap \S+\/in-bad \(attempt 1, next in \d+ ms\): the disk is full$/,
  )
  expect(failures[1]).toMatchObject({ controller: 'copy', kind: 'ConfigMap', name: 'in-bad', attempt: 2 })
  operator.send('SIGTERM')
  await operator.ended()
})

test('A replica takes over all work when the leader is killed', async () => {
  const cluster = await aSlowOperator()
  const first = cluster.start()
  await cluster.input('one')
  await eventually(() => cluster.output('one'))
  first.send('SIGKILL')
  await first.ended()
  await cluster.input('two')
  const second = cluster.start()
  await eventually(() => cluster.output('two'))
  second.send('SIGTERM')
  expect(await second.ended()).toBe(0)
})
