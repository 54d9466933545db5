import { formatIp, type Ip, sameIp } from '../ip.ts'
import type { Network } from '../network.ts'

/** An address that the machine has. */
export interface Address {
  readonly ip: Ip
  readonly prefix: number
  readonly interface: string
  readonly isUp: boolean
  /** How far the address reaches: only `global` ones are of use to others. */
  readonly scope: string
  /** Of several in one network, those that came later. */
  readonly isSecondary: boolean
  /** Why the machine itself would not use it now, such as `tentative`. */
  readonly flaw: string | undefined
}

/** One that could be the node's. */
export interface Candidate extends Address {
  readonly network: Network
}

/** Interfaces that machines make for their own pods and containers. */
const internal = /^(ovn-k8s-|genev_sys_|vxlan_sys_|br-int$|cni|docker|podman|virbr|veth|cali|flannel|kube-)/

/** Why an address cannot be the node's; undefined if it can. A virtual IP is here today and elsewhere tomorrow. */
function objection(
  { ip, interface: name, isUp, scope, flaw }: Address,
  vips: readonly Ip[],
): string | undefined {
  if (vips.some((vip) => sameIp(vip, ip))) return 'is a virtual IP'
  if (scope === 'host') return 'reaches only this machine'
  if (scope !== 'global') return 'reaches only its own link'
  if (internal.test(name)) return 'is for pods and containers'
  if (!isUp) return 'is on an interface that is down'
  return flaw === undefined ? undefined : `is ${flaw}`
}

export function candidatesAmong(addresses: readonly Address[], vips: readonly Ip[]): readonly Candidate[] {
  return addresses
    .filter((address) => objection(address, vips) === undefined)
    .map((address) => {
      const { ip, prefix } = address
      return { ...address, network: { family: ip.family, address: ip.number, prefix } }
    })
}

/** The addresses that exist, and why none qualifies; in an order that does not depend on the input's. */
export function objections(addresses: readonly Address[], vips: readonly Ip[]): string {
  if (addresses.length === 0) return 'it has none at all'
  return addresses
    .flatMap((address) => {
      const trouble = objection(address, vips)
      return trouble === undefined ? [] : `${formatIp(address.ip)} (${address.interface}) ${trouble}`
    })
    .toSorted()
    .join(', ')
}
