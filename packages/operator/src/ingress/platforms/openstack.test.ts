import { expect, test } from 'vitest'
import { openstack } from './openstack.ts'

test('OpenStack asks for a scope by an annotation, which a live load balancer does not follow', () => {
  expect(openstack).toEqual({
    name: 'OpenStack',
    providerIds: ['openstack'],
    publishesBy: 'HostNetwork',
    scope: {
      key: 'service.beta.kubernetes.io/openstack-internal-load-balancer',
      Internal: 'true',
      External: undefined,
      isInternal: expect.any(Function) as unknown,
    },
    changesScopeInPlace: false,
    externalTrafficPolicy: 'Local',
  })
})
