import { type LocalServer, startHttpServer } from '@portcullis/kube/testing'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { AwsApi } from './aws-api.ts'
import { CloudControl } from './cloud-control.ts'
import { type CloudProxy, startCloudProxy } from './cloud-proxy.ts'
import { textAt } from './xml.ts'

let upstream: LocalServer
let proxy: CloudProxy
let control: CloudControl
let api: AwsApi

/** Answers every call with what it was asked. */
beforeEach(async () => {
  upstream = await startHttpServer((_request, response, body) =>
    response.end(`<Answer><Action>${new URLSearchParams(body).get('Action')}</Action></Answer>`),
  )
  proxy = await startCloudProxy(upstream.url.origin)
  control = new CloudControl(proxy.control)
  api = new AwsApi(proxy.url)
})

afterEach(async () => {
  await proxy.close()
  await upstream.close()
})

const create = (LoadBalancerName: string) => api.call('elb', 'CreateLoadBalancer', { LoadBalancerName })

test('The proxy passes calls on, and records what they were about', async () => {
  expect(textAt(await create('one'), 'Action')).toBe('CreateLoadBalancer')
  await api.call('ec2', 'CreateTags', { Tag: [{ Key: 'a', Value: 'b' }] })
  expect(await control.calls()).toMatchObject([
    { action: 'CreateLoadBalancer', parameters: { LoadBalancerName: 'one' }, status: 200 },
    { action: 'CreateTags', parameters: { 'Tag.1.Key': 'a', 'Tag.1.Value': 'b' }, status: 200 },
  ])
})

test('A fault meets one action about one resource until it is lifted', async () => {
  const rule = { fault: { type: 'denied' }, action: 'CreateLoadBalancer', about: 'one' } as const
  await control.inject('mine', rule)
  await expect(create('one')).rejects.toThrow(/403: .*AccessDenied.*perform: elasticloadbalancing:Create/)
  await create('two')
  await api.call('elb', 'DeleteLoadBalancer', { LoadBalancerName: 'one' })
  await control.lift('mine')
  await create('one')
  expect((await control.calls()).map(({ fault }) => fault)).toEqual(['denied', ...Array(3)])
})

test.each([
  ['quota', 'elb', /400: .*TooManyLoadBalancers/],
  ['throttled', 'elb', /400: .*<Code>Throttling</],
  ['throttled', 'ec2', /400: .*<Code>RequestLimitExceeded</],
  ['denied', 'ec2', /403: .*UnauthorizedOperation.*perform: ec2:Act/],
  ['dropped', 'ec2', /socket|closed/],
] as const)('A fault of type %s in %s looks as on AWS', async (type, service, message) => {
  await control.inject('mine', { fault: { type } })
  await expect(api.call(service, 'Act')).rejects.toThrow(message)
})

test('A slow call is answered late', async () => {
  await control.inject('mine', { fault: { type: 'slow', delayMs: 200 } })
  const start = performance.now()
  await create('one')
  expect(performance.now() - start).toBeGreaterThanOrEqual(195)
})

test('A rule that cannot be parsed is refused', async () => {
  const answer = await fetch(`${proxy.control}/faults/mine`, { method: 'PUT', body: '{"fault":' })
  expect(answer.status).toBe(400)
})

test('An unknown control request is answered with those that exist', async () => {
  const answer = await fetch(`${proxy.control}/fault/mine`, { method: 'PUT', body: '{}' })
  expect([answer.status, await answer.json()]).toEqual([
    404,
    'PUT /fault/mine is none of PUT and DELETE /faults/NAME, GET /faults, GET /calls',
  ])
})
