import type { Platform } from './platform.ts'

const prefix = 'service.beta.kubernetes.io/aws-load-balancer'

/** A classic load balancer has the region before `elb` in its host name, a network load balancer behind it. */
const classic = /^[^.]+\.[^.]+\.elb\.amazonaws\.com(\.cn)?$/
const network = /^[^.]+\.elb\.[^.]+\.amazonaws\.com(\.cn)?$/

export const aws = {
  name: 'AWS',
  providerIds: ['aws'],
  publishesBy: 'LoadBalancerService',
  scope: {
    key: `${prefix}-internal`,
    Internal: 'true',
    External: undefined,
    // `0.0.0.0/0` was how it was written once (BZ2055470); the cloud takes anything but these two for yes.
    isInternal: (value) => value !== '' && value !== 'false',
  },
  // The cloud reports "Ensured" after a changed annotation, and the scheme stays what it was.
  changesScopeInPlace: false,
  externalTrafficPolicy: 'Local',
  types: { key: `${prefix}-type`, values: { Classic: undefined, NLB: 'nlb' }, default: 'Classic' },
  initialAnnotations: (type) => ({
    // Network load balancers take 10 or 30 seconds only (BZ1908758).
    [`${prefix}-healthcheck-interval`]: type === 'NLB' ? '10' : '5',
    [`${prefix}-healthcheck-timeout`]: '4',
    [`${prefix}-healthcheck-unhealthy-threshold`]: '2',
    [`${prefix}-healthcheck-healthy-threshold`]: '2',
    // Without it a classic load balancer hides the address of the client.
    ...(type !== 'NLB' && { [`${prefix}-proxy-protocol`]: '*' }),
  }),
  sendsProxyHeader: (annotations) => annotations[`${prefix}-proxy-protocol`] !== undefined,
  readAddress: (address) => {
    if (network.test(address)) return { type: 'NLB' }
    if (!classic.test(address)) return {}
    return { type: 'Classic', scope: address.startsWith('internal-') ? 'Internal' : 'External' }
  },
} as const satisfies Platform
