import type { Cached } from '@portcullis/kube'
import type { Node, Pod } from 'kubernetes-types/core/v1'
import { expect, it } from 'vitest'
import { nodeAddresses } from './node-addresses.ts'

const aNode = (name: string, ...addresses: [string, string][]) =>
  ({
    metadata: { name, uid: name, resourceVersion: '1' },
    status: { addresses: addresses.map(([type, address]) => ({ type, address })) },
  }) as Cached<Node>

const aRouter = (nodeName: string, ready = true, metadata: object = {}) =>
  ({
    metadata: {
      name: `router-${nodeName}`,
      namespace: 'ns',
      uid: nodeName,
      resourceVersion: '1',
      ...metadata,
    },
    spec: { nodeName, containers: [] },
    status: { conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }] },
  }) as Cached<Pod>

const one = aNode(
  'one',
  ['InternalIP', '10.0.0.1'],
  ['ExternalIP', '192.0.2.1'],
  ['ExternalIP', '2001:db8::1'],
)
const two = aNode('two', ['Hostname', 'two'], ['InternalIP', '10.0.0.2'], ['InternalIP', 'fd00::2'])

it('A node is reached by all of its external addresses, else by all of its internal ones', () => {
  expect(nodeAddresses([one, two], [aRouter('one'), aRouter('two')], () => [80]).map(({ ip }) => ip)).toEqual(
    ['10.0.0.2', '192.0.2.1', '2001:db8::1', 'fd00::2'],
  )
})

it('A node without a ready router is not published, whatever runs on others', () => {
  expect(nodeAddresses([one, two], [aRouter('two')], () => [80]).map(({ ip }) => ip)).toEqual([
    '10.0.0.2',
    'fd00::2',
  ])
})

it('A node with one external address is published without its internal ones', () => {
  const node = aNode('one', ['InternalIP', '10.0.0.1'], ['ExternalIP', '192.0.2.1'])
  expect(nodeAddresses([node], [aRouter('one')], () => [80]).map(({ ip }) => ip)).toEqual(['192.0.2.1'])
})

it('Only nodes with a router that is ready and not terminating are published', () => {
  const leaving = aRouter('two', true, { deletionTimestamp: '2026-01-01T00:00:00Z' })
  expect(nodeAddresses([one, two], [aRouter('one', false), leaving], () => [80])).toEqual([])
})

it('Ports are published with the address', () => {
  const ports = [80, 443].map((port) => ({ port, protocol: 'TCP' }))
  expect(nodeAddresses([two], [aRouter('two')], () => [80, 443])).toEqual([
    { ip: '10.0.0.2', ports },
    { ip: 'fd00::2', ports },
  ])
})

it('A router that no port of its node leads to is not reached there', () => {
  expect(nodeAddresses([two], [aRouter('two')], () => [])).toEqual([])
})

it.each([
  ['300,000 blanks', ' '.repeat(300_000)],
  ['a command', '`reboot`'],
  ['nothing', ''],
  ['a name', 'node.example.com'],
  ['an address with a port', '192.0.2.1:80'],
  ['an address with a zone', 'fe80::1%eth0'],
  ['an address with a zone of a megabyte', `fe80::1%${'a'.repeat(1_000_000)}`],
  ['an IPv4 address in IPv6 clothes', '::ffff:192.0.2.1'],
])('A node whose kubelet reports the address %s is not published with it', (_, address) => {
  const node = aNode('one', ['ExternalIP', address], ['InternalIP', '10.0.0.1'])
  expect(nodeAddresses([node], [aRouter('one')], () => [80]).map(({ ip }) => ip)).toEqual(['10.0.0.1'])
})

it('Node addresses of other types take no room from those that are published', () => {
  const names = Array.from({ length: 40 }, (_, i): [string, string] => ['Hostname', `10.1.0.${i}`])
  const node = aNode('one', ...names, ['InternalIP', '10.0.0.1'])
  expect(nodeAddresses([node], [aRouter('one')], () => [80]).map(({ ip }) => ip)).toEqual(['10.0.0.1'])
})

it('A node whose kubelet reports ten thousand addresses is published with a few of them', () => {
  const many = Array.from({ length: 10_000 }, (_, i): [string, string] => [
    'InternalIP',
    `10.0.${i >> 8}.${i & 255}`,
  ])
  expect(nodeAddresses([aNode('one', ...many)], [aRouter('one')], () => [80])).toHaveLength(32)
})
