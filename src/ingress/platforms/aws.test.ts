import { expect, test } from 'vitest'
import { aws } from './aws.ts'

test('AWS makes a classic load balancer unless the annotation asks for a network load balancer', () => {
  expect(aws.types).toEqual({
    key: 'service.beta.kubernetes.io/aws-load-balancer-type',
    values: { Classic: undefined, NLB: 'nlb' },
    default: 'Classic',
  })
})

test.each([
  'more.a1-2.us-east-1.elb.amazonaws.com',
  'a1-2.us-east-1.elb.amazonaws.com.example.com',
  'more.a1-2.elb.eu-west-3.amazonaws.com',
  'a1-2.elb.eu-west-3.amazonaws.com.example.com',
])('an address that only contains the name of a load balancer proves nothing: %s', (address) => {
  expect(aws.readAddress(address)).toEqual({})
})

test('a whole address proves the type of the load balancer', () => {
  expect(aws.readAddress('a1-2.us-east-1.elb.amazonaws.com')).toEqual({ type: 'Classic', scope: 'External' })
  expect(aws.readAddress('a1-2.elb.eu-west-3.amazonaws.com')).toEqual({ type: 'NLB' })
})
