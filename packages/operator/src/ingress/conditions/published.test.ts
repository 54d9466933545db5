import { expect, test } from 'vitest'
import { anIngressController } from '../../testing/a-snapshot.ts'
import { publishedAddress } from '../published-address.ts'

test('Published has the address itself as its message, for the column of kubectl get', () => {
  const edge = anIngressController().on('Azure')
  edge.settle()
  expect(edge.condition('Published')).toMatchObject({
    status: 'False',
    reason: 'NoAddress',
    message: '<none>',
  })
  edge.cloudProvides('203.0.113.9', '203.0.113.10').settle()
  expect(edge.condition('Published')).toMatchObject({
    status: 'True',
    reason: 'AddressKnown',
    message: '203.0.113.10,203.0.113.9',
  })
  expect(publishedAddress(edge.controller.status)).toBe('203.0.113.10,203.0.113.9')
})

test('Published drops the address of a load balancer that was replaced (OCPBUGS-32776, BZ1898417)', () => {
  const edge = anIngressController().on('IBMCloud').scoped('External').published('old.appdomain.cloud')
  edge.scoped('Internal').settle()
  edge.remove('Service').cloudRemoves().settle()
  expect(edge.condition('Published').status).toBe('False')
  edge.cloudProvides('new.appdomain.cloud').settle()
  expect(edge.condition('Published').message).toBe('new.appdomain.cloud')
})

test('Published ignores the address of a Service that the operator does not manage', () => {
  const edge = anIngressController().on('Azure').published()
  edge.edit('Service', { metadata: { labels: null } }).settle()
  expect(edge.condition('Published').status).toBe('False')
})

test('An IngressController without a status has no published address', () => {
  expect(publishedAddress(undefined)).toBe('')
})
