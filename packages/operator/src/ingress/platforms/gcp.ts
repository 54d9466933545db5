import type { Platform } from './platform.ts'

export const gcp = {
  name: 'GCP',
  providerIds: ['gce'],
  publishesBy: 'LoadBalancerService',
  scope: {
    key: 'cloud.google.com/load-balancer-type',
    Internal: 'Internal',
    External: undefined,
    otherKeys: ['networking.gke.io/load-balancer-type'],
    isInternal: (value) => value.toLowerCase() === 'internal',
  },
  changesScopeInPlace: true,
  externalTrafficPolicy: 'Local',
} as const satisfies Platform

/** Whether clients of other regions reach an internal load balancer. */
export const clientAccessAnnotation = {
  key: 'networking.gke.io/internal-load-balancer-allow-global-access',
  Global: 'true',
  Local: 'false',
} as const
