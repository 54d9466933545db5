import type { Address } from '../addresses/address.ts'
import { addressText } from '../ingress/published-address.ts'

/**
 * Which addresses and ports lead nowhere any more, a sentence for each kind of loss.
 *
 * @param isOpen whether the scheduler chooses the nodes: then only what is lost on whichever nodes is reported
 */
export function closedAddresses(
  before: readonly Address[],
  after: readonly Address[],
  isOpen: boolean,
): string[] {
  const mayMove = (address: Address) => isOpen && portsOf([address]).length > 0
  const follows = (address: Address) =>
    after.filter((other) => placeOf(other) === placeOf(address) || mayMove(address))
  const gone = before.filter((address) => follows(address).length === 0)
  const byLostPorts = new Map<string, Address[]>()
  for (const address of before) {
    const lost = lostPorts(address, follows(address)).join(', ')
    if (lost !== '') byLostPorts.set(lost, [...(byLostPorts.get(lost) ?? []), address])
  }
  const moving = before.filter(mayMove).length
  return [
    ...(gone.length === 0
      ? []
      : [
          `It is no longer reachable at ${listAddresses(gone)}: clients that use ${gone.length === 1 ? 'this address' : 'these addresses'} are cut off.`,
        ]),
    ...[...byLostPorts].map(([ports, addresses]) => {
      const [closed, are, them] = ports.includes(',')
        ? [`Ports ${ports}`, 'are', 'them']
        : [`Port ${ports}`, 'is', 'it']
      return `${closed} of ${listAddresses(addresses)} ${are} no longer open: clients that use ${them} are cut off. After the change the open ports are ${portsOf(after).join(', ')}.`
    }),
    ...(after.length > 0 && after.length < moving
      ? [
          `Of the ${moving} addresses at which it is reachable now, ${after.length} ${after.length === 1 ? 'remains' : 'remain'}: clients that use another are cut off.`,
        ]
      : []),
  ]
}

/** Where an address has no ports, all that there are lead to it. */
function lostPorts(address: Address, followers: readonly Address[]): string[] {
  if (followers.length === 0 || followers.some((other) => portsOf([other]).length === 0)) return []
  return portsOf([address]).filter((port) => !portsOf(followers).includes(port))
}

function placeOf({ ip, hostname }: Address): string {
  return ip || hostname || ''
}

/** A port that is not known yet is a text. */
function portsOf(addresses: readonly Address[]): string[] {
  const ports = new Set(addresses.flatMap((address) => (address.ports ?? []).map(({ port }) => String(port))))
  return [...ports].sort((one, other) => one.localeCompare(other, 'en', { numeric: true }))
}

function listAddresses(addresses: readonly Address[]): string {
  return addressText(addresses).replaceAll(',', ', ')
}
