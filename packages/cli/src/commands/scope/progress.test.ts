import { anIngressController, type Scene } from '@portcullis/operator/testing'
import { expect, test } from 'vitest'
import { progressOf } from './progress.ts'

const phase = (scene: Scene, serviceIsNew = true) =>
  progressOf(scene.controller, {
    scope: 'Internal',
    generation: scene.controller.metadata.generation ?? 0,
    serviceIsNew,
  }).phase

test('from the word to the deed, where a new load balancer is needed', () => {
  const scene = anIngressController().on('AWS').scoped('External').published().scoped('Internal')
  expect(phase(scene)).toBe('unanswered')
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

test('in place', () => {
  const scene = anIngressController().on('Azure').scoped('External').published().scoped('Internal')
  scene.settle()
  expect(phase(scene)).toBe('working')
  scene.cloudProvides('10.0.0.9').settle()
  expect(phase(scene)).toBe('done')
})

test('what the operator refuses', () => {
  const scene = anIngressController().on('BareMetal').scoped('External').published().scoped('Internal')
  scene.settle()
  expect(phase(scene)).toBe('refused')
})
