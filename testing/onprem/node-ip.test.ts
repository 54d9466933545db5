import { fileURLToPath } from 'node:url'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { debianProgram } from './install-programs.ts'
import { NetworkNamespace } from './network-namespace.ts'

const main = fileURLToPath(new URL('../../packages/cli/src/main.ts', import.meta.url))
let machine: NetworkNamespace

beforeAll(async () => void (await debianProgram('ip', 'iproute2')))

/** A machine with a network for nodes and a public one. */
beforeEach(async () => {
  machine = await NetworkNamespace.make()
  await machine.connect('br-ex', '192.0.2.20/24', '2001:db8::20/64')
  await machine.connect('public', '203.0.113.20/24')
  return () => machine.remove()
})

const nodeIp = (...args: string[]) =>
  machine.run(process.execPath, '--import', 'tsx', main, 'node-ip', ...args)

test('A virtual IP that the machine holds selects its network, and is not chosen as the node IP', async () => {
  await machine.must('ip', 'addr', 'add', '192.0.2.5/32', 'dev', 'br-ex')
  expect(await nodeIp('--vip', '192.0.2.5')).toMatchObject({ code: 0, stdout: '192.0.2.20\n' })
})

test('The virtual IP of the customer is elsewhere, and both families have a node IP', async () => {
  const args = ['--user-managed', '--vip', '198.51.100.5', '--machine-network', '192.0.2.0/24,2001:db8::/64']
  expect(await nodeIp(...args)).toMatchObject({ code: 0, stdout: '192.0.2.20,2001:db8::20\n' })
})

test('Two default routes of one metric always give the same node IP', async () => {
  await machine.must('ip', 'route', 'add', 'default', 'via', '203.0.113.1', 'metric', '100')
  await machine.must('ip', 'route', 'append', 'default', 'via', '192.0.2.1', 'metric', '100')
  expect(await nodeIp()).toMatchObject({ stdout: '192.0.2.20\n' })
  await machine.must('ip', 'route', 'add', 'default', 'via', '203.0.113.1', 'metric', '50')
  expect(await nodeIp()).toMatchObject({ stdout: '203.0.113.20\n' })
  expect(await nodeIp('--hint', '192.0.2.1')).toMatchObject({ stdout: '192.0.2.20\n' })
})

test('A machine without an address is an error, and nothing is printed that a kubelet could take for one', async () => {
  const { code, stdout, stderr } = await nodeIp()
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toContain(
    "portcullis: Nothing tells which IPv4 address is the node's: 192.0.2.20/24 (br-ex), ",
  )
})
