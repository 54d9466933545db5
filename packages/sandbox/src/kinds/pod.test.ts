import type { AnyObject } from '@portcullis/schema'
import type { PodSpec } from 'kubernetes-types/core/v1'
import { expect, test } from 'vitest'
import { bind, pod, qualityOf } from './pod.ts'

const container = { name: 'a', image: 'b' }

test('A pod that is not scheduled is deleted at once', () => {
  expect(pod.behaviour.gracePeriodSeconds?.(aPod({}))).toBe(0)
})

test('A pod that runs is deleted after its grace period', () => {
  const running = aPod({ nodeName: 'n', terminationGracePeriodSeconds: 45 })
  expect(pod.behaviour.gracePeriodSeconds?.(running)).toBe(45)
})

test('A pod that has ended is deleted at once', () => {
  const ended = {
    ...aPod({ nodeName: 'n', terminationGracePeriodSeconds: 45 }),
    status: { phase: 'Failed' },
  }
  expect(pod.behaviour.gracePeriodSeconds?.(ended)).toBe(0)
})

test('A pod is bound to a node once', () => {
  const waiting = aPod({})
  expect(bind(waiting, 'n1', new Date('2026-01-01T00:00:00.5Z'))).toBeUndefined()
  expect(waiting).toMatchObject({
    spec: { nodeName: 'n1' },
    status: {
      conditions: [{ type: 'PodScheduled', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' }],
    },
  })
  expect(bind(waiting, 'n2', new Date(0))).toBe('pod p is already assigned to node "n1"')
})

test('A pod cannot set its own priority', () => {
  expect(pod.behaviour.refusal?.(aPod({ priority: 5, priorityClassName: 'system-node-critical' }))).toBe(
    'the integer value of priority (5) must not be provided in pod spec; priority admission controller computed 2000001000 from the given PriorityClass name',
  )
})

test.each([
  ['BestEffort', {}],
  ['Burstable', { requests: { cpu: '1' } }],
  ['Burstable', { requests: { cpu: '1', memory: '1Gi' }, limits: { cpu: '2', memory: '1Gi' } }],
  ['Guaranteed', { requests: { cpu: '1000m', memory: '1Gi' }, limits: { cpu: '1', memory: '1024Mi' } }],
])('The QoS class is %s for %j', (quality, resources) => {
  expect(qualityOf({ containers: [{ ...container, resources }] })).toBe(quality)
})

function aPod(spec: Partial<PodSpec>): AnyObject {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p' },
    spec: { containers: [container], ...spec },
  }
}
