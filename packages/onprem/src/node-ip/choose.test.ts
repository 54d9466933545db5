import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { formatIp, sameIp } from '../ip.ts'
import { contains, network } from '../network.ts'
import { ip } from '../testing/a-node.ts'
import type { Address } from './candidates.ts'
import { type Chosen, chooseNodeIps, type DefaultRoute, type Machine } from './choose.ts'

/** `192.0.2.20/24 eth0`, which is up and right by default. */
function address(text: string, changes: Partial<Address> = {}): Address {
  const [cidr = '', name = ''] = text.split(' ')
  const [at = '', prefix = ''] = cidr.split('/')
  return {
    ip: ip(at),
    prefix: Number(prefix),
    interface: name,
    isUp: true,
    scope: 'global',
    isSecondary: false,
    flaw: undefined,
    ...changes,
  }
}

function route(name: string, metric = 0, family: 4 | 6 = 4, source?: string): DefaultRoute {
  return { family, interface: name, metric, source: source === undefined ? undefined : ip(source) }
}

function choose(addresses: readonly (string | Address)[], machine: Partial<Machine> = {}) {
  return chooseNodeIps({
    addresses: addresses.map((each) => (typeof each === 'string' ? address(each) : each)),
    defaultRoutes: [],
    vips: [],
    machineNetworks: [],
    isUserManaged: false,
    hint: undefined,
    ...machine,
  })
}

const chosen = (...args: Parameters<typeof choose>) => choose(...args).map((each) => formatIp(each.ip))

const lan = '192.0.2.20/24 lan'
const dataplane = '203.0.113.20/24 public'

test.each<[string, Parameters<typeof choose>, string, string]>([
  ['a person says so', [[lan, dataplane], { hint: ip('192.0.2.1') }], '192.0.2.20', 'the hint 192.0.2.1'],
  [
    'a virtual IP is near',
    [[lan, dataplane], { vips: [ip('192.0.2.5')], defaultRoutes: [route('public')] }],
    '192.0.2.20',
    'is in the network of the virtual IP 192.0.2.5',
  ],
  [
    'it is in a machine network',
    [[lan, dataplane], { machineNetworks: [network('192.0.0.0/16')], defaultRoutes: [route('public')] }],
    '192.0.2.20',
    'is in the machine network 192.0.0.0/16',
  ],
  [
    'others are reached through it',
    [[lan, dataplane], { defaultRoutes: [route('lan', 100)] }],
    '192.0.2.20',
    'is on lan, which has the default route (metric 100)',
  ],
  [
    'others are reached through it, whatever the machine networks are',
    [[lan, dataplane], { machineNetworks: [network('10.0.0.0/16')], defaultRoutes: [route('lan')] }],
    '192.0.2.20',
    'is on lan, which has the default route (metric 0), though in no machine network',
  ],
  ['there is no other', [[lan]], '192.0.2.20', 'is on the only interface with an IPv4 address'],
])('An address is the node’s because %s', (_, question, expected, because) => {
  const [one, ...others] = choose(...question)
  expect(others).toEqual([])
  expect(formatIp(one?.ip ?? ip('0.0.0.0'))).toBe(expected)
  expect(one?.because).toContain(because)
})

const users = { isUserManaged: true, vips: [ip('198.51.100.5')] }

test('With the load balancer of the user, a virtual IP outside of the node’s networks leaves the node its address', () => {
  expect(chosen([lan, dataplane], { ...users, defaultRoutes: [route('lan')] })).toEqual(['192.0.2.20'])
  const machineNetworks = [network('192.0.2.0/24')]
  expect(chosen([lan, dataplane], { ...users, machineNetworks, defaultRoutes: [route('public')] })).toEqual([
    '192.0.2.20',
  ])
})

test('With the load balancer of the user, a virtual IP on the public side does not move the node address there', () => {
  const near = { ...users, vips: [ip('203.0.113.5')], defaultRoutes: [route('lan')] }
  expect(chosen([lan, dataplane], near)).toEqual(['192.0.2.20'])
})

test('With the virtual IP of the nodes themselves outside of its networks, the node keeps its address too', () => {
  expect(chosen([lan, dataplane], { vips: [ip('198.51.100.5')], defaultRoutes: [route('lan')] })).toEqual([
    '192.0.2.20',
  ])
})

const both = [lan, dataplane]

test('Of two default routes the one with the lower metric counts', () => {
  expect(chosen(both, { defaultRoutes: [route('public', 101), route('lan', 100)] })).toEqual(['192.0.2.20'])
  expect(chosen(both, { defaultRoutes: [route('public', 99), route('lan', 100)] })).toEqual(['203.0.113.20'])
})

