import { expect, test } from 'vitest'
import { anIngressController } from '../testing/a-snapshot.ts'
import type { Scene } from '../testing/scene.ts'
import { ownerLabel } from './names.ts'

const steps = (edge: Scene) =>
  edge.decide().actions.map((action) => `${action.do} ${action.kind.kind} ${action.object.metadata.name}`)

const doomed = (platform = 'AWS') =>
  anIngressController().on(platform).published().remove('IngressController')

test('the load balancer goes first, and alone (BZ1850813)', () => {
  expect(steps(doomed())).toEqual(['delete Service router-edge'])
})

test('nothing is said before the load balancer goes, nor about one that is not ours', () => {
  expect(doomed().decide().status).toBeUndefined()
  const edge = anIngressController().on('AWS').published()
  edge.edit('Service', { metadata: { labels: { [ownerLabel]: null } } }).remove('Service')
  expect(edge.remove('IngressController').decide().status).toBeUndefined()
})

test('nothing else goes before the cloud has removed it; nobody asks twice', () => {
  const edge = doomed()
  edge.settle()
  expect(edge.service.metadata.deletionTimestamp).toBeDefined()
  expect(steps(edge)).toEqual([])
  expect(edge.deployment.metadata.deletionTimestamp).toBeUndefined()
})

test('while the cloud removes it, that is said, and what the cloud has against it', () => {
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

test('then everything that was made for the routers', () => {
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

test('an IngressClass that is labelled as another’s stays', () => {
  const edge = anIngressController().on('AWS').published()
  const labels = { [ownerLabel]: 'another' }
  edge.edit('IngressClass', { metadata: { labels } }, { name: 'portcullis-edge' })
  edge.remove('IngressController').settle()
  edge.cloudRemoves()
  expect(steps(edge)).not.toContain('delete IngressClass portcullis-edge')
})

test('when the last router has ended, the controller goes; our finalizer is left nowhere (BZ1766141)', () => {
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

test('finalizers of others on the controller stay', () => {
  const edge = anIngressController().on('AWS')
  edge.edit('IngressController', { metadata: { finalizers: ['example.com/mine'] } })
  edge.published().remove('IngressController').settle()
  edge.cloudRemoves().settle()
  expect(edge.controller.metadata.finalizers).toEqual(['example.com/mine'])
  expect(steps(edge)).toEqual([])
})

test('what is not ours stays, and does not keep the controller', () => {
  const edge = anIngressController().on('AWS').published()
  edge.edit('Service', { metadata: { labels: { [ownerLabel]: null } } })
  const theirs = edge.service
  edge.remove('IngressController').settle()
  expect(edge.server.get('IngressController', 'edge')).toBeUndefined()
  expect(edge.service).toBe(theirs)
})

test('each deletion is told, with the consent under which it was done', () => {
  const [deletion] = doomed().decide().actions
  expect(deletion?.event).toMatchObject({
    reason: 'ServiceDeleted',
    action: 'DeleteService',
    note: 'Deleted the Service openshift-ingress/router-edge, because the IngressController edge is being deleted',
  })
})

test('a controller that was never published goes at once', () => {
  const edge = anIngressController().on('AWS').remove('IngressController')
  expect(edge.server.get('IngressController', 'edge')).toBeUndefined()
})

test('also one whose platform is not known any more is cleaned up after', () => {
  const edge = doomed()
  edge.platform = { problem: 'gone' }
  expect(steps(edge)).toEqual(['delete Service router-edge'])
})
