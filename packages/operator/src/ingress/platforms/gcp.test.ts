import { expect, test } from 'vitest'
import { clientAccessAnnotation, gcp } from './gcp.ts'

test('GCP requests a scope with one annotation, also reads an older one, and changes the scope in place', () => {
  expect(gcp).toEqual({
    name: 'GCP',
    providerIds: ['gce'],
    publishesBy: 'LoadBalancerService',
    scope: {
      key: 'cloud.google.com/load-balancer-type',
      Internal: 'Internal',
      External: undefined,
      otherKeys: ['networking.gke.io/load-balancer-type'],
      isInternal: expect.any(Function) as unknown,
    },
    changesScopeInPlace: true,
    externalTrafficPolicy: 'Local',
  })
})

test('GCP has an annotation that lets clients of other regions reach an internal load balancer', () => {
  expect(clientAccessAnnotation).toEqual({
    key: 'networking.gke.io/internal-load-balancer-allow-global-access',
    Global: 'true',
    Local: 'false',
  })
})
