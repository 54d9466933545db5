/** What the installer and the network operator know of a platform. */
export interface Platform {
  /** As people write it. */
  readonly title: string
  readonly fields: {
    readonly api: { readonly list: string; readonly single: string }
    readonly ingress: { readonly list: string; readonly single: string }
  }
  /** What happens where virtual IPs are not given: refused, looked up in DNS, derived from the network, or nothing. */
  readonly withoutVips: 'refused' | 'looked-up' | 'derived' | 'accepted'
  /** Which program refuses a virtual IP outside of the machine networks, with OpenShift's load balancer and with the user's. */
  readonly outsideMachineNetworks: {
    readonly OpenShiftManagedDefault: Refuser | undefined
    readonly UserManaged: Refuser | undefined
  }
  /** Whether the network operator compares the numbers of virtual IPs. */
  readonly comparesCounts: boolean
  /** Whether IPv6 may come first where there are both; else virtual IPs are put in order without a word. */
  readonly mayPreferIpv6: boolean
  /** The first release, 4.x, in which the customer's load balancer needs no feature set. */
  readonly generallyAvailable: number | undefined
  /** The last release, 4.x, that the platform can be installed with. */
  readonly lastRelease: number | undefined
}

type Refuser = 'installer' | 'network operator'

const camelCase = {
  api: { list: 'apiVIPs', single: 'apiVIP' },
  ingress: { list: 'ingressVIPs', single: 'ingressVIP' },
} as const

const snakeCase = {
  api: { list: 'api_vips', single: 'api_vip' },
  ingress: { list: 'ingress_vips', single: 'ingress_vip' },
} as const

/** By their key below `platform`. */
export const platforms = {
  baremetal: {
    title: 'bare metal',
    fields: camelCase,
    withoutVips: 'looked-up',
    outsideMachineNetworks: { OpenShiftManagedDefault: 'installer', UserManaged: 'network operator' },
    comparesCounts: true,
    mayPreferIpv6: true,
    generallyAvailable: 16,
    lastRelease: undefined,
  },
  nutanix: {
    title: 'Nutanix',
    fields: camelCase,
    withoutVips: 'accepted',
    outsideMachineNetworks: { OpenShiftManagedDefault: undefined, UserManaged: undefined },
    comparesCounts: false,
    mayPreferIpv6: false,
    generallyAvailable: 16,
    lastRelease: undefined,
  },
  openstack: {
    title: 'OpenStack',
    fields: camelCase,
    withoutVips: 'derived',
    outsideMachineNetworks: { OpenShiftManagedDefault: 'installer', UserManaged: 'network operator' },
    comparesCounts: true,
    mayPreferIpv6: true,
    generallyAvailable: 14,
    lastRelease: undefined,
  },
  ovirt: {
    title: 'oVirt',
    fields: snakeCase,
    withoutVips: 'refused',
    outsideMachineNetworks: { OpenShiftManagedDefault: 'installer', UserManaged: undefined },
    comparesCounts: false,
    mayPreferIpv6: false,
    generallyAvailable: undefined,
    lastRelease: 13,
  },
  vsphere: {
    title: 'vSphere',
    fields: camelCase,
    withoutVips: 'accepted',
    outsideMachineNetworks: { OpenShiftManagedDefault: 'network operator', UserManaged: 'network operator' },
    comparesCounts: true,
    mayPreferIpv6: true,
    generallyAvailable: 16,
    lastRelease: undefined,
  },
} as const satisfies Record<string, Platform>

export type PlatformKey = keyof typeof platforms

export function isOnPremises(key: string): key is PlatformKey {
  return Object.hasOwn(platforms, key)
}
