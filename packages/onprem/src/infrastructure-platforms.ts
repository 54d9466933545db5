import type { PlatformKey } from './install-config/platforms.ts'

interface InfrastructurePlatform {
  /** What the platform is called in `Infrastructure`. */
  readonly type: string
  /** Whether its spec has virtual IPs. */
  readonly hasSpec: boolean
  /** Where what the nodes run for load balancing and names belongs. */
  readonly namespace: string
}

/** The platforms on the customer's premises, by their key in `Infrastructure`, which is that of the install-config. */
export const infrastructurePlatforms = {
  baremetal: { type: 'BareMetal', hasSpec: true, namespace: 'openshift-kni-infra' },
  nutanix: { type: 'Nutanix', hasSpec: false, namespace: 'openshift-nutanix-infra' },
  openstack: { type: 'OpenStack', hasSpec: true, namespace: 'openshift-openstack-infra' },
  ovirt: { type: 'oVirt', hasSpec: false, namespace: 'openshift-ovirt-infra' },
  vsphere: { type: 'VSphere', hasSpec: true, namespace: 'openshift-vsphere-infra' },
} as const satisfies Record<PlatformKey, InfrastructurePlatform>
