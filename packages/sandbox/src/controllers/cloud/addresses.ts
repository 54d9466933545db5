import type { AddressRange, AddressRanges } from './address-ranges.ts'
import type { CloudPlatform } from './platforms.ts'

/** One entry of `status.loadBalancer.ingress`. */
export type LoadBalancerAddress =
  | { readonly hostname: string; readonly ip?: undefined }
  | { readonly ip: string; readonly hostname?: undefined }

export interface AddressWanted {
  readonly platform: Pick<CloudPlatform, 'name' | 'addresses'>
  readonly loadBalancer: string
  readonly internal: boolean
  readonly networkLoadBalancer: boolean
  readonly ranges: AddressRanges
  /** Not given again while it is among these. */
  readonly inUse: ReadonlySet<string>
  /** Anything: chooses among what is free. Load balancers that are made anew get another address. */
  readonly turn: number
}

/** The address of a new load balancer; undefined when a range is used up. */
export function newAddress(wanted: AddressWanted): LoadBalancerAddress | undefined {
  if (wanted.platform.addresses === 'hostname') return { hostname: hostname(wanted) }
  const { internal, ranges } = wanted
  const ip = freeIp(internal ? ranges.Internal : ranges.External, wanted)
  return ip === undefined ? undefined : { ip }
}

/** `a` and the Service's uid, cut to 32 characters: how every cloud provider names a Service's load balancer. */
export function loadBalancerName(serviceUid: string): string {
  return `a${serviceUid.replaceAll('-', '')}`.slice(0, 32)
}

/** A network load balancer's host name has the region behind `elb`, a classic one's before. */
export function isNetworkLoadBalancer(hostname: string): boolean {
  return /\.elb\.[^.]+\.amazonaws\.com$/.test(hostname)
}

function hostname({ platform, loadBalancer, internal, networkLoadBalancer, turn }: AddressWanted): string {
  if (platform.name !== 'AWS') return `${hexDigits(turn, 8)}-us-south.lb.appdomain.cloud`
  if (networkLoadBalancer) return `${loadBalancer}-${hexDigits(turn, 16)}.elb.us-east-1.amazonaws.com`
  const number = 100_000_000 + (mixed(turn) % 1_900_000_000)
  return `${internal ? 'internal-' : ''}${loadBalancer}-${number}.us-east-1.elb.amazonaws.com`
}

function freeIp({ size, at }: AddressRange, { inUse, turn }: AddressWanted): string | undefined {
  for (let offset = 0; offset < size; offset++) {
    const ip = at((turn + offset) % size)
    if (!inUse.has(ip)) return ip
  }
  return undefined
}

/** Spreads small numbers over 32 bits. */
function mixed(number: number): number {
  let mix = (number + 0x9e3779b9) | 0
  mix = Math.imul(mix ^ (mix >>> 16), 0x85ebca6b)
  mix = Math.imul(mix ^ (mix >>> 13), 0xc2b2ae35)
  return (mix ^ (mix >>> 16)) >>> 0
}

function hexDigits(seed: number, count: number): string {
  const words = Array.from({ length: Math.ceil(count / 8) }, (_, index) => mixed(seed + index * 7919))
  return words
    .map((word) => word.toString(16).padStart(8, '0'))
    .join('')
    .slice(0, count)
}
