import { expect, test } from 'vitest'
import { anIngressController } from '../../test/ingress/a-snapshot.ts'
import type { Scene } from '../../test/ingress/scene.ts'
import { autoDeleteAnnotation } from './names.ts'

/** Everything that is told from now on until the controller is settled. */
function told(edge: Scene): string[] {
  const reasons: string[] = []
  for (let round = 0; round < 10; round++) {
    const { actions, status, occurrences } = edge.decide()
    for (const action of actions) {
      edge.carryOut(action)
      if (action.occurrence !== undefined) reasons.push(action.occurrence.reason)
    }
    if (actions.length > 0) continue
    reasons.push(...occurrences.map(({ reason }) => reason))
    if (JSON.stringify(edge.controller.status) === JSON.stringify(status)) break
    edge.edit('IngressController', { status }, { manager: 'portcullis' })
  }
  return reasons
}

test('a new controller: admitted, its Service created, its load balancer ready', () => {
  const edge = anIngressController().on('AWS').scoped('External')
  expect(told(edge)).toEqual(['ServiceCreated', 'Admitted'])
  edge.cloudProvides('a1-2.us-east-1.elb.amazonaws.com')
  expect(told(edge)).toEqual(['LoadBalancerReady'])
})

test('while nothing changes nothing is told', () => {
  expect(told(anIngressController().on('AWS').scoped('External').published())).toEqual([])
})

test('a change of scope that waits, and is reverted', () => {
  const edge = anIngressController().on('AWS').scoped('External').published()
  expect(told(edge.later(60).scoped('Internal'))).toEqual(['ScopeRequested', 'WaitingForUser'])
  expect(told(edge.later(60).scoped('External'))).toEqual(['ScopeRequested', 'ChangeReverted'])
})

test('a change of scope that waits, and is carried out', () => {
  const edge = anIngressController().on('AWS').scoped('External').published()
  told(edge.later(60).scoped('Internal'))
  edge.later(60).remove('Service').cloudRemoves()
  expect(told(edge)).toEqual(['ServiceCreated', 'ChangeCompleted'])
})

test('a change of scope that is carried out while the operator looks: also while the old one still goes away', () => {
  const edge = anIngressController().on('AWS').scoped('External').published()
  told(edge.later(60).scoped('Internal'))
  expect(told(edge.later(60).remove('Service'))).toEqual([])
  expect(told(edge.later(60).cloudRemoves())).toEqual(['ServiceCreated', 'ChangeCompleted'])
})

test('a change of scope with consent: deleted, with the consent, and created', () => {
  const edge = anIngressController()
    .on('AWS')
    .scoped('External')
    .annotated({ [autoDeleteAnnotation]: '' })
    .published()
  expect(told(edge.later(60).scoped('Internal'))).toEqual(['ServiceDeleted', 'ScopeRequested'])
  expect(told(edge.later(60).cloudRemoves())).toEqual(['ServiceCreated', 'ChangeCompleted'])
})

test('a change in place: begun, and done', () => {
  const edge = anIngressController().on('Azure').scoped('External').published()
  expect(told(edge.later(60).scoped('Internal'))).toEqual(['ScopeChanging', 'ScopeRequested'])
  expect(told(edge.later(60).cloudProvides('10.0.0.9'))).toEqual(['ChangeCompleted'])
})

test('a failure of the cloud, once for each thing that it says, and its end', () => {
  const edge = anIngressController().on('Azure').scoped('External').published()
  expect(told(edge.later(60).cloudSays('SyncLoadBalancerFailed', 'quota'))).toEqual(['LoadBalancerFailed'])
  expect(told(edge.later(60).cloudSays('SyncLoadBalancerFailed', 'quota'))).toEqual([])
  expect(told(edge.later(60).cloudSays('SyncLoadBalancerFailed', 'denied'))).toEqual(['LoadBalancerFailed'])
  expect(told(edge.later(60).cloudSays('EnsuredLoadBalancer'))).toEqual(['LoadBalancerReady'])
})

test('a load balancer without nodes, once, and its end', () => {
  const edge = anIngressController().on('AWS').scoped('External').published()
  expect(told(edge.later(60).cloudSays('UnAvailableLoadBalancer'))).toEqual(['LoadBalancerWithoutNodes'])
  expect(told(edge.later(60).cloudSays('UnAvailableLoadBalancer'))).toEqual([])
  expect(told(edge.later(60).cloudSays('UpdatedLoadBalancer'))).toEqual(['LoadBalancerReady'])
})

test('a rejection, again when its cause is another, and the admission after it', () => {
  const edge = anIngressController().on('None').scoped('Internal')
  expect(told(edge)).toEqual(['Rejected'])
  expect(told(edge.spec({ domain: 'x.'.repeat(130) }))).toEqual(['Rejected'])
  expect(told(edge.spec({ domain: null }).scoped('External'))).toContain('Admitted')
})
