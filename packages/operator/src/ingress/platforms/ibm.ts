import type { Platform } from './platform.ts'

const ibm = {
  publishesBy: 'LoadBalancerService',
  scope: {
    key: 'service.kubernetes.io/ibm-load-balancer-cloud-provider-ip-type',
    Internal: 'private',
    External: 'public',
    isInternal: (value: string) => value === 'private',
  },
  changesScopeInPlace: false,
  externalTrafficPolicy: 'Cluster',
} as const

export const ibmcloud = { name: 'IBMCloud', providerIds: ['ibm'], ...ibm } as const satisfies Platform
export const powervs = { name: 'PowerVS', providerIds: ['ibmpowervs'], ...ibm } as const satisfies Platform
