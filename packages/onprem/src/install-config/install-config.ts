import { type Ip, parseIp } from '../ip.ts'
import { type Networking, readNetworking } from './networking.ts'
import { isOnPremises, type Platform, type PlatformKey, platforms } from './platforms.ts'
import type { Value } from './value.ts'

/** The load balancer configuration in an install-config.yaml, as the installer reads it. */
export interface InstallConfig {
  readonly root: Value
  /** The release that is to be installed, 4.x; undefined for the newest. */
  readonly release: number | undefined
  /** Undefined where the file names no platform on the customer's premises. */
  readonly platform: OnPremises | undefined
  readonly networking: Networking
}

export interface OnPremises extends Platform {
  readonly key: PlatformKey
  readonly value: Value
  readonly loadBalancer: 'OpenShiftManagedDefault' | 'UserManaged'
  readonly api: Vips
  readonly ingress: Vips
}

/** The virtual IPs of one use, from whichever field they are in. */
export interface Vips {
  readonly use: 'API' | 'ingress'
  /** Where they belong, as `apiVIPs`. */
  readonly field: string
  /** The field that they are in; undefined where there are none. */
  readonly written: Value | undefined
  readonly values: readonly Value[]
  /** Those that are addresses. */
  readonly addresses: readonly Vip[]
}

export interface Vip {
  readonly use: 'API' | 'ingress'
  readonly value: Value
  readonly ip: Ip
}

export function readInstallConfig(root: Value, release: number | undefined): InstallConfig {
  return { root, release, platform: readPlatform(root), networking: readNetworking(root.field('networking')) }
}

function readPlatform(root: Value): OnPremises | undefined {
  const key = root
    .field('platform')
    ?.keys.map(({ name }) => name.toLowerCase())
    .find(isOnPremises)
  const value = key && root.field('platform')?.field(key)
  if (key === undefined || value === undefined) return undefined
  const { fields } = platforms[key]
  // What is written in another case is refused, but what is meant is plain.
  const type = value.field('loadBalancer')?.field('type')?.text.toLowerCase()
  return {
    ...platforms[key],
    key,
    value,
    loadBalancer: type === 'usermanaged' ? 'UserManaged' : 'OpenShiftManagedDefault',
    api: readVips('API', value, fields.api),
    ingress: readVips('ingress', value, fields.ingress),
  }
}

/** The list, else the single address of the old field; a slip between text and list is reported, and read over. */
function readVips(use: Vips['use'], platform: Value, names: Platform['fields']['api']): Vips {
  const written = [names.list, names.single]
    .map((name) => platform.field(name))
    .find(
      (value) => value !== undefined && (value.kind === 'list' ? value.items.length > 0 : value.text !== ''),
    )
  const values = written?.kind === 'list' ? written.items : written?.kind === 'text' ? [written] : []
  const addresses = values.flatMap((value): Vip[] => {
    const ip = parseIp(value.text)
    return ip === undefined ? [] : [{ use, value, ip }]
  })
  return { use, field: names.list, written, values, addresses }
}

/** The cluster's domain, right or wrong, without a dot at its end; undefined if a part of it is missing. */
export function domainIn({ root }: InstallConfig): string | undefined {
  const name = root.field('metadata')?.field('name')?.text
  const base = root.field('baseDomain')?.text
  return name && base ? `${name}.${base.replace(/\.$/, '')}` : undefined
}

/** All virtual IPs that are addresses, those of the API first. */
export function vipsOf({ platform }: InstallConfig): readonly Vip[] {
  return platform === undefined ? [] : [...platform.api.addresses, ...platform.ingress.addresses]
}

/** Whether API and ingress may share an address, and stand outside of the nodes' networks, for all the installer cares. */
export function installerTrustsCustomer({ platform, release }: InstallConfig): boolean {
  // Until 4.15 the installer made no difference (OCPBUGS-23140, OCPBUGS-23305).
  return platform?.loadBalancer === 'UserManaged' && (release === undefined || release >= 15)
}
