import { expect, test } from 'vitest'
import { openstack } from './openstack.ts'

test('OpenStack requests a scope with an annotation, which an existing load balancer does not follow', () => {
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
