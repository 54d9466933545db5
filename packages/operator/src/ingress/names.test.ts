import { expect, test } from 'vitest'
import {
  admittedSpecAnnotation,
  autoDeleteAnnotation,
  controllersWanting,
  finalizer,
  internalServiceName,
  keptSourceRangesAnnotation,
  longestControllerName,
  nodePortServiceName,
  ownerLabel,
  ownerOf,
  provenanceAnnotation,
  routerName,
  serviceNames,
} from './names.ts'

test('The controllers that want a name are found by it', () => {
  expect(controllersWanting(routerName('edge'))).toContain('edge')
  expect(controllersWanting(internalServiceName('edge'))).toContain('edge')
  expect(controllersWanting(nodePortServiceName('edge'))).toContain('edge')
  expect(controllersWanting('something-else')).toEqual([])
})

test('The internal Service of one controller may have the name of another’s, and both are found by it', () => {
  expect(controllersWanting('router-internal-edge')).toEqual(
    expect.arrayContaining(['edge', 'internal-edge']),
  )
})

test('A controller may have a Service for its load balancer, one inside of the cluster and one on node ports', () => {
  expect(serviceNames('edge')).toEqual(['router-edge', 'router-internal-edge', 'router-nodeport-edge'])
})

test('An object is ours by its label, never by its name', () => {
  expect(ownerOf({ metadata: { labels: { [ownerLabel]: 'edge' } } })).toBe('edge')
  expect(ownerOf({ metadata: {} })).toBeUndefined()
  expect(ownerOf({})).toBeUndefined()
})

test('The longest name still makes the name of a Service', () => {
  expect(internalServiceName('x'.repeat(longestControllerName))).toHaveLength(63)
})

test('A later version of the operator finds again what an earlier one wrote on objects', () => {
  expect([finalizer, ownerLabel, autoDeleteAnnotation]).toEqual([
    'ingresscontroller.operator.openshift.io/finalizer-ingresscontroller',
    'ingresscontroller.operator.openshift.io/owning-ingresscontroller',
    'ingress.operator.openshift.io/auto-delete-load-balancer',
  ])
  expect([provenanceAnnotation, keptSourceRangesAnnotation, admittedSpecAnnotation]).toEqual([
    'portcullis.dev/load-balancer-made-as',
    'portcullis.dev/kept-source-ranges',
    'portcullis.dev/admitted-spec',
  ])
})
