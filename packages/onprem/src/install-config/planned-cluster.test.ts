import { expect, test } from 'vitest'
import { checkOnline, type Online } from './check-online.ts'
import { plannedCluster } from './planned-cluster.ts'

const file = `baseDomain: example.com
metadata: {name: edge}
compute: [{name: worker, replicas: 3}]
networking: {machineNetwork: [{cidr: 192.0.2.0/24}]}
platform:
  vsphere:
    loadBalancer: {type: UserManaged}
    apiVIPs: [192.0.2.10]
    ingressVIPs: [192.0.2.11]
`

test('A file says what a load balancer must know', () => {
  expect(plannedCluster(file)).toEqual({
    domain: 'edge.example.com',
    apiVips: ['192.0.2.10'],
    ingressVips: ['192.0.2.11'],
    nodesAskOutside: true,
    machineNetworks: ['192.0.2.0/24'],
    isCompact: false,
  })
})

test('Without compute nodes routers run on the control plane', () => {
  expect(plannedCluster(file.replace('replicas: 3', 'replicas: 0')).isCompact).toBe(true)
})

test.each([
  ['vSphere with a load balancer of yours', file, true],
  ['vSphere without virtual IPs', file.replace(/ {4}(load|api|ingress).*\n/g, ''), true],
  ['bare metal', file.replace('vsphere', 'baremetal'), false],
  [
    'bare metal with its records outside',
    `${file.replace('vsphere', 'baremetal')}    dnsRecordsType: External\n`,
    true,
  ],
])('Nodes ask your DNS for api-int: %s', (_, text, expected) => {
  expect(plannedCluster(text).nodesAskOutside).toBe(expected)
})

test('A cluster without a name is refused', () => {
  expect(() => plannedCluster('platform: {}')).toThrow('has no metadata.name or no baseDomain')
  expect(() => plannedCluster('['.repeat(1000))).toThrow('nested more than 200 levels')
})

/** A DNS server with these records, and no others. */
const dns = (records: Readonly<Record<string, string>>): Online => ({
  random: () => 0,
  ask: async (names) =>
    names.flatMap((name) => {
      const address = records[name.replace(/^portcullis-\w+/, '*')]
      const outcome = address
        ? ({ kind: 'addresses', addresses: [address] } as const)
        : ({ kind: 'no-such-name' } as const)
      return [{ resolver: '192.0.2.53', name, type: 'A' as const, outcome }]
    }),
})

const right = {
  'api.edge.example.com': '192.0.2.10',
  'api-int.edge.example.com': '192.0.2.10',
  '*.apps.edge.example.com': '192.0.2.11',
}

test('Names that lead to the virtual IPs of the file are right', async () => {
  expect(await checkOnline(file, dns(right))).toEqual([])
})

test('A wrong DNS record is reported at the virtual IP', async () => {
  const found = await checkOnline(file, dns({ ...right, '*.apps.edge.example.com': '192.0.2.99' }))
  expect(found).toMatchObject([
    {
      rule: 'dns-wrong-address',
      path: 'platform.vsphere.ingressVIPs[0]',
      line: 9,
      column: 19,
      message:
        'portcullis-000000.apps.edge.example.com resolves not to 192.0.2.11, but to 192.0.2.99, where nothing of this cluster is expected, according to 192.0.2.53; set it to exactly 192.0.2.11.',
    },
  ])
})

test('Without a name there is nothing to look up', async () => {
  expect(await checkOnline('platform: {vsphere: {}}', dns(right))).toMatchObject([
    { rule: 'dns-name-unknown' },
  ])
})
