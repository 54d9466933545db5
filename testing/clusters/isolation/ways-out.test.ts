import { expect, test } from 'vitest'
import { type Link, linksIn, type NamespaceLinks, neighboursIn, routesIn } from './namespace-links.ts'
import { waysOut } from './ways-out.ts'

const loopback: Link = { index: 1, name: 'lo', kind: 'loopback' }

function namespace(id: number, changes: Partial<NamespaceLinks> = {}): NamespaceLinks {
  return { name: `namespace-${id}`, id, neighbours: new Map(), links: [loopback], routes: [], ...changes }
}

function cable(index: number, peerIndex: number, namespaceNumber = 0): Link {
  return { index, name: `veth${index}`, kind: 'veth', peer: { index: peerIndex, namespaceNumber } }
}

const joined = [
  namespace(1, { neighbours: new Map([[0, 2]]), links: [loopback, cable(2, 7, 0)] }),
  namespace(2, { neighbours: new Map([[4, 1]]), links: [loopback, cable(7, 2, 4)] }),
] as const

test('Namespaces with loopback, bridges and dummies alone have no way out', () => {
  const links = [
    loopback,
    { index: 2, name: 'cni0', kind: 'bridge' },
    { index: 3, name: 'dummy0', kind: 'dummy' },
  ]
  expect(waysOut([namespace(1, { links }), namespace(2)])).toEqual([])
})

test('A cable between two of the namespaces is no way out', () => {
  expect(waysOut(joined)).toEqual([])
})

test('A cable whose other end is in a namespace that is not looked at is a way out', () => {
  expect(waysOut(joined.slice(0, 1))).toEqual([
    'namespace-1: veth2 is a cable to a namespace that is not one of these',
  ])
})

test('A cable to elsewhere is a way out even if another one, to elsewhere as well, has the numbers of its other end', () => {
  const mirrored = [1, 2].map((id) =>
    namespace(id, { neighbours: new Map([[0, 100 + id]]), links: [cable(2, 2, 0)] }),
  )
  expect(waysOut(mirrored)).toHaveLength(2)
})

test('A cable counts as a way out when its other end does not say the same', () => {
  const [one, other] = joined
  expect(waysOut([one, { ...other, neighbours: new Map([[4, 99]]) }])).toHaveLength(2)
  expect(waysOut([one, { ...other, links: [cable(7, 3, 4)] }])).toHaveLength(2)
  expect(waysOut([one, { ...other, links: [cable(8, 2, 4)] }])).toHaveLength(2)
})

test('A cable with an end of which nothing is known is a way out', () => {
  const unknown: Link = { index: 2, name: 'veth2', kind: 'veth' }
  const unnumbered: Link = { ...unknown, peer: { index: 2, namespaceNumber: undefined } }
  for (const link of [unknown, unnumbered])
    expect(waysOut([namespace(1, { links: [link] })]), JSON.stringify(link)).toHaveLength(1)
})

test('A cable with both ends in one namespace is no way out', () => {
  const ends: readonly Link[] = [
    { index: 2, name: 'x', kind: 'veth', peer: { name: 'y' } },
    { index: 3, name: 'y', kind: 'veth', peer: { name: 'x' } },
  ]
  expect(waysOut([namespace(1, { links: ends })])).toEqual([])
  expect(waysOut([namespace(1, { links: ends.slice(0, 1) })])).toHaveLength(1)
})

test.each(['tun', 'wireguard', 'macvlan', 'ipvlan', 'vxlan', 'gretap', 'vlan', 'a-kind-of-next-year'])(
  'An interface of the kind %s is a way out',
  (kind) => {
    const links = [loopback, { index: 2, name: 'x0', kind }]
    expect(waysOut([namespace(1, { links })])).toEqual([`namespace-1: x0 is of the kind ${kind}`])
  },
)

test('A device of the machine is a way out, and is named with what goes by it', () => {
  const routes = [
    { destination: 'default', link: 'eth0' },
    { destination: 'default', link: 'eth0' },
    { destination: '192.0.2.0/24', link: 'eth0' },
    { destination: '10.244.1.0/24', link: 'cni0' },
  ]
  expect(waysOut([namespace(1, { links: [{ index: 2, name: 'eth0' }], routes })])).toEqual([
    'namespace-1: eth0 is a device of the machine, by which goes default, 192.0.2.0/24',
  ])
})

test('What ip and lsns print is understood', () => {
  const printed = [
    { ifindex: 1, ifname: 'lo', link_type: 'loopback' },
    { ifindex: 2, ifname: 'eth0', link_type: 'ether' },
    { ifindex: 3, ifname: 'cni0', link_type: 'ether', linkinfo: { info_kind: 'bridge' } },
    {
      ifindex: 4,
      ifname: 'va',
      link_type: 'ether',
      link_index: 2,
      link_netnsid: 0,
      linkinfo: { info_kind: 'veth' },
    },
    { ifindex: 5, ifname: 'x', link_type: 'ether', link: 'y', linkinfo: { info_kind: 'veth' } },
  ]
  expect(linksIn(JSON.stringify(printed))).toEqual([
    loopback,
    { index: 2, name: 'eth0' },
    { index: 3, name: 'cni0', kind: 'bridge' },
    { index: 4, name: 'va', kind: 'veth', peer: { index: 2, namespaceNumber: 0 } },
    { index: 5, name: 'x', kind: 'veth', peer: { name: 'y' } },
  ])

  const namespaces = [
    { ns: 4026531833, netnsid: 'unassigned' },
    { ns: 4026532177, netnsid: '0' },
  ]
  expect(neighboursIn(JSON.stringify({ namespaces }))).toEqual(new Map([[0, 4026532177]]))

  const routes = [
    { dst: 'default', nexthops: [{ dev: 'a' }, { dev: 'b' }] },
    { dst: 'fe80::/64', dev: 'c' },
  ]
  expect(routesIn(JSON.stringify(routes))).toEqual([
    { destination: 'default', link: 'a' },
    { destination: 'default', link: 'b' },
    { destination: 'fe80::/64', link: 'c' },
  ])
  expect(routesIn('')).toEqual([])
})
