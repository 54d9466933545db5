import { describe, expect, test } from 'vitest'
import { anIngressController } from '../../testing/a-snapshot.ts'
import {
  available,
  type Condition,
  degraded,
  progressing,
  sinceWhen,
  transitionKey,
  upgradeable,
} from './summary-conditions.ts'

const now = new Date('2030-01-01T02:00:00Z')
const ago = (seconds: number) => new Date(now.getTime() - seconds * 1000).toISOString()
const condition = (
  type: string,
  status: Condition['status'],
  seconds = 0,
  reason = 'Because',
): Condition => ({
  type,
  status,
  reason,
  message: `${type} is ${status}.`,
  lastTransitionTime: ago(seconds),
})
const managed = condition('LoadBalancerManaged', 'True')
const routers = condition('DeploymentAvailable', 'True')

describe('Available', () => {
  test('Available requires routers, and a load balancer if the strategy includes one', () => {
    expect(available([routers]).status).toBe('True')
    expect(available([routers, managed, condition('LoadBalancerReady', 'True')]).status).toBe('True')
    expect(available([routers, managed, condition('LoadBalancerReady', 'False')])).toMatchObject({
      type: 'Available',
      status: 'False',
      reason: 'IngressControllerUnavailable',
    })
    expect(available([condition('DeploymentAvailable', 'Unknown')]).status).toBe('False')
  })

  test('Available ignores the load balancer if the strategy includes none', () => {
    const unmanaged = condition('LoadBalancerManaged', 'False')
    expect(available([routers, unmanaged, condition('LoadBalancerReady', 'False')]).status).toBe('True')
  })

  test('Available is False for an IngressController that was never admitted and has no routers', () => {
    const edge = anIngressController('dotted.name').on('AWS')
    edge.settle()
    expect(edge.condition('Admitted').status).toBe('False')
    expect(edge.condition('Available').status).toBe('False')
  })
})

test('Degraded treats a condition whose transition time is not readable as past its grace period', () => {
  const wrong = { ...condition('DeploymentAvailable', 'False'), lastTransitionTime: 'never' }
  expect(sinceWhen(wrong)).toBe(0)
  expect(degraded([wrong], now)).toMatchObject({ condition: { status: 'True' }, requeueAt: undefined })
})

describe('Progressing', () => {
  test('Progressing has the reason of the load balancer, and the messages of all changes', () => {
    const all = [
      managed,
      condition('DeploymentRollingOut', 'True', 0, 'DeploymentRollingOut'),
      condition('LoadBalancerProgressing', 'True', 0, 'ScopeChanged'),
    ]
    expect(progressing(all)).toMatchObject({
      type: 'Progressing',
      status: 'True',
      reason: 'ScopeChanged',
      message: 'LoadBalancerProgressing is True.\nDeploymentRollingOut is True.',
    })
  })

  test.each([
    condition('LoadBalancerProgressing', 'False'),
    condition('DeploymentRollingOut', 'False'),
    condition('DeploymentRollingOut', 'True', 0, 'ReplicasStabilizing'),
    condition('DeploymentRollingOut', 'True', 0, 'PodsStarting'),
  ])('Progressing is False if the only other condition is $type=$status ($reason)', (idle) => {
    expect(progressing([managed, idle])).toMatchObject({
      type: 'Progressing',
      status: 'False',
      reason: 'IngressControllerNotProgressing',
    })
  })
})

