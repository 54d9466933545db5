import { expect, test } from 'vitest'
import { anIngressController } from '../../testing/a-snapshot.ts'
import type { Scene } from '../../testing/scene.ts'
import { observeLoadBalancer } from './observed-load-balancer.ts'

function observed(edge: Scene) {
  const { operands, platform } = edge.snapshot()
  if (operands.loadBalancer === undefined || platform.platform === undefined)
    throw new Error('Nothing there.')
  return observeLoadBalancer(operands.loadBalancer, platform.platform)
}

const awsInternal = 'service.beta.kubernetes.io/aws-load-balancer-internal'
const awsType = 'service.beta.kubernetes.io/aws-load-balancer-type'
const provenance = 'portcullis.dev/load-balancer-made-as'

test('Host names and IPs are sorted when observed, so that their order does not matter', () => {
  const edge = anIngressController().on('Azure').scoped('External').published('203.0.113.9', '203.0.113.10')
  expect(observed(edge).addresses).toEqual(['203.0.113.10', '203.0.113.9'])
})

test('The observed address precedes the provenance annotation, and that the other annotations', () => {
  const edge = anIngressController().on('AWS').scoped('External')
  edge.settle()
  edge.edit('Service', { metadata: { annotations: { [awsInternal]: 'true' } } })
  expect(observed(edge)).toMatchObject({ scope: 'External', asked: { scope: 'Internal' } })
  edge.cloudProvides('internal-a1-2.us-east-1.elb.amazonaws.com')
  expect(observed(edge).scope).toBe('Internal')
  edge.cloudProvides('a1-2.us-east-1.elb.amazonaws.com')
  expect(observed(edge).scope).toBe('External')
  edge
    .cloudProvides('some.host.example')
    .edit('Service', { metadata: { annotations: { [provenance]: null } } })
  expect(observed(edge).scope).toBe('Internal')
})

test('The observed type is that of the address on AWS', () => {
  const edge = anIngressController().on('AWS').scoped('External').published()
  expect(observed(edge).type).toBe('Classic')
  edge.cloudProvides('a1-2.elb.us-east-1.amazonaws.com')
  expect(observed(edge).type).toBe('NLB')
})

test('The observed type is that of the provenance annotation if the address does not show it, and then that of the type annotation', () => {
  const edge = anIngressController()
    .on('AWS')
    .asking({ scope: 'External', providerParameters: { type: 'AWS', aws: { type: 'NLB' } } })
  edge.settle()
  expect(observed(edge).type).toBe('NLB')
  edge.edit('Service', { metadata: { annotations: { [awsType]: null } } })
  expect(observed(edge)).toMatchObject({ type: 'NLB', asked: { type: 'Classic' } })
  edge.edit('Service', { metadata: { annotations: { [awsType]: 'nlb', [provenance]: null } } })
  expect(observed(edge).type).toBe('NLB')
})

test('The observed source ranges in the annotation are the user’s if the field is empty', () => {
  const edge = anIngressController().on('AWS').scoped('External').published()
  const annotation = 'service.beta.kubernetes.io/load-balancer-source-ranges'
  edge.edit('Service', { metadata: { annotations: { [annotation]: ' 192.0.2.0/24, ,198.51.100.0/24' } } })
  expect(observed(edge).usersSourceRanges).toEqual(['192.0.2.0/24', '198.51.100.0/24'])
})

test('The observed scope is that of the annotation if the platform changes it in place', () => {
  const edge = anIngressController().on('Azure').scoped('External').published()
  edge.edit('Service', {
    metadata: { annotations: { 'service.beta.kubernetes.io/azure-load-balancer-internal': 'true' } },
  })
  expect(observed(edge).scope).toBe('Internal')
})

test('The observed source ranges of the operator are not the user’s, unless they were carried over', () => {
  const ranges = ['198.51.100.0/24']
  const edge = anIngressController().on('AWS').asking({ scope: 'External', allowedSourceRanges: ranges })
  edge.settle()
  expect(observed(edge).usersSourceRanges).toEqual([])
  edge.edit('Service', { spec: { loadBalancerSourceRanges: ['192.0.2.0/24'] } })
  expect(observed(edge).usersSourceRanges).toEqual(['192.0.2.0/24'])
})
