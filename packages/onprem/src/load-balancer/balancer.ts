import { asClusterDomain } from '../cluster-domain.ts'
import { formatIp, type Ip, sameIp } from '../ip.ts'
import {
  type HealthCheckName,
  healthChecks,
  type MemberPorts,
  type ServiceName,
  serviceNames,
  services,
} from './services.ts'
import { addressesIn, ipOf } from './subnet.ts'

/** A load balancer for a cluster, whatever program it is made of. */
export interface Balancer {
  readonly domain: string
  readonly frontEnds: readonly FrontEnd[]
}

export interface FrontEnd {
  readonly service: ServiceName
  readonly title: string
  readonly addresses: readonly string[]
  readonly port: number
  readonly members: readonly Member[]
  readonly check: HealthCheck
  /** Whether a client is to stay with its member: never on the API, where all members know the same. */
  readonly staysWithMember: boolean
  /** The networks that may connect; undefined for all. */
  readonly sources: readonly string[] | undefined
}

export interface Member {
  readonly name: string
  readonly address: string
  readonly port: number
  /** Whether it is there for the installation alone, and must be removed afterwards. */
  readonly isTemporary: boolean
}

export interface HealthCheck extends CheckTiming {
  readonly port: number
  readonly isTls: boolean
  readonly path: string
}

export interface CheckTiming {
  readonly intervalMs: number
  readonly timeoutMs: number
  /** How many bad answers in a row take a member out, and how many good ones take it back. */
  readonly fall: number
  readonly rise: number
}

export const defaultTiming: CheckTiming = { intervalMs: 5000, timeoutMs: 5000, fall: 3, rise: 2 }

export interface BalancerInput {
  readonly domain: string
  readonly apiVips: readonly string[]
  readonly ingressVips: readonly string[]
  /** Where nodes are: the machine configuration, which holds secrets, is for them alone. */
  readonly machineNetworks: readonly string[]
  readonly controlPlane: readonly string[]
  /** Where routers run; on the control plane if there are none. */
  readonly workers: readonly string[]
  readonly bootstrap: string | undefined
  /** For whichever of control plane and workers has no addresses. */
  readonly subnets: readonly string[]
  readonly isCompact: boolean
  /** Whether there are to be workers for all that is known, so that to name none is to forget them. */
  readonly expectsWorkers: boolean
  readonly frontPortOffset: number
  readonly ports: MemberPorts
  readonly timing: CheckTiming
}

/** @throws a sentence if it could not be a load balancer that is right */
export function balancerFor(input: BalancerInput): Balancer {
  refuseLateChecks(input.timing)
  if (input.apiVips.length === 0 || input.ingressVips.length === 0) {
    throw new Error(
      'There are no virtual IPs for the load balancer to listen at; write apiVIPs and ingressVIPs into the ' +
        'install-config, or give --api-vip and --ingress-vip.',
    )
  }
  const domain = asClusterDomain(input.domain)
  if (domain === undefined) throw new Error(notADomain(input.domain))
  const { controlPlane, routers } = nodesOf(input)
  return {
    domain,
    frontEnds: serviceNames.map((service) => {
      const { use, title, port, check } = services[service]
      const nodes = use === 'api' ? controlPlane : routers
      return {
        service,
        title,
        addresses: use === 'api' ? input.apiVips : input.ingressVips,
        port: port + input.frontPortOffset,
        members: nodes.map((node) => ({ ...node, port: input.ports[service] })),
        check: { ...input.timing, ...healthChecks[check], port: input.ports[check] },
        staysWithMember: use === 'ingress',
        sources:
          service === 'machine-config' && input.machineNetworks.length > 0
            ? input.machineNetworks
            : undefined,
      }
    }),
  }
}

/** It is written into a file that a program obeys, line by line. */
function notADomain(text: string): string {
  return `${JSON.stringify(text.slice(0, 100))} is not the domain of a cluster; correct metadata.name and baseDomain, or give --domain, such as edge.example.com.`
}

type Node = Omit<Member, 'port'>

function nodesOf(input: BalancerInput): { controlPlane: readonly Node[]; routers: readonly Node[] } {
  const { apiVips, ingressVips, isCompact } = input
  const taken = [...apiVips, ...ingressVips].map((vip) => ipOf('The virtual IP', vip))
  const anywhere = input.subnets.flatMap((subnet) => addressesIn(subnet, taken)).map(anyNode)
  const controlPlane = [...new Set(input.controlPlane)].map((text, i) =>
    nodeOf(`control-plane-${i}`, '--control-plane', text, taken),
  )
  const workers = [...new Set(input.workers)].map((text, i) =>
    nodeOf(`worker-${i}`, '--workers', text, taken),
  )
  if (controlPlane.length + anywhere.length === 0) {
    throw new Error(
      'There is nobody to send connections to; name the control plane with --control-plane, or the subnet of its machines with --subnet.',
    )
  }
  if (workers.length + anywhere.length === 0 && input.expectsWorkers) {
    throw new Error(
      'The install-config has workers, on which routers run, and none is named, so ingress would lead to the control plane; ' +
        'name the workers with --workers, or the subnet of the machines with --subnet.',
    )
  }
  const ofControlPlane = controlPlane.length > 0 ? controlPlane : anywhere
  const bootstrap =
    input.bootstrap === undefined
      ? []
      : [{ ...nodeOf('bootstrap', '--bootstrap', input.bootstrap, taken), isTemporary: true }]
  const routers = workers.length > 0 ? workers : anywhere.length > 0 && !isCompact ? anywhere : ofControlPlane
  return { controlPlane: [...bootstrap, ...unlessListed(ofControlPlane, bootstrap)], routers }
}

function unlessListed(nodes: readonly Node[], others: readonly Node[]): readonly Node[] {
  return nodes.filter(({ address }) => !others.some((other) => other.address === address))
}

function nodeOf(name: string, flag: string, text: string, taken: readonly Ip[]): Node {
  const ip = ipOf(flag, text)
  if (taken.some((vip) => sameIp(vip, ip))) {
    throw new Error(
      `${flag} ${text} is a virtual IP, at which the load balancer itself listens: it would send connections to itself; name the address of the machine.`,
    )
  }
  return { name, address: formatIp(ip), isTemporary: false }
}

function anyNode(address: string): Node {
  return { name: `node-${address.replaceAll(/[.:]+/g, '-')}`, address, isTemporary: false }
}

/** A member that is not ready must be gone before it stops answering. */
function refuseLateChecks({ intervalMs, fall, timeoutMs }: CheckTiming): void {
  const latest = intervalMs * fall + timeoutMs
  const late = (Object.keys(healthChecks) as HealthCheckName[]).find(
    (check) => latest > healthChecks[check].limitMs,
  )
  if (late === undefined) return
  throw new Error(
    `Asking every ${intervalMs / 1000} s, ${fall} times, with ${timeoutMs / 1000} s for the last answer takes up to ` +
      `${latest / 1000} s to take a member out, and it may take ${healthChecks[late].limitMs / 1000} s; ` +
      'shorten --check-interval or --check-timeout.',
  )
}
