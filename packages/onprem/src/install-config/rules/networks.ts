import { formatNetwork, masked, type Network, network, overlap, parseNetwork } from '../../network.ts'
import { type Finding, finding } from '../finding.ts'
import type { InstallConfig } from '../install-config.ts'
import type { Networking, Networks, WrittenNetwork } from '../networking.ts'
import type { Value } from '../value.ts'

const docker = network('172.17.0.0/16')

/** The networks that are written in the file: right in themselves, and apart from each other and from OVN's. */
export function* checkNetworks({ networking }: InstallConfig): Iterable<Finding> {
  const { machine, cluster, service, ovn } = networking
  for (const { use, values } of [machine, cluster, service])
    for (const value of values) yield* checkNotation(value, `${use}Network`)
  for (const { value } of ovn) if (value !== undefined) yield* checkNotation(value, 'internalJoinSubnet')
  yield* checkServiceSizes(service)
  yield* checkOverlaps(networking)
}

function* checkNotation(value: Value, name: string): Iterable<Finding> {
  if (value.kind !== 'text') return
  const parsed = parseNetwork(value.text)
  if (parsed === undefined) {
    const message = `${value.text} is not a network; write ${name} in CIDR notation, such as 192.0.2.0/24.`
    yield finding('network-notation', value, message)
  } else if (masked(parsed).address !== parsed.address) {
    const message = `${value.text} is an address within a network; write the network, ${formatNetwork(masked(parsed))}.`
    yield finding('network-notation', value, message)
  } else if (parsed.address === 0n) {
    yield finding(
      'network-notation',
      value,
      `${value.text} is no network in particular; write that of ${name}.`,
    )
  }
}

function* checkServiceSizes({ all }: Networks): Iterable<Finding> {
  for (const { value, network } of all) {
    const longEnough = network.family === 4 ? 12 : 108
    if (value === undefined || network.prefix >= longEnough) continue
    const usual = network.family === 4 ? 16 : 112
    const message = `${value.text} is larger than the API server takes for Services; write /${usual}, and at most /${longEnough}.`
    yield finding('service-network-size', value, message)
  }
}

interface Claim extends WrittenNetwork {
  readonly name: string
}

/** Each network is compared with those before it, so that a pair is reported once: at the later of the two. */
function* checkOverlaps({ machine, cluster, service, ovn }: Networking): Iterable<Finding> {
  const before: Claim[] = []
  for (const claim of [machine, service, cluster].flatMap(claimsOf)) {
    const other = before.find(({ network }) => overlap(network, claim.network))
    before.push(claim)
    if (other !== undefined) yield* overlapFinding(claim, other)
    const internal = ovn.find(({ network }) => overlap(network, claim.network))
    if (internal !== undefined) {
      const value = claim.value ?? internal.value
      const message = `${describe(claim)} overlaps ${formatNetwork(internal.network)}, the ${internal.purpose} network of OVN-Kubernetes; choose another.`
      if (value !== undefined) yield finding('network-overlaps-ovn', value, message)
    }
    if (claim.value !== undefined && overlap(docker, claim.network)) {
      const message = `${describe(claim)} overlaps ${formatNetwork(docker)}, which Docker takes by default; choose another if Docker runs on a machine that is to reach the cluster.`
      yield finding('network-overlaps-docker', claim.value, message)
    }
  }
}

function claimsOf({ use, all }: Networks): readonly Claim[] {
  return all.map(({ value, network }) => ({ name: `${use}Network`, value, network }))
}

function* overlapFinding(claim: Claim, other: Claim): Iterable<Finding> {
  const [here, there] = claim.value === undefined ? [other, claim] : [claim, other]
  if (here.value === undefined) return
  const isDefault = there.value === undefined ? ' (its default)' : ''
  const message = `${describe(here)} overlaps ${there.name} ${formatNetwork(there.network)}${isDefault}; choose networks that are apart.`
  yield finding('network-overlap', here.value, message)
}

function describe({ value, network }: { value: Value | undefined; network: Network }): string {
  return value?.text ?? formatNetwork(network)
}
