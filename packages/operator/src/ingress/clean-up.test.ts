import { expect, test } from 'vitest'
import { anIngressController } from '../testing/a-snapshot.ts'
import type { Scene } from '../testing/scene.ts'
import { ownerLabel } from './names.ts'

const steps = (edge: Scene) =>
  edge.decide().actions.map((action) => `${action.do} ${action.kind.kind} ${action.object.metadata.name}`)

const doomed = (platform = 'AWS') =>
  anIngressController().on(platform).published().remove('IngressController')

test('The load balancer is deleted first, and alone (BZ1850813)', () => {
  expect(steps(doomed())).toEqual(['delete Service router-edge'])
})

test('No condition is reported before the load balancer is deleted, nor for an unowned one', () => {
  expect(doomed().decide().status).toBeUndefined()
  const edge = anIngressController().on('AWS').published()
  edge.edit('Service', { metadata: { labels: { [ownerLabel]: null } } }).remove('Service')
  expect(edge.remove('IngressController').decide().status).toBeUndefined()
})

test('Nothing else is deleted before the cloud has removed the load balancer, which is deleted once', () => {
  const edge = doomed()
  edge.settle()
  expect(edge.service.metadata.deletionTimestamp).toBeDefined()
  expect(steps(edge)).toEqual([])
  expect(edge.deployment.metadata.deletionTimestamp).toBeUndefined()
})

test('While the cloud removes the load balancer, the status says so, with the error of the cloud', () => {
  const edge = doomed()
  edge.settle()
  const waiting = 'waiting for the cloud to remove the load balancer.  The IngressController is removed'
  expect(edge.condition('LoadBalancerReady')).toMatchObject({
    status: 'False',
    reason: 'ServiceBeingDeleted',
    message: expect.stringContaining(waiting),
  })
  expect(edge.condition('Progressing')).toMatchObject({ status: 'True', reason: 'RemovingLoadBalancer' })
  edge.later(5).cloudSays('SyncLoadBalancerFailed', 'AccessDenied: not you').settle()
  for (const type of ['LoadBalancerReady', 'Progressing', 'Available']) {
    expect(edge.condition(type).message).toContain('The cloud reports: "AccessDenied: not you".')
  }
  edge.later(90).settle()
  expect(edge.condition('Degraded')).toMatchObject({ status: 'True' })
})

test('All operands of the routers are deleted after the load balancer is gone', () => {
  const edge = doomed()
  edge.settle()
  edge.cloudRemoves()
  expect(steps(edge)).toEqual(
    expect.arrayContaining([
      'delete Deployment router-edge',
      'delete Service router-internal-edge',
      'delete PodDisruptionBudget router-edge',
      'delete IngressClass portcullis-edge',
    ]),
  )
  edge.edit(
    'IngressClass',
    { spec: { parameters: { namespace: 'of-another-operator' } } },
    { name: 'portcullis-edge' },
  )
  expect(steps(edge)).not.toContain('delete IngressClass portcullis-edge')
})

test('An IngressClass labelled as owned by another controller stays', () => {
  const edge = anIngressController().on('AWS').published()
  const labels = { [ownerLabel]: 'another' }
  edge.edit('IngressClass', { metadata: { labels } }, { name: 'portcullis-edge' })
  edge.remove('IngressController').settle()
  edge.cloudRemoves()
  expect(steps(edge)).not.toContain('delete IngressClass portcullis-edge')
})

test('When the last router has ended, the controller is released, and no finalizer of the operator is left (BZ1766141)', () => {
  const edge = doomed()
  edge.pods = [{ metadata: { name: 'router-edge-1', uid: 'p', resourceVersion: '1' } }]
  edge.settle()
  edge.cloudRemoves().settle()
  expect(steps(edge)).toEqual([])
  edge.pods = []
  expect(steps(edge)).toEqual(['update IngressController edge'])
  edge.settle()
  expect(edge.server.get('IngressController', 'edge')).toBeUndefined()
})

test('Finalizers of other clients on the controller stay', () => {
  const edge = anIngressController().on('AWS')
  edge.edit('IngressController', { metadata: { finalizers: ['example.com/mine'] } })
  edge.published().remove('IngressController').settle()
  edge.cloudRemoves().settle()
  expect(edge.controller.metadata.finalizers).toEqual(['example.com/mine'])
  expect(steps(edge)).toEqual([])
})

test('Unowned objects stay, and do not delay the deletion of the controller', () => {
  const edge = anIngressController().on('AWS').published()
  edge.edit('Service', { metadata: { labels: { [ownerLabel]: null } } })
  const theirs = edge.service
  edge.remove('IngressController').settle()
  expect(edge.server.get('IngressController', 'edge')).toBeUndefined()
  expect(edge.service).toBe(theirs)
})

test('Each deletion is recorded as an event, with the consent that allowed it', () => {
  const [deletion] = doomed().decide().actions
  expect(deletion?.event).toMatchObject({
    reason: 'ServiceDeleted',
    action: 'DeleteService',
    note: 'Deleted the Service openshift-ingress/router-edge, because the IngressController edge is being deleted',
  })
})

test('A controller that was never published is released at once', () => {
  const edge = anIngressController().on('AWS').remove('IngressController')
  expect(edge.server.get('IngressController', 'edge')).toBeUndefined()
})

test('A controller whose platform is no longer known is cleaned up too', () => {
  const edge = doomed()
  edge.platform = { problem: 'gone' }
  expect(steps(edge)).toEqual(['delete Service router-edge'])
})
