import { type Ip, parseIp } from '../ip.ts'
import type { OnPremises } from './install-config.ts'
import type { Value } from './value.ts'

/** An address that the file gives to a machine or a gateway. */
export interface KnownAddress {
  readonly ip: Ip
  /** The field that says so. */
  readonly path: string
}

/** The gateways that are named in the file: of the bootstrap machine, and of machines with static addresses. */
export function gatewaysIn({ value }: OnPremises): readonly KnownAddress[] {
  const routes = hostsOf(value)
    .flatMap((host) => host.field('networkConfig')?.field('routes')?.field('config')?.items ?? [])
    .filter((route) => ['0.0.0.0/0', '::/0'].includes(route.field('destination')?.text ?? ''))
  return known([
    value.field('bootstrapExternalStaticGateway'),
    ...routes.map((route) => route.field('next-hop-address')),
    ...hostsOf(value).map((host) => host.field('networkDevice')?.field('gateway')),
  ])
}

/** The addresses of machines that are named in the file. */
export function machinesIn({ value }: OnPremises): readonly KnownAddress[] {
  const interfaces = hostsOf(value).flatMap(
    (host) => host.field('networkConfig')?.field('interfaces')?.items ?? [],
  )
  const ofInterfaces = interfaces.flatMap((each) =>
    ['ipv4', 'ipv6'].flatMap((family) => each.field(family)?.field('address')?.items ?? []),
  )
  return known([
    value.field('bootstrapExternalStaticIP'),
    value.field('bootstrapProvisioningIP'),
    value.field('clusterProvisioningIP'),
    ...ofInterfaces.map((address) => address.field('ip')),
    ...hostsOf(value).flatMap((host) => host.field('networkDevice')?.field('ipAddrs')?.items ?? []),
  ])
}

function hostsOf(platform: Value): readonly Value[] {
  return platform.field('hosts')?.items ?? []
}

function known(values: readonly (Value | undefined)[]): readonly KnownAddress[] {
  const addresses = new Map<string, KnownAddress>()
  for (const value of values) {
    const [text = ''] = value?.text.split('/', 1) ?? []
    const ip = parseIp(text)
    if (value !== undefined && ip !== undefined && !addresses.has(text))
      addresses.set(text, { ip, path: value.path })
  }
  return [...addresses.values()]
}
