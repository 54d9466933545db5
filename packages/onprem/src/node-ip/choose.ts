import { formatIp, type Ip, sameIp } from '../ip.ts'
import { contains, formatNetwork, type Network } from '../network.ts'
import { type Address, type Candidate, candidatesAmong, objections } from './candidates.ts'

/** What is known of a machine and of the cluster that it is a node of. */
export interface Machine {
  readonly addresses: readonly Address[]
  readonly defaultRoutes: readonly DefaultRoute[]
  readonly vips: readonly Ip[]
  readonly machineNetworks: readonly Network[]
  /** Whether the virtual IPs are a load balancer's of the customer, which may be far away from the node. */
  readonly isUserManaged: boolean
  /** An address of the network that the node's is to be in, by a person's word. */
  readonly hint: Ip | undefined
}

export interface DefaultRoute {
  readonly family: 4 | 6
  readonly interface: string
  /** The route with the lowest is used. */
  readonly metric: number
  /** The address that the machine speaks with on this route, where the route says so. */
  readonly source: Ip | undefined
}

export interface Chosen {
  readonly ip: Ip
  readonly interface: string
  /** What spoke for it: "is in the machine network 192.0.2.0/24". */
  readonly because: string
}

/**
 * The address at which others reach the node: one, or one of each family where the cluster has both. There is always
 * one, or an error that says why not: a kubelet without a node IP serves on every interface, public ones too.
 *
 * What speaks for an address, in this order: a person's hint, the network of a virtual IP that nodes hold, a machine
 * network, the default route with the lowest metric, being the lowest number. The order in which the machine lists
 * things does not matter.
 */
export function chooseNodeIps(machine: Machine): readonly Chosen[] {
  const candidates = candidatesAmong(machine.addresses, machine.vips)
  const families = familiesOf(machine, candidates)
  refuseStrayHint(machine.hint, families)
  const chosen: Chosen[] = []
  for (const family of families) chosen.push(chooseOne(family, machine, candidates, chosen[0]?.interface))
  return chosen
}

/** Those of the machine networks, else of the virtual IPs, else the one that the machine reaches others with. */
function familiesOf(machine: Machine, candidates: readonly Candidate[]): readonly (4 | 6)[] {
  const { machineNetworks, vips, hint, defaultRoutes } = machine
  const known = machineNetworks.length > 0 ? machineNetworks : vips
  if (known.length > 0) return [...new Set(known.map(({ family }) => family))]
  if (hint !== undefined) return [hint.family]
  const present = ([4, 6] as const).filter((family) => candidates.some(({ ip }) => ip.family === family))
  const routed = present.find((family) => defaultRoutes.some((route) => route.family === family))
  return [routed ?? present[0] ?? 4]
}

function refuseStrayHint(hint: Ip | undefined, families: readonly (4 | 6)[]): void {
  if (hint === undefined || families.includes(hint.family)) return
  throw new Error(
    `The hint ${formatIp(hint)} is of IPv${hint.family}, and the cluster is of IPv${families.join(' and IPv')}; give a hint of that family.`,
  )
}

function chooseOne(
  family: 4 | 6,
  machine: Machine,
  all: readonly Candidate[],
  preferred: string | undefined,
): Chosen {
  const candidates = all.filter(({ ip }) => ip.family === family)
  if (candidates.length === 0) throw new Error(nothingOf(family, machine))
  const routes = machine.defaultRoutes.filter((route) => route.family === family)
  const { left, because } = narrowed(family, machine, candidates)
  const ranked = left.toSorted((one, other) =>
    compareRanks(ranksOf(one, routes, preferred), ranksOf(other, routes, preferred)),
  )
  const [first] = ranked
  if (first === undefined) throw new Error(nothingOf(family, machine))
  const { ip, interface: name } = first
  const tie = tieOf(ranked, (one) => ranksOf(one, routes, preferred))
  if (because !== undefined) return { ip, interface: name, because: `${because(first)}${tie}` }
  const metric = metricOf(first, routes)
  const aside = machine.machineNetworks.length > 0 ? ', though in no machine network' : ''
  if (Number.isFinite(metric))
    return {
      ip,
      interface: name,
      because: `is on ${name}, which has the default route (metric ${metric})${aside}${tie}`,
    }
  refuseAmbiguity(family, left)
  return { ip, interface: name, because: `is on the only interface with an IPv${family} address${aside}` }
}

interface Narrowed {
  readonly left: readonly Candidate[]
  /** Undefined where nothing spoke for those that are left. */
  readonly because: ((one: Candidate) => string) | undefined
}

