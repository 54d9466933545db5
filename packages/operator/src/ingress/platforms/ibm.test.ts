import { expect, test } from 'vitest'
import { ibmcloud, powervs } from './ibm.ts'

test('Both clouds of IBM request a scope with one annotation, which an existing load balancer does not follow', () => {
  const { name, providerIds, ...shared } = ibmcloud
  expect([name, providerIds, powervs.name, powervs.providerIds]).toEqual([
    'IBMCloud',
    ['ibm'],
    'PowerVS',
    ['ibmpowervs'],
  ])
  expect(powervs).toMatchObject(shared)
  expect(shared).toEqual({
    publishesBy: 'LoadBalancerService',
    scope: {
      key: 'service.kubernetes.io/ibm-load-balancer-cloud-provider-ip-type',
      Internal: 'private',
      External: 'public',
      isInternal: expect.any(Function) as unknown,
    },
    changesScopeInPlace: false,
    externalTrafficPolicy: 'Cluster',
  })
})