describe('Degraded', () => {
  test.each([
    ['Admitted', 0],
    ['OperandsManaged', 30],
    ['DeploymentAvailable', 30],
    ['DeploymentReplicasMinAvailable', 60],
    ['DeploymentReplicasAllAvailable', 3600],
    ['LoadBalancerReady', 90],
    ['PodsStarted', 60],
  ])('Degraded is True once %s has been False for %i seconds, and not before', (type, seconds) => {
    const after = degraded([managed, condition(type, 'False', seconds)], now)
    expect(after).toMatchObject({
      condition: { status: 'True', reason: 'DegradedConditions' },
      requeueAt: undefined,
    })
    if (seconds === 0) return
    const before = degraded([managed, condition(type, 'False', seconds - 10)], now)
    expect(before.condition.status).toBe('False')
    expect(before.requeueAt).toEqual(new Date(now.getTime() + 10_000))
  })

  test.each([
    ['PodsScheduled', 'PortConflict', 'True'],
    ['PodsScheduled', 'TooFewNodes', 'False'],
    ['PortsAvailable', 'NodePortConflict', 'True'],
    ['PortsAvailable', 'PortsTaken', 'False'],
  ])('Degraded is True after a minute of %s for some reasons only: %s %s', (type, reason, status) => {
    expect(degraded([condition(type, 'False', 60, reason)], now).condition.status).toBe(status)
  })

  test('Degraded requeues at the end of the first of several grace periods', () => {
    const wrong = [
      condition('DeploymentAvailable', 'False', 10),
      condition('DeploymentReplicasMinAvailable', 'False', 10),
    ]
    expect(degraded(wrong, now).requeueAt).toEqual(new Date(now.getTime() + 20_000))
  })

  test('Degraded ignores the load balancer if the strategy includes none', () => {
    const left = [condition('LoadBalancerManaged', 'False'), condition('LoadBalancerReady', 'False', 9999)]
    expect(degraded(left, now).condition.status).toBe('False')
  })

  test('Degraded is True at once for an IngressController that is not admitted', () => {
    const edge = anIngressController('dotted.name').on('AWS')
    edge.settle()
    expect(edge.condition('Degraded')).toMatchObject({ status: 'True', reason: 'DegradedConditions' })
  })

  test('Degraded stays False for an hour if one of the routers cannot be scheduled (OCPBUGS-434)', () => {
    const edge = anIngressController().on('AWS').spec({ replicas: 3 }).published()
    edge.edit('Deployment', { status: { availableReplicas: 2 } }).settle()
    edge.later(3500).settle()
    expect(edge.condition('Degraded').status).toBe('False')
    edge.later(200).settle()
    expect(edge.condition('Degraded').status).toBe('True')
  })
})

test('Upgradeable is False while the Service has an edit without effect, and for no other reason', () => {
  expect(upgradeable([condition('LoadBalancerProgressing', 'True', 0, 'ScopeChanged')])).toMatchObject({
    type: 'Upgradeable',
    status: 'True',
  })
  // Progressing has its reason from others: it repeats what they say, and may be older than that.
  expect(upgradeable([condition('Progressing', 'True', 0, 'ServiceEdited')]).status).toBe('True')
  expect(upgradeable([condition('LoadBalancerProgressing', 'True', 0, 'ServiceEdited')])).toMatchObject({
    status: 'False',
    reason: 'OperandsNotUpgradeable',
  })
})

describe('Degraded by the observations of the leader', () => {
  const hour = 3600
  const seen = (wrong: Condition, seconds: number) =>
    new Map([[transitionKey(wrong), new Date(now.getTime() - seconds * 1000)]])

  test.each([-5 * hour, 0, 5 * hour])(
    'Degraded ignores transition times of a clock that is %d seconds off',
    (off) => {
      const wrong = condition('DeploymentAvailable', 'False', off)
      expect(degraded([wrong], now, seen(wrong, 29))).toMatchObject({
        condition: { status: 'False' },
        requeueAt: new Date(now.getTime() + 1000),
      })
      expect(degraded([wrong], now, seen(wrong, 30)).condition.status).toBe('True')
    },
  )

  test('Degraded stays True if it was True under the previous leader', () => {
    const wrong = condition('DeploymentAvailable', 'False', hour)
    const { condition: draft } = degraded([wrong], now, seen(wrong, 30))
    const reported = { ...draft, lastTransitionTime: ago(hour) }
    expect(degraded([wrong, reported], now, seen(wrong, 0)).condition).toEqual(draft)
    const other = condition('PodsStarted', 'False')
    expect(degraded([other, reported], now, seen(other, 0)).condition.status).toBe('False')
  })
})
