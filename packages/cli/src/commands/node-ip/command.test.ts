import { infrastructureFrom } from '@portcullis/onprem'
import { expect, test } from 'vitest'
import { stringify } from 'yaml'
import { run as runCommand } from '../../testing/captured-io.ts'

/** The output of `ip` on a machine with a network for nodes, a public one, and a virtual IP that it holds at the moment. */
const machine: Record<string, unknown> = {
  '-json addr': [
    {
      ifname: 'lo',
      flags: ['LOOPBACK', 'UP', 'LOWER_UP'],
      addr_info: [{ family: 'inet', local: '127.0.0.1', prefixlen: 8, scope: 'host' }],
    },
    {
      ifname: 'br-ex',
      flags: ['BROADCAST', 'MULTICAST', 'UP', 'LOWER_UP'],
      addr_info: [
        { family: 'inet', local: '10.0.0.5', prefixlen: 32, scope: 'global' },
        { family: 'inet', local: '10.0.0.20', prefixlen: 16, scope: 'global' },
        { family: 'inet6', local: 'fe80::1', prefixlen: 64, scope: 'link' },
        { family: 'inet6', local: '2001:db8::20', prefixlen: 64, scope: 'global', tentative: true },
        {},
      ].map((info) => ({ prefixlen: 0, scope: 'global', ...info })),
    },
    {
      ifname: 'public',
      flags: ['BROADCAST', 'UP'],
      addr_info: [{ family: 'inet', local: '203.0.113.20', prefixlen: 24, scope: 'global' }],
    },
  ],
  '-json -4 route show default': [
    { dst: 'default', metric: 100, flags: [], nexthops: [{ gateway: '203.0.113.1', dev: 'public' }] },
    { dst: 'default', gateway: '10.0.0.1', dev: 'br-ex', metric: 90, flags: ['linkdown'] },
  ],
  '-json -6 route show default': [],
}

function run(text: string, ...args: string[]) {
  return runWith({}, text, ...args)
}

function runWith(env: Record<string, string>, text: string, ...args: string[]) {
  return runCommand(['node-ip', ...args], {
    input: text,
    env,
    runProgram: async (_, args) => JSON.stringify(machine[args.join(' ')]),
  })
}

const infrastructure = (loadBalancer: string) =>
  stringify(
    infrastructureFrom(
      `baseDomain: example.com\nmetadata: {name: shop}\nplatform: {vsphere: {apiVIPs: [10.0.0.5], ingressVIPs: [10.0.0.7], loadBalancer: {type: ${loadBalancer}}}}`,
    ),
  )

test('`node-ip` reads virtual IPs, machine networks and the type of load balancer from the Infrastructure', async () => {
  const managed = await run(infrastructure('OpenShiftManagedDefault'), '--infrastructure', '-', '-o', 'json')
  expect(JSON.parse(managed.stdout)).toEqual([
    { address: '10.0.0.20', interface: 'br-ex', because: expect.stringContaining('the virtual IP 10.0.0.5') },
  ])
  const users = await run(infrastructure('UserManaged'), '--infrastructure', '-', '-o', 'json')
  expect(JSON.parse(users.stdout)).toEqual([
    { address: '10.0.0.20', interface: 'br-ex', because: 'is in the machine network 10.0.0.0/16' },
  ])
})

test('`node-ip` takes the same from flags, and prints the reason to standard error', async () => {
  expect(await run('', '--vip', '10.0.0.5', '10.0.0.7')).toEqual({
    stdout: '10.0.0.20',
    stderr: '10.0.0.20 is in the network of the virtual IP 10.0.0.5.',
    code: 0,
  })
  expect((await run('', '--vip', '10.0.0.5,10.0.0.7', '--user-managed')).stdout).toBe('203.0.113.20')
  expect((await run('', '--machine-network', '10.0.0.0/24', '--vip', '10.0.0.5')).stdout).toBe('10.0.0.20')
})

test('`node-ip` takes a hint from --hint or NODEIP_HINT, and ignores an empty one', async () => {
  expect((await run('', '--hint', '10.0.0.1', '--vip', '10.0.0.5')).stdout).toBe('10.0.0.20')
  const users = ['--vip', '10.0.0.5', '--user-managed']
  expect((await runWith({ NODEIP_HINT: '10.0.0.1' }, '', ...users)).stdout).toBe('10.0.0.20')
  expect((await runWith({ NODEIP_HINT: '' }, '', ...users)).stdout).toBe('203.0.113.20')
  expect((await runWith({ NODEIP_HINT: 'here' }, '', ...users)).stderr).toContain(
    '"here" is not an IP address',
  )
})

test('`node-ip -o systemd` prints a drop-in for the unit of the kubelet', async () => {
  expect((await run('', '-o', 'systemd', '--vip', '10.0.0.5')).stdout).toBe(
    '[Service]\nEnvironment="KUBELET_NODE_IP=10.0.0.20" "KUBELET_NODE_IPS=10.0.0.20"',
  )
})

test.each([
  [['--hint', 'here'], '"here" is not an IP address'],
  [['--machine-network', '10.0.0.0'], '"10.0.0.0" is not a network in CIDR notation'],
  [
    ['--machine-network', '2001:db8::/64'],
    '2001:db8::20 (br-ex) is tentative, fe80::1 (br-ex) reaches only its own',
  ],
])('`node-ip %j` fails and prints nothing to standard output', async (args, message) => {
  const { stdout, stderr, code } = await run('', ...args)
  expect({ stdout, code }).toEqual({ stdout: '', code: 1 })
  expect(stderr).toContain(message)
})
