import type { Platform } from './platform.ts'

export const azure = {
  name: 'Azure',
  providerIds: ['azure'],
  publishesBy: 'LoadBalancerService',
  scope: {
    key: 'service.beta.kubernetes.io/azure-load-balancer-internal',
    Internal: 'true',
    External: undefined,
    isInternal: (value) => value === 'true',
  },
  changesScopeInPlace: true,
  externalTrafficPolicy: 'Local',
} as const satisfies Platform
