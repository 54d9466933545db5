import { expect, test } from 'vitest'
import type { NetworkNamespace } from '../../onprem/network-namespace.ts'
import { aNetworkNamespace } from '../../onprem/rendered-node.ts'
import { type NamespaceLinks, readNamespaceLinks } from './namespace-links.ts'
import { skipWithoutNamespaces } from './skip-without-namespaces.ts'
import { waysOut } from './ways-out.ts'

skipWithoutNamespaces()

function read(namespaces: Readonly<Record<string, NetworkNamespace>>): Promise<readonly NamespaceLinks[]> {
  return Promise.all(
    Object.entries(namespaces).map(([name, namespace]) =>
      readNamespaceLinks(name, (command, args) => namespace.inside(command, ...args)),
    ),
  )
}

/** A bridge in one namespace, and two others that are joined to it. */
async function aNetwork(): Promise<{
  readonly plane: NetworkNamespace
  readonly a: NetworkNamespace
  readonly b: NetworkNamespace
}> {
  const [plane, a, b] = [await aNetworkNamespace(), await aNetworkNamespace(), await aNetworkNamespace()]
  await plane.connect('br0', '198.51.100.1/24')
  for (const [name, node] of Object.entries({ a, b })) {
    await plane.cable(`v-${name}`, node, 'eth0')
    await plane.must('ip', 'link', 'set', `v-${name}`, 'master', 'br0')
  }
  await a.must('ip', 'addr', 'add', '198.51.100.11/24', 'dev', 'eth0')
  await a.must('ip', 'route', 'add', 'default', 'via', '198.51.100.1')
  await a.must('ip', 'link', 'add', 'pair', 'type', 'veth', 'peer', 'name', 'riap')
  return { plane, a, b }
}

test('Namespaces that are joined to each other alone have no way out', async () => {
  expect(waysOut(await read(await aNetwork()))).toEqual([])
})

test('A cable to a namespace that is not one of these is found', async () => {
  const network = await aNetwork()
  const elsewhere = await aNetworkNamespace()
  await network.a.cable('leak', elsewhere, 'leak')
  await network.a.must('ip', 'route', 'add', '192.0.2.0/24', 'dev', 'leak')
  expect(waysOut(await read(network))).toEqual([
    'a: leak is a cable to a namespace that is not one of these, by which goes 192.0.2.0/24, fe80::/64',
  ])
  expect(waysOut(await read({ ...network, elsewhere }))).toEqual([])
})

test('Cables to elsewhere are found though they look like one cable between two of the namespaces', async () => {
  const [one, other] = [await aNetworkNamespace(), await aNetworkNamespace()]
  // All four ends get the same index, and each namespace knows the other end's by the same number.
  for (const namespace of [one, other]) await namespace.cable('leak', await aNetworkNamespace(), 'leak')
  const namespaces = await read({ one, other })
  expect(new Set(namespaces.map(({ links }) => JSON.stringify(links))).size).toBe(1)
  expect(waysOut(namespaces)).toHaveLength(2)
})

test('A namespace with a tunnel has a way out', async () => {
  const network = await aNetwork()
  await network.b.must('ip', 'tuntap', 'add', 'tap0', 'mode', 'tap')
  expect(waysOut(await read(network))).toEqual(['b: tap0 is of the kind tun'])
})

test('The namespace of the machine itself has a way out where it has any device', async () => {
  const machine = await readNamespaceLinks('machine', (command, args) => [command, args])
  const devices = machine.links.filter(({ kind }) => kind === undefined)
  expect(waysOut([machine]).filter((way) => way.includes('a device of the machine'))).toHaveLength(
    devices.length,
  )
})
