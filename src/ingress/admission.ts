import type { IngressController } from '../api/ingress-controller.ts'
import { foreignWords } from '../kube/foreign-words.ts'
import type { Stored } from '../kube/store.ts'
import { Commands } from './commands.ts'
import { longestControllerName, routerName } from './names.ts'
import { hostPortsOf } from './placement/host-ports.ts'
import { refuseSelections } from './refused-selections.ts'
import type { Settings } from './settings.ts'
import type { Snapshot } from './snapshot.ts'
import { memberOfType, type WantedStrategy } from './strategies/wanted-strategy.ts'

/** Why a controller cannot be published as it is, each a sentence that names field, value and remedy. */
export function refusals(snapshot: Snapshot, strategy: WantedStrategy | undefined): string[] {
  return [
    ...refuseName(snapshot.controller.metadata.name),
    ...refuseDomain(snapshot),
    ...refuseStrategy(snapshot, strategy),
    ...refuseOtherMembers(snapshot),
    ...refusePorts(snapshot, strategy),
    ...refuseSelections(snapshot.controller.spec),
  ]
}

export function domainOf(
  { spec }: Pick<Stored<IngressController>, 'spec'>,
  { defaultDomain }: Pick<Settings, 'defaultDomain'>,
): string | undefined {
  return spec?.domain || defaultDomain
}

/** Names of Services are shorter than names of IngressControllers may be, and have no dots. */
function refuseName(name: string): string[] {
  if (name.length <= longestControllerName && !name.includes('.')) return []
  return [
    `metadata.name is "${name}", and its Services could not be named after it: choose a name without dots of at most ${longestControllerName} characters.`,
  ]
}

function refuseDomain(snapshot: Snapshot): string[] {
  const { controller, settings } = snapshot
  const domain = domainOf(controller, settings)
  if (domain === undefined) {
    return [
      'spec.domain is not set, and the operator has no default: set it, or start the operator with --domain.',
    ]
  }
  const host = `${routerName(controller.metadata.name)}.${domain}`
  if (host.length > 253) {
    return [
      `spec.domain is too long: the host name ${foreignWords(host)} has ${host.length} characters, and 253 is the limit.`,
    ]
  }
  const holder = holderOf(domain, snapshot)
  if (holder === undefined) return []
  return [
    `spec.domain is "${foreignWords(domain)}", which the IngressController "${holder.metadata.name}" holds: choose another, or remove that one; this one is then admitted by itself.`,
  ]
}

/** Who has the domain if not this controller: whoever was admitted with it, else whoever asked first. */
function holderOf(
  domain: string,
  { controller, others, settings }: Snapshot,
): Stored<IngressController> | undefined {
  const rivals = others.filter((other) => domainOf(other, settings) === domain || holds(other, domain))
  const [first] = [controller, ...rivals].sort(
    (one, other) =>
      Number(holds(other, domain)) - Number(holds(one, domain)) || compare(seniority(one), seniority(other)),
  )
  return first === controller ? undefined : first
}

/** A status gets its domain when the controller is admitted, and keeps it while its routers serve that domain. */
function holds({ status }: Stored<IngressController>, domain: string): boolean {
  return status?.domain === domain
}

function seniority({ metadata }: Stored<IngressController>): string {
  return `${metadata.creationTimestamp ?? ''} ${metadata.uid}`
}

function compare(one: string, other: string): number {
  if (one === other) return 0
  return one < other ? -1 : 1
}

function refuseStrategy(
  { platform: { platform, problem } }: Snapshot,
  strategy: WantedStrategy | undefined,
): string[] {
  if (strategy === undefined) {
    return [`spec.endpointPublishingStrategy is not set, and depends on the platform. ${problem ?? ''}`]
  }
  if (strategy.type !== 'LoadBalancerService') return []
  if (platform === undefined) {
    return [`spec.endpointPublishingStrategy.type LoadBalancerService depends on the platform. ${problem}`]
  }
  if (strategy.loadBalancer?.scope === 'Internal' && platform.scope === undefined) {
    return [
      `spec.endpointPublishingStrategy.loadBalancer.scope is "Internal", but on the platform ${platform.name} there is no way to ask for an internal load balancer: set it to "External", or choose the type HostNetwork, NodePortService or Private.`,
    ]
  }
  return []
}

/** Each type has a member of its own; what stands in another's would have no effect. */
function refuseOtherMembers({ controller, settings }: Snapshot): string[] {
  const strategy = controller.spec?.endpointPublishingStrategy
  if (strategy === undefined) return []
  const own = memberOfType[strategy.type]
  const others = Object.values(memberOfType).filter(
    (member) => member !== own && strategy[member] !== undefined,
  )
  if (others.length === 0) return []
  const path = 'spec.endpointPublishingStrategy'
  const removal = Object.fromEntries(others.map((member) => [member, null]))
  const command = new Commands(settings).patchController(controller.metadata.name, removal)
  return [
    `${others.map((member) => `${path}.${member}`).join(' and ')} cannot be set with ${path}.type "${strategy.type}": remove what belongs to another type: \`${command}\``,
  ]
}

function refusePorts(
  { settings: { firstNodePort } }: Snapshot,
  strategy: WantedStrategy | undefined,
): string[] {
  const path = 'spec.endpointPublishingStrategy.hostNetwork'
  const ports = hostPortsOf(strategy)
  const tooHigh = ports.filter(({ number }) => number >= firstNodePort)
  const equal = ports.filter(({ number }, at) => ports.findIndex((port) => port.number === number) < at)
  return [
    ...tooHigh.map(
      ({ field, number }) =>
        `${path}.${field} is ${number}, which lies in or above the cluster's range of node ports, where a Service may take it at any time: choose a port below ${firstNodePort}.`,
    ),
    ...equal.map(
      ({ field, number }) =>
        `${path}.${field} is ${number}, and so is ${ports.find((port) => port.number === number)?.field}: choose three different ports.`,
    ),
  ]
}
