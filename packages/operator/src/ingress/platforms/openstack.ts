import type { Platform } from './platform.ts'

export const openstack = {
  name: 'OpenStack',
  providerIds: ['openstack'],
  publishesBy: 'HostNetwork',
  scope: {
    key: 'service.beta.kubernetes.io/openstack-internal-load-balancer',
    Internal: 'true',
    External: undefined,
    isInternal: (value) => value === 'true',
  },
  changesScopeInPlace: false,
  externalTrafficPolicy: 'Local',
} as const satisfies Platform
