import { type Cached, isBeingDeleted } from '@portcullis/kube'
import type { Service } from 'kubernetes-types/core/v1'
import { Commands } from '../commands.ts'
import { freePorts } from '../placement/free-ports.ts'
import { type HostPort, hostPortsOf } from '../placement/host-ports.ts'
import { type HeldPort, routersOf } from '../placement/port-holders.ts'
import { portsOnNodes } from '../placement/ports-on-nodes.ts'
import { reservedUse } from '../placement/reserved-ports.ts'
import type { Snapshot } from '../snapshot.ts'
import type { WantedStrategy } from '../strategies/wanted-strategy.ts'
import { type ConditionDraft, conditionDraft } from './condition-draft.ts'

/** Whether the host ports of an IngressController are free on its nodes, before and while its routers run. */
export function portsAvailable(snapshot: Snapshot, strategy: WantedStrategy): ConditionDraft[] {
  const ports = hostPortsOf(strategy)
  if (ports.length === 0) return []
  const is = (status: ConditionDraft['status'], reason: ConditionDraft['reason'], message: string) => [
    conditionDraft('PortsAvailable', status, reason, message),
  ]
  const claimed = ports.filter((port) => nodePortHolders(port, snapshot).length > 0)
  if (claimed.length > 0) {
    const texts = claimed.flatMap((port) =>
      nodePortHolders(port, snapshot).map((service) => nodePortText(port, service)),
    )
    return is(
      'False',
      'NodePortConflict',
      `${texts.sort().join(' ')} ${whatToChange(snapshot, claimed, ports)}`,
    )
  }
  const nodes = portsOnNodes(snapshot, ports)
  if (nodes.length === 0) return is('Unknown', 'NoNodes', 'No node is eligible to run routers.')
  const taken = nodes.filter((node) => node.held.length > 0)
  const held = taken.flatMap((node) => node.held)
  if (taken.length === nodes.length) {
    return is(
      'False',
      'PortsTaken',
      `A port is in use on every node that is eligible to run routers: ${describeHolders(held)}. ${whatToChange(snapshot, portsIn(held), ports)}`,
    )
  }
  const reserved = ports.flatMap(({ field, number }) => {
    const use = reservedUse(number)
    return use === undefined ? [] : [`${field} ${number} is reserved for ${use}`]
  })
  if (reserved.length > 0) {
    return is(
      'True',
      'PortReserved',
      `${reserved.join(', ')}. On nodes where such a component runs, either it or the router cannot start.`,
    )
  }
  if (taken.length > 0) {
    return is(
      'True',
      'PortsPartlyTaken',
      `The ports are free on ${nodes.length - taken.length} of the ${nodes.length} nodes that are eligible to run routers: ${describeHolders(held)}.`,
    )
  }
  return is(
    'True',
    'PortsFree',
    `Ports ${ports.map(({ number }) => number).join(', ')} are free on every node that is eligible to run routers.`,
  )
}

function nodePortHolders({ number }: HostPort, { nodePortServices }: Snapshot): readonly Cached<Service>[] {
  return nodePortServices.filter(({ spec }) =>
    spec?.ports?.some(({ nodePort, protocol = 'TCP' }) => nodePort === number && protocol === 'TCP'),
  )
}

function nodePortText({ field, number }: HostPort, { metadata }: Cached<Service>): string {
  return `${field} ${number} is the node port of the Service ${metadata.namespace}/${metadata.name} on every node.`
}

/** Describes which pods use which ports on which nodes, with the ports of one pod in one phrase. */
export function describeHolders(held: readonly HeldPort[]): string {
  const byHolder = new Map<string, HeldPort[]>()
  for (const each of held) {
    const holder = `${each.node} ${holderText(each)}`
    byHolder.set(holder, [...(byHolder.get(holder) ?? []), each])
  }
  const texts = [...byHolder.values()].map(heldByOne)
  const shown = texts.sort().slice(0, maxListed)
  return texts.length > shown.length
    ? `${shown.join('; ')}; and ${texts.length - shown.length} more`
    : shown.join('; ')
}

const maxListed = 5

function heldByOne(held: readonly HeldPort[]): string {
  const [one] = held
  if (one === undefined) return ''
  const ports = held.map(({ port }) => `${port.number} (${port.name})`)
  const place = `on node ${one.node}`
  if (ports.length === 1) return `port ${ports[0]} ${place} is in use by ${holderText(one)}`
  const all = `${ports.slice(0, -1).join(', ')} and ${ports.at(-1)}`
  return `ports ${all} ${place} are in use by ${holderText(one)}`
}

function holderText({ holder }: HeldPort): string {
  const { namespace, name } = holder.metadata
  const owner = routersOf(holder)
  const ownerText = owner === undefined ? '' : ` of IngressController "${owner}"`
  return `pod ${namespace}/${name}${ownerText}${isBeingDeleted(holder) ? ' (terminating)' : ''}`
}

/** Those of the wanted ports that are taken. */
export function portsIn(held: readonly HeldPort[]): readonly HostPort[] {
  return [...new Set(held.map(({ port }) => port))]
}

/** Ports that can be had in place of those that cannot, and the command that chooses them. */
export function whatToChange(
  snapshot: Snapshot,
  taken: readonly HostPort[],
  wanted: readonly HostPort[],
): string {
  const { settings, controller } = snapshot
  const free = freePorts(snapshot, taken, wanted)
  const command = new Commands(settings).patchController(controller.metadata.name, {
    type: 'HostNetwork',
    hostNetwork: free,
  })
  return `Ports that are free on all of these nodes: ${Object.values(free).join(', ')}. To use them: \`${command}\``
}