/** Those that the hint names, which must be some; else those that virtual IPs or machine networks speak for, if any. */
function narrowed(family: 4 | 6, machine: Machine, candidates: readonly Candidate[]): Narrowed {
  const { hint, vips, machineNetworks, isUserManaged } = machine
  if (hint?.family === family) {
    const left = candidates.filter(({ network }) => contains(network, hint))
    if (left.length === 0) throw new Error(strayHint(hint, candidates))
    return { left, because: () => `is in the network of the hint ${formatIp(hint)}` }
  }
  // Where the customer's load balancer is says nothing of the node, even if it is near: it may be on a public side.
  const near = isUserManaged
    ? []
    : candidates.filter(({ network }) => vips.some((vip) => contains(network, vip)))
  if (near.length > 0) {
    const vipOf = ({ network }: Candidate) => vips.filter((vip) => contains(network, vip)).map(formatIp)
    return { left: near, because: (one) => `is in the network of the virtual IP ${vipOf(one).toSorted()[0]}` }
  }
  const among = candidates.filter(({ ip }) => machineNetworks.some((network) => contains(network, ip)))
  if (among.length > 0) {
    const networkOf = ({ ip }: Candidate) =>
      machineNetworks.filter((network) => contains(network, ip)).map(formatNetwork)
    return { left: among, because: (one) => `is in the machine network ${networkOf(one).toSorted()[0]}` }
  }
  return { left: candidates, because: undefined }
}

type Rank = number | bigint | string

/** What decided where the interface did not: by the place among the ranks, of which the first two are about it. */
const tieBreakers = [
  'the source address of a route',
  'not being a secondary address',
  'the lower address',
  'the name of the interface',
]

/** That an address on another interface was as good, which the person who reads this may not know; else nothing. */
function tieOf(
  [first, ...others]: readonly Candidate[],
  ranksOf: (one: Candidate) => readonly Rank[],
): string {
  const runnerUp = others.find((one) => one.interface !== first?.interface)
  if (first === undefined || runnerUp === undefined) return ''
  const [ranks, itsRanks] = [ranksOf(first), ranksOf(runnerUp)]
  const breaker = tieBreakers[ranks.findIndex((rank, i) => rank !== itsRanks[i]) - 2]
  if (breaker === undefined) return ''
  const route = ranks[1] === Number.POSITIVE_INFINITY ? '' : ', which has a default route of the same metric'
  return `; as much speaks for ${formatIp(runnerUp.ip)} on ${runnerUp.interface}${route}, and ${breaker} decided (see --hint)`
}

/** The lower the better, one after the other; the last ones only so that there is an order. */
function ranksOf(
  candidate: Candidate,
  routes: readonly DefaultRoute[],
  preferred: string | undefined,
): readonly Rank[] {
  const { ip, prefix, interface: name, isSecondary } = candidate
  const isSource = routes.some(({ source }) => source !== undefined && sameIp(source, ip))
  return [
    preferred === undefined || preferred === name ? 0 : 1,
    metricOf(candidate, routes),
    isSource ? 0 : 1,
    isSecondary ? 1 : 0,
    ip.number,
    name,
    prefix,
  ]
}

function compareRanks(ranks: readonly Rank[], others: readonly Rank[]): number {
  const place = ranks.findIndex((rank, i) => rank !== others[i])
  const [rank = 0, other = 0] = [ranks[place], others[place]]
  return rank === other ? 0 : rank < other ? -1 : 1
}

function metricOf({ interface: name }: Candidate, routes: readonly DefaultRoute[]): number {
  return Math.min(...routes.filter((route) => route.interface === name).map(({ metric }) => metric))
}

function refuseAmbiguity(family: 4 | 6, left: readonly Candidate[]): void {
  if (new Set(left.map(({ interface: name }) => name)).size === 1) return
  throw new Error(
    `Nothing tells which IPv${family} address is the node's: ${listed(left)} are neither near a virtual IP that nodes hold nor in a machine network, and there is no default route; give --hint with an address of the right network.`,
  )
}

function strayHint(hint: Ip, candidates: readonly Candidate[]): string {
  return `No address of this machine is in the network of the hint ${formatIp(hint)}, only ${listed(candidates)}; give --hint with an address of the right network.`
}

function nothingOf(family: 4 | 6, { addresses, vips }: Machine): string {
  const ofFamily = addresses.filter(({ ip }) => ip.family === family)
  return `This machine has no IPv${family} address that a node can be reached at: ${objections(ofFamily, vips)}; give the machine one, or correct machine networks and virtual IPs.`
}

function listed(candidates: readonly Candidate[]): string {
  return candidates
    .map(({ ip, prefix, interface: name }) => `${formatIp(ip)}/${prefix} (${name})`)
    .toSorted()
    .join(', ')
}
