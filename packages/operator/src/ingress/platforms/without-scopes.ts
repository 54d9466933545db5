import type { Platform } from './platform.ts'

/**
 * Places whose load balancers, where they are provided at all (MetalLB, an appliance), know no scope: there is
 * no annotation by which Internal could be asked for.
 */
const place = (name: string, ...providerIds: string[]) =>
  ({
    name,
    providerIds,
    publishesBy: 'HostNetwork',
    changesScopeInPlace: false,
    externalTrafficPolicy: 'Local',
  }) as const satisfies Platform

export const withoutScopes: readonly Platform[] = [
  place('BareMetal', 'baremetalhost', 'metal3'),
  place('VSphere', 'vsphere'),
  place('Nutanix', 'nutanix'),
  place('oVirt', 'ovirt'),
  place('KubeVirt', 'kubevirt'),
  place('Libvirt', 'libvirt'),
  place('EquinixMetal', 'equinixmetal'),
  place('AlibabaCloud', 'alicloud'),
  place('External'),
  place('None'),
]
