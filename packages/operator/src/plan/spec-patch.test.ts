import { expect, test } from 'vitest'
import { patchFor } from './spec-patch.ts'

const strategy = (endpointPublishingStrategy: object) => ({ endpointPublishingStrategy })

test.each([
  [
    'a scope alone is one field',
    { scope: 'Internal' },
    strategy({ type: 'LoadBalancerService' }),
    strategy({ loadBalancer: { scope: 'Internal' } }),
  ],
  [
    'a scope where nothing is said',
    { scope: 'Internal' },
    {},
    strategy({ type: 'LoadBalancerService', loadBalancer: { scope: 'Internal' } }),
  ],
  [
    'another type takes away what belongs to the one before',
    { type: 'HostNetwork', httpPort: 8080 },
    strategy({ type: 'LoadBalancerService', loadBalancer: { scope: 'External' } }),
    strategy({ type: 'HostNetwork', loadBalancer: null, hostNetwork: { httpPort: 8080 } }),
  ],
  [
    'ports where nothing is said',
    { statsPort: 1937 },
    undefined,
    strategy({ type: 'HostNetwork', hostNetwork: { statsPort: 1937 } }),
  ],
  [
    'a type of load balancer',
    { loadBalancerType: 'NLB' },
    strategy({ type: 'LoadBalancerService' }),
    strategy({ loadBalancer: { providerParameters: { type: 'AWS', aws: { type: 'NLB' } } } }),
  ],
  ['the number of routers', { replicas: 0 }, strategy({ type: 'Private' }), { replicas: 0 }],
] as const)('A patch is made of what was asked for: %s', (_, asked, spec, patch) => {
  expect(patchFor(asked, spec as object)).toEqual(patch)
})