test('Of two default routes with one metric the lower address counts, in whatever order they are listed', () => {
  for (const routes of [
    [route('public', 100), route('lan', 100)],
    [route('lan', 100), route('public', 100)],
  ])
    for (const addresses of [both, both.toReversed()])
      expect(chosen(addresses, { defaultRoutes: routes })).toEqual(['192.0.2.20'])
})

test('A tie of two default routes is reported, with what decided', () => {
  const reasons = (...defaultRoutes: DefaultRoute[]) =>
    choose(both, { defaultRoutes }).map(({ because }) => because)
  expect(reasons(route('public', 100), route('lan', 100))).toEqual([
    'is on lan, which has the default route (metric 100); as much speaks for 203.0.113.20 on public, which has a default route of the same metric, and the lower address decided (see --hint)',
  ])
  expect(reasons(route('public', 100, 4, '203.0.113.20'), route('lan', 100))).toEqual([
    expect.stringContaining(
      '192.0.2.20 on lan, which has a default route of the same metric, and the source address',
    ),
  ])
  expect(reasons(route('public', 101), route('lan', 100))).toEqual([
    'is on lan, which has the default route (metric 100)',
  ])
})

test('A tie of two default routes is reported in a machine network too', () => {
  const machineNetworks = [network('192.0.2.0/24'), network('203.0.113.0/24')]
  const [one] = choose(both, { machineNetworks, defaultRoutes: [] })
  expect(one?.because).toBe(
    'is in the machine network 192.0.2.0/24; as much speaks for 203.0.113.20 on public, and the lower address decided (see --hint)',
  )
})

test('A hint decides between two default routes', () => {
  const defaultRoutes = [route('public', 100), route('lan', 100)]
  expect(chosen(both, { defaultRoutes, hint: ip('203.0.113.1') })).toEqual(['203.0.113.20'])
})

test('The node address is the one that the machine sends from, not a later one of the interface', () => {
  const several = [
    address('192.0.2.9/24 lan', { isSecondary: true }),
    address('192.0.2.20/24 lan'),
    address('192.0.2.30/24 lan'),
  ]
  expect(chosen(several)).toEqual(['192.0.2.20'])
  expect(chosen(several, { defaultRoutes: [route('lan', 0, 4, '192.0.2.30')] })).toEqual(['192.0.2.30'])
})

const machineNetworks = [network('2001:db8::/64'), network('192.0.2.0/24')]

test('Addresses of both families are chosen in the order of the machine networks', () => {
  expect(chosen([lan, '2001:db8::20/64 lan'], { machineNetworks })).toEqual(['2001:db8::20', '192.0.2.20'])
  const vips = [ip('192.0.2.5'), ip('2001:db8::5')]
  expect(chosen([lan, '2001:db8::20/64 lan'], { vips })).toEqual(['192.0.2.20', '2001:db8::20'])
})

test('Addresses of both families are on one interface if possible', () => {
  const addresses = [lan, '2001:db8::20/64 public', '2001:db8::30/64 lan']
  const vips = [ip('192.0.2.5'), ip('2001:db8::5')]
  expect(chosen(addresses, { vips, defaultRoutes: [route('public', 1, 6)] })).toEqual([
    '192.0.2.20',
    '2001:db8::30',
  ])
})

test('Addresses of both families are both required', () => {
  expect(() => chosen([lan], { machineNetworks })).toThrow(
    'This machine has no IPv6 address that a node can be reached at: it has none at all; give the machine one',
  )
})

test('Addresses of both families are not both chosen unless asked for', () => {
  expect(chosen([lan, '2001:db8::20/64 lan'])).toEqual(['192.0.2.20'])
  expect(chosen([lan, '2001:db8::20/64 lan'], { defaultRoutes: [route('lan', 1, 6)] })).toEqual([
    '2001:db8::20',
  ])
})

test.each<[string, Address, Partial<Machine>, string]>([
  [
    'a virtual IP',
    address('192.0.2.5/32 lan'),
    { vips: [ip('192.0.2.5')] },
    '192.0.2.5 (lan) is a virtual IP',
  ],
  ['loopback', address('127.0.0.1/8 lo', { scope: 'host' }), {}, 'reaches only this machine'],
  ['a link', address('169.254.0.2/17 lan', { scope: 'link' }), {}, 'reaches only its own link'],
  ['pods', address('10.128.0.2/23 ovn-k8s-mp0'), {}, 'is for pods and containers'],
  ['down', address('192.0.2.20/24 lan', { isUp: false }), {}, 'is on an interface that is down'],
  ['tentative', address('192.0.2.20/24 lan', { flaw: 'tentative' }), {}, 'is tentative'],
])('No address of this kind is chosen: %s', (_, one, machine, complaint) => {
  expect(() => chosen([one], machine)).toThrow(complaint)
  expect(chosen([one, dataplane], machine)).toEqual(['203.0.113.20'])
})

