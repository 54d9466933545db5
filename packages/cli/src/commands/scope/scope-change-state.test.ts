import { anIngressController, type Scene } from '@portcullis/operator/testing'
import { expect, test } from 'vitest'
import { scopeChangeState } from './scope-change-state.ts'

const phase = (scene: Scene, serviceIsNew = true) =>
  scopeChangeState(scene.controller, {
    scope: 'Internal',
    generation: scene.controller.metadata.generation ?? 0,
    serviceIsNew,
  }).phase

test('A change of scope on AWS waits for the user, and is done once the new load balancer has an address', () => {
  const scene = anIngressController().on('AWS').scoped('External').published().scoped('Internal')
  expect(phase(scene)).toBe('unobserved')
  scene.settle()
  expect(phase(scene)).toBe('waits')
  expect(phase(scene, false)).toBe('working')
  scene.remove('Service').settle()
  expect(phase(scene)).toBe('working')
  scene.cloudRemoves().settle()
  expect(phase(scene)).toBe('working')
  scene.cloudProvides('internal-b.us-east-1.elb.amazonaws.com').settle()
  expect(phase(scene)).toBe('done')
})

test('A change of scope on Azure is done once the load balancer has its new address', () => {
  const scene = anIngressController().on('Azure').scoped('External').published().scoped('Internal')
  scene.settle()
  expect(phase(scene)).toBe('working')
  scene.cloudProvides('10.0.0.9').settle()
  expect(phase(scene)).toBe('done')
})

test('A change of scope is refused where the platform has no load balancers', () => {
  const scene = anIngressController().on('BareMetal').scoped('External').published().scoped('Internal')
  scene.settle()
  expect(phase(scene)).toBe('refused')
})
