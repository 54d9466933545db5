import { expect, test } from 'vitest'
import { aws } from './aws.ts'

test('AWS creates a classic load balancer unless the annotation requests a network load balancer', () => {
  expect(aws.types).toEqual({
    key: 'service.beta.kubernetes.io/aws-load-balancer-type',
    values: { Classic: undefined, NLB: 'nlb' },
    default: 'Classic',
  })
})

test('Nodes on AWS have provider IDs with the scheme aws', () => {
  expect(aws.providerIds).toEqual(['aws'])
})

test.each([
  // Network load balancers take 10 or 30 seconds only (BZ1908758), and show the address of the client by themselves.
  ['NLB', { '-healthcheck-interval': '10' }],
  ['Classic', { '-healthcheck-interval': '5', '-proxy-protocol': '*' }],
])('A new load balancer of the type %s is requested with %o and health check thresholds', (type, own) => {
  const thresholds = {
    '-healthcheck-timeout': '4',
    '-healthcheck-unhealthy-threshold': '2',
    '-healthcheck-healthy-threshold': '2',
  }
  const annotations = Object.entries({ ...thresholds, ...own }).map(([suffix, value]) => [
    `service.beta.kubernetes.io/aws-load-balancer${suffix}`,
    value,
  ])
  expect(aws.initialAnnotations(type)).toEqual(Object.fromEntries(annotations))
})

test.each([
  'more.a1-2.us-east-1.elb.amazonaws.com',
  'a1-2.us-east-1.elb.amazonaws.com.example.com',
  'more.a1-2.elb.eu-west-3.amazonaws.com',
  'a1-2.elb.eu-west-3.amazonaws.com.example.com',
])('An address that only contains the name of a load balancer proves nothing: %s', (address) => {
  expect(aws.readAddress(address)).toEqual({})
})

test('A whole address proves the type of the load balancer', () => {
  expect(aws.readAddress('a1-2.us-east-1.elb.amazonaws.com')).toEqual({ type: 'Classic', scope: 'External' })
  expect(aws.readAddress('a1-2.elb.eu-west-3.amazonaws.com')).toEqual({ type: 'NLB' })
})