test.each<[string, Parameters<typeof choose>, string]>([
  [
    'no addresses',
    [[]],
    'no IPv4 address that a node can be reached at: it has none at all; give the machine one',
  ],
  [
    'nothing speaks for either',
    [[lan, dataplane]],
    "Nothing tells which IPv4 address is the node's: 192.0.2.20/24 (lan), 203.0.113.20/24 (public) are neither",
  ],
  [
    'a hint that leads nowhere',
    [[lan], { hint: ip('198.51.100.1') }],
    'in the network of the hint 198.51.100.1, only 192.0.2.20/24 (lan); give --hint',
  ],
  [
    'a hint of the other family',
    [[lan], { hint: ip('2001:db8::1'), vips: [ip('192.0.2.5')] }],
    'The hint 2001:db8::1 is of IPv6, and the cluster is of IPv4',
  ],
])('The error of this case has a remedy: %s', (_, question, message) => {
  expect(() => choose(...question)).toThrow(message)
})

const names = fc.constantFrom('lo', 'eth0', 'eth1', 'br-ex', 'ovn-k8s-mp0')
const someIp = fc.oneof(
  fc.integer({ min: 1, max: 60 }).map((n) => ip(`192.0.2.${n}`)),
  fc.integer({ min: 1, max: 60 }).map((n) => ip(`198.51.100.${n}`)),
  fc.integer({ min: 1, max: 60 }).map((n) => ip(`2001:db8::${n}`)),
)
const someAddress: fc.Arbitrary<Address> = fc.record({
  ip: someIp,
  prefix: fc.constantFrom(24, 26, 32),
  interface: names,
  isUp: fc.boolean(),
  scope: fc.constantFrom('global', 'global', 'global', 'link', 'host'),
  isSecondary: fc.boolean(),
  flaw: fc.constantFrom(undefined, undefined, undefined, 'deprecated'),
})
const someRoute: fc.Arbitrary<DefaultRoute> = fc.record({
  family: fc.constantFrom(4 as const, 6 as const),
  interface: names,
  metric: fc.integer({ min: 0, max: 2 }),
  source: fc.option(someIp, { nil: undefined }),
})
const someMachine: fc.Arbitrary<Machine> = fc.record({
  addresses: fc.array(someAddress, { maxLength: 8 }),
  defaultRoutes: fc.array(someRoute, { maxLength: 4 }),
  vips: fc.array(someIp, { maxLength: 4 }),
  machineNetworks: fc.subarray([
    network('192.0.2.0/26'),
    network('198.51.100.0/24'),
    network('2001:db8::/64'),
  ]),
  isUserManaged: fc.boolean(),
  hint: fc.option(someIp, { nil: undefined, freq: 4 }),
})
const outcome = (machine: Machine) => {
  try {
    return chooseNodeIps(machine)
  } catch (error) {
    return (error as Error).message
  }
}

test('The choice is an address of the machine that is in use and not virtual, or an error, whatever the machine', () => {
  fc.assert(
    fc.property(someMachine, (machine) => {
      const result = outcome(machine)
      if (typeof result === 'string') {
        expect(result).toMatch(/^[A-Z].*; give .*\.$/)
        return
      }
      expect(result.length).toBeGreaterThan(0)
      expect(new Set(result.map((one) => one.ip.family)).size).toBe(result.length)
      const isFit = (one: Chosen) =>
        !machine.vips.some((vip) => sameIp(vip, one.ip)) &&
        machine.addresses.some(
          (each) =>
            sameIp(each.ip, one.ip) &&
            each.interface === one.interface &&
            each.isUp &&
            each.scope === 'global' &&
            each.flaw === undefined,
        )
      expect(result.filter((one) => !isFit(one))).toEqual([])
    }),
    { numRuns: 500 },
  )
})

test('The order in which the machine lists addresses does not matter', () => {
  const shuffled = someMachine.chain((machine) =>
    fc.tuple(
      fc.constant(machine),
      fc.shuffledSubarray([...machine.addresses], { minLength: machine.addresses.length }),
      fc.shuffledSubarray([...machine.defaultRoutes], { minLength: machine.defaultRoutes.length }),
    ),
  )
  fc.assert(
    fc.property(shuffled, ([machine, addresses, defaultRoutes]) => {
      expect(outcome({ ...machine, addresses, defaultRoutes })).toEqual(outcome(machine))
    }),
    { numRuns: 500 },
  )
})

test('An address in a machine network is preferred to all others', () => {
  fc.assert(
    fc.property(someMachine, (machine) => {
      const result = outcome({ ...machine, isUserManaged: true, hint: undefined })
      if (typeof result === 'string') return
      for (const { ip, because } of result) {
        const isInside = machine.machineNetworks.some((each) => contains(each, ip))
        expect(because.startsWith('is in the machine network')).toBe(isInside)
      }
    }),
  )
})
