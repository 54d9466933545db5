import { sanitizeUntrusted } from '@portcullis/kube'
import { Commands } from './commands.ts'
import { domainHeld, domainHolder, domainOf } from './domains.ts'
import { longestControllerName, routerName, serviceNames } from './names.ts'
import { hostPortsOf } from './placement/host-ports.ts'
import { refuseSelections } from './refused-selections.ts'
import { bySeniority } from './seniority.ts'
import type { Settings } from './settings.ts'
import type { Snapshot } from './snapshot.ts'
import { memberOfType, type WantedStrategy } from './strategies/wanted-strategy.ts'

/** Why a controller cannot be published as it is: a sentence that names field, value and remedy. */
export interface Refusal {
  readonly reason: 'Invalid' | typeof domainHeld
  readonly message: string
}

export function refusals(snapshot: Snapshot, strategy: WantedStrategy | undefined): Refusal[] {
  const invalid = [
    ...refuseName(snapshot.controller.metadata.name),
    ...refuseNamesOfOthers(snapshot),
    ...refuseDomain(snapshot),
    ...refuseReplicas(snapshot.controller.spec, snapshot.settings),
    ...refuseStrategy(snapshot, strategy),
    ...refuseOtherMembers(snapshot),
    ...refusePorts(snapshot, strategy),
    ...refuseSelections(snapshot.controller.spec),
  ]
  return [
    ...invalid.map((message) => ({ reason: 'Invalid', message }) as const),
    ...refuseHeldDomain(snapshot).map((message) => ({ reason: domainHeld, message }) as const),
  ]
}

/** Names of Services are shorter than names of IngressControllers may be, and have no dots. */
function refuseName(name: string): string[] {
  if (name.length <= longestControllerName && !name.includes('.')) return []
  return [
    `metadata.name is "${name}", which cannot be part of the names of its Services: choose a name without dots and with at most ${longestControllerName} characters.`,
  ]
}

/**
 * Two controllers whose Services would have one name cannot both be published: the load balancer of "internal-a" has the
 * name of the internal Service of "a". A controller that was admitted stays admitted, whichever is created later.
 */
function refuseNamesOfOthers({ controller, others, settings }: Snapshot): string[] {
  const wasAdmitted = ({ status }: Snapshot['controller']) => status?.endpointPublishingStrategy !== undefined
  if (wasAdmitted(controller)) return []
  const { name } = controller.metadata
  const own = serviceNames(name)
  return others
    .filter((other) => wasAdmitted(other) || bySeniority(other, controller) < 0)
    .flatMap((other) => {
      const common = serviceNames(other.metadata.name).find((each) => own.includes(each))
      return common === undefined ? [] : [{ common, other: other.metadata.name }]
    })
    .map(
      ({ common, other }) =>
        `metadata.name is "${name}", but the name of its Service ${settings.operandNamespace}/${common} is already used by the IngressController "${other}": create it again under another name, and delete this one: \`${new Commands(settings).deleteController(name)}\``,
    )
}

/** Each router may displace what is less important than it, on any node. */
export function refuseReplicas(
  { replicas = 0 }: { readonly replicas?: number } = {},
  { maxReplicas }: Settings,
): string[] {
  if (replicas <= maxReplicas) return []
  return [
    `spec.replicas is ${replicas}, which exceeds the maximum of ${maxReplicas}: lower it, or start the operator with --max-replicas ${replicas}.`,
  ]
}

function refuseDomain({ controller, settings }: Snapshot): string[] {
  const domain = domainOf(controller, settings)
  if (domain === undefined) {
    return [
      'spec.domain is not set, and the operator has no default domain: set it, or start the operator with --domain.',
    ]
  }
  const host = `${routerName(controller.metadata.name)}.${domain}`
  if (host.length <= 253) return []
  return [
    `spec.domain is too long: the host name ${sanitizeUntrusted(host)} has ${host.length} characters, but the limit is 253: choose a shorter domain.`,
  ]
}

function refuseHeldDomain(snapshot: Snapshot): string[] {
  const domain = domainOf(snapshot.controller, snapshot.settings)
  const held = domain === undefined ? undefined : domainHolder(domain, snapshot)
  if (domain === undefined || held === undefined) return []
  const { name } = held.holder.metadata
  const remedy = held.isInRing
    ? "the IngressControllers request each other's domains, and get them automatically as soon as nothing else prevents any of them from being admitted; see their Admitted conditions."
    : 'choose another domain, or delete that IngressController; this one is then admitted automatically.'
  return [
    `spec.domain is "${sanitizeUntrusted(domain)}", which is already used by the IngressController "${name}": ${remedy}`,
  ]
}

function refuseStrategy(
  { platform: { platform, problem } }: Snapshot,
  strategy: WantedStrategy | undefined,
): string[] {
  if (strategy === undefined) {
    return [
      `spec.endpointPublishingStrategy is not set, and its default depends on the platform. ${problem ?? ''}`,
    ]
  }
  if (strategy.type !== 'LoadBalancerService') return []
  if (platform === undefined) {
    return [`spec.endpointPublishingStrategy.type LoadBalancerService depends on the platform. ${problem}`]
  }
  if (strategy.loadBalancer?.scope === 'Internal' && platform.scope === undefined) {
    return [
      `spec.endpointPublishingStrategy.loadBalancer.scope is "Internal", but internal load balancers are not supported on the platform ${platform.name}: set it to "External", or choose the type HostNetwork, NodePortService or Private.`,
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
    `${others.map((member) => `${path}.${member}`).join(' and ')} cannot be set with ${path}.type "${strategy.type}": remove the fields of other types: \`${command}\``,
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
        `${path}.${field} is ${number}, which is in or above the cluster's node port range, where a Service may take it at any time: choose a port below ${firstNodePort}.`,
    ),
    ...equal.map(
      ({ field, number }) =>
        `${path}.${field} is ${number}, the same as ${ports.find((port) => port.number === number)?.field}: choose three different ports.`,
    ),
  ]
}
