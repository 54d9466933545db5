import { BlockList } from 'node:net'
import { expect, test } from 'vitest'
import { clientNetworks, mostNodes, nodeLayouts, plane, podRanges, router } from './layout.ts'

const documentation = new BlockList()
for (const network of ['192.0.2.0', '198.51.100.0', '203.0.113.0']) documentation.addSubnet(network, 24)
documentation.addSubnet('2001:db8::', 32, 'ipv6')

test('Every address of nodes, clients and routers is one of documentation, which nobody has', () => {
  const ends = Object.values(clientNetworks).flatMap((network) => [
    network.clientIpv4,
    network.clientIpv6,
    network.routerIpv4,
    network.routerIpv6,
  ])
  const nodes = nodeLayouts(mostNodes).flatMap(({ ipv4, ipv6 }) => [ipv4, ipv6])
  const all = [plane, router].flatMap(({ ipv4, ipv6 }) => [ipv4, ipv6]).concat(ends, nodes)
  expect(
    all.filter((address) => !documentation.check(address, address.includes(':') ? 'ipv6' : 'ipv4')),
  ).toEqual([])
  expect(new Set(all).size).toBe(all.length)
})

test('The pods of every node have a range of their own within that of all pods', () => {
  const ipv4 = nodeLayouts(mostNodes).map(({ podsIpv4 }) => podsIpv4)
  const ipv6 = nodeLayouts(mostNodes).map(({ podsIpv6 }) => podsIpv6)
  expect(new Set([...ipv4, ...ipv6]).size).toBe(2 * mostNodes)
  expect(ipv4.every((range) => range.startsWith(podRanges.ipv4.replace('.0.0/16', '.')))).toBe(true)
  expect(ipv6.every((range) => range.startsWith(podRanges.ipv6.replace('::/48', ':')))).toBe(true)
})
