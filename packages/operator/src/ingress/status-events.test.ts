import { expect, test } from 'vitest'
import { anIngressController } from '../testing/a-snapshot.ts'
import type { Scene } from '../testing/scene.ts'
import type { Condition } from './conditions/summary-conditions.ts'
import type { Status } from './decision.ts'
import { autoDeleteAnnotation } from './names.ts'
import { statusEvents } from './status-events.ts'

/** All Events that are recorded from now on until the controller is settled. */
function newEvents(edge: Scene): string[] {
  const reasons: string[] = []
  for (let round = 0; round < 10; round++) {
    const { actions, status, events } = edge.decide()
    for (const action of actions) {
      edge.applyAction(action)
      if (action.event !== undefined) reasons.push(action.event.reason)
    }
    if (actions.length > 0) continue
    reasons.push(...events.map(({ reason }) => reason))
    if (JSON.stringify(edge.controller.status) === JSON.stringify(status)) break
    edge.edit('IngressController', { status }, { manager: 'portcullis' })
  }
  return reasons
}

test('A new controller has events: admitted, its Service created, its load balancer ready', () => {
  const edge = anIngressController().on('AWS').scoped('External')
  expect(newEvents(edge)).toEqual(['ServiceCreated', 'Admitted'])
  edge.cloudProvides('a1-2.us-east-1.elb.amazonaws.com')
  expect(newEvents(edge)).toEqual(['LoadBalancerReady'])
})

test('No event is recorded while nothing changes', () => {
  expect(newEvents(anIngressController().on('AWS').scoped('External').published())).toEqual([])
})

test('A change of scope that waits, and is reverted, has events', () => {
  const edge = anIngressController().on('AWS').scoped('External').published()
  expect(newEvents(edge.later(60).scoped('Internal'))).toEqual(['ScopeRequested', 'WaitingForUser'])
  expect(newEvents(edge.later(60).scoped('External'))).toEqual(['ScopeRequested', 'ChangeReverted'])
})

test('A change of scope that waits, and is carried out, has events', () => {
  const edge = anIngressController().on('AWS').scoped('External').published()
  newEvents(edge.later(60).scoped('Internal'))
  edge.later(60).remove('Service').cloudRemoves()
  expect(newEvents(edge)).toEqual(['ServiceCreated', 'ChangeCompleted'])
})

test('A change of scope that is carried out between two reconciles has events, also while the old one is still terminating', () => {
  const edge = anIngressController().on('AWS').scoped('External').published()
  newEvents(edge.later(60).scoped('Internal'))
  expect(newEvents(edge.later(60).remove('Service'))).toEqual([])
  expect(newEvents(edge.later(60).cloudRemoves())).toEqual(['ServiceCreated', 'ChangeCompleted'])
})

test('A change of scope with consent has events: deleted, with the consent, and created', () => {
  const edge = anIngressController()
    .on('AWS')
    .scoped('External')
    .annotated({ [autoDeleteAnnotation]: '' })
    .published()
  expect(newEvents(edge.later(60).scoped('Internal'))).toEqual(['ServiceDeleted', 'ScopeRequested'])
  expect(newEvents(edge.later(60).cloudRemoves())).toEqual(['ServiceCreated', 'ChangeCompleted'])
})

test('A change in place has events: begun, and done', () => {
  const edge = anIngressController().on('Azure').scoped('External').published()
  expect(newEvents(edge.later(60).scoped('Internal'))).toEqual(['ScopeChanging', 'ScopeRequested'])
  expect(newEvents(edge.later(60).cloudProvides('10.0.0.9'))).toEqual(['ChangeCompleted'])
})

test('A failure of the cloud has an event once for each message, and one for its end', () => {
  const edge = anIngressController().on('Azure').scoped('External').published()
  expect(newEvents(edge.later(60).cloudSays('SyncLoadBalancerFailed', 'quota'))).toEqual([
    'LoadBalancerFailed',
  ])
  expect(newEvents(edge.later(60).cloudSays('SyncLoadBalancerFailed', 'quota'))).toEqual([])
  expect(newEvents(edge.later(60).cloudSays('SyncLoadBalancerFailed', 'denied'))).toEqual([
    'LoadBalancerFailed',
  ])
  expect(newEvents(edge.later(60).cloudSays('EnsuredLoadBalancer'))).toEqual(['LoadBalancerReady'])
})

test('A load balancer without nodes has an event once, and one for its end', () => {
  const edge = anIngressController().on('AWS').scoped('External').published()
  expect(newEvents(edge.later(60).cloudSays('UnAvailableLoadBalancer'))).toEqual(['LoadBalancerWithoutNodes'])
  expect(newEvents(edge.later(60).cloudSays('UnAvailableLoadBalancer'))).toEqual([])
  expect(newEvents(edge.later(60).cloudSays('UpdatedLoadBalancer'))).toEqual(['LoadBalancerReady'])
})

test('A rejection has an event, again when its cause is another, and one for the admission after it', () => {
  const edge = anIngressController().on('None').scoped('Internal')
  expect(newEvents(edge)).toEqual(['Rejected'])
  expect(newEvents(edge.spec({ domain: 'x.'.repeat(130) }))).toEqual(['Rejected'])
  expect(newEvents(edge.spec({ domain: null }).scoped('External'))).toContain('Admitted')
})

type PartialCondition = Pick<Condition, 'type' | 'status'> & Partial<Condition>

/** The Events that are recorded when a condition changes, or is reported for the first time. */
function eventsFor(old: PartialCondition | undefined, now: PartialCondition) {
  const withTime = (condition: PartialCondition) => ({
    lastTransitionTime: '2030-01-01T00:00:00Z',
    ...condition,
  })
  return eventsBetween(
    { conditions: old === undefined ? [] : [withTime(old)] },
    { conditions: [withTime(now)] },
  )
}

function eventsBetween(before: Status, after: Status) {
  const snapshot = anIngressController().snapshot()
  const { controller } = snapshot
  return statusEvents({ ...snapshot, controller: { ...controller, status: before } }, after)
}

test.each([
  [['Admitted', 'False', 'Invalid'], 'Warning', 'Rejected', 'Admit'],
  [['LoadBalancerProgressing', 'True', 'ScopeChanged'], 'Normal', 'WaitingForUser', 'Wait'],
  [
    ['LoadBalancerReady', 'False', 'SyncLoadBalancerFailed'],
    'Warning',
    'LoadBalancerFailed',
    'ObserveLoadBalancer',
  ],
  [
    ['LoadBalancerReady', 'False', 'LoadBalancerWithoutNodes'],
    'Warning',
    'LoadBalancerWithoutNodes',
    'ObserveLoadBalancer',
  ],
  [
    ['LoadBalancerReady', 'True', 'LoadBalancerProvisioned'],
    'Normal',
    'LoadBalancerReady',
    'ObserveLoadBalancer',
  ],
  [['PortsAvailable', 'False', 'PortsTaken'], 'Warning', 'PortsTaken', 'PlaceRouters'],
  [['PodsScheduled', 'False', 'Unschedulable'], 'Warning', 'Unschedulable', 'PlaceRouters'],
  [['PodsStarted', 'False', 'RouterFails'], 'Warning', 'RouterFails', 'PlaceRouters'],
  [['OperandsManaged', 'False', 'Contested'], 'Warning', 'OperandContested', 'ReconcileOperands'],
])(
  'The condition %j is recorded with its message as a %s event %s of the action %s',
  (condition, type, reason, action) => {
    const [name = '', status = '', why = ''] = condition
    const now = { type: name, status: status as Condition['status'], reason: why }
    const other = { type: name, status: 'Unknown' as const, reason: 'Other', message: 'Once.' }
    expect(eventsFor(undefined, { ...now, message: 'So it is.' })).toEqual([
      { type, reason, action, note: 'So it is.' },
    ])
    expect(eventsFor(other, now)).toEqual([{ type, reason, action, note: '' }])
    expect(eventsFor(now, now)).toEqual([])
  },
)

test('An admission is recorded once, even if its message changes', () => {
  const admitted = (message: string): PartialCondition => ({ type: 'Admitted', status: 'True', message })
  expect(eventsFor(undefined, admitted('Valid.'))).toMatchObject([
    { type: 'Normal', reason: 'Admitted', action: 'Admit' },
  ])
  expect(eventsFor(admitted('Valid.'), admitted('Still valid.'))).toEqual([])
})

const progresses = (reason: string): PartialCondition => ({
  type: 'LoadBalancerProgressing',
  status: 'True',
  reason,
})
const settled: PartialCondition = {
  type: 'LoadBalancerProgressing',
  status: 'False',
  reason: 'LoadBalancerNotProgressing',
}

test.each(['ScopeChanging', 'ReplacingLoadBalancer', 'RemovingLoadBalancer', 'ScopeChanged', 'TypeChanged'])(
  'The end of %s is the end of a change',
  (reason) => {
    expect(eventsFor(progresses(reason), settled)).toMatchObject([
      { type: 'Normal', reason: 'ChangeCompleted', action: 'UpdateLoadBalancer' },
    ])
  },
)

test.each(['ServiceNotFound', 'ServiceEdited'])(
  'The end of %s is not recorded as the end of a change',
  (reason) => {
    expect(eventsFor(progresses(reason), settled)).toEqual([])
  },
)

test('A reverted change is recorded as the end of the wait', () => {
  const edge = anIngressController().on('AWS').scoped('External').published()
  edge.later(60).scoped('Internal').settle()
  const { events } = edge.later(60).scoped('External').decide()
  expect(events).toContainEqual(
    expect.objectContaining({ type: 'Normal', reason: 'ChangeReverted', action: 'Wait' }),
  )
})

const strategies = {
  public: { type: 'LoadBalancerService', loadBalancer: { scope: 'External' } },
  internal: { type: 'LoadBalancerService', loadBalancer: { scope: 'Internal' } },
  private: { type: 'Private' },
  onPort: (statsPort: number) => ({ type: 'HostNetwork', hostNetwork: { statsPort } }),
}
test.each([
  [strategies.public, strategies.internal, ['Normal ScopeRequested by ObserveSpec']],
  [strategies.public, strategies.private, ['Normal TypeRequested by ObserveSpec']],
  [strategies.onPort(1936), strategies.onPort(1937), ['Warning HealthPortMoves by RollOut']],
  [strategies.public, strategies.public, []],
  [undefined, strategies.public, []],
  [strategies.public, undefined, []],
  [strategies.onPort(1936), strategies.onPort(1936), []],
  [undefined, strategies.onPort(1936), []],
  [strategies.onPort(1936), undefined, []],
])('The event for a strategy that was %j and is %j is %j', (old, now, expected) => {
  const status = (strategy: object | undefined): Status =>
    strategy === undefined ? {} : { endpointPublishingStrategy: strategy as never }
  const events = eventsBetween(status(old), status(now))
  expect(events.map(({ type, reason, action }) => `${type} ${reason} by ${action}`)).toEqual(expected)
})

test('Unschedulable routers are recorded as an event, unless another problem was reported before', () => {
  const unschedulable: PartialCondition = { type: 'PodsScheduled', status: 'False', reason: 'Unschedulable' }
  const before = (status: Condition['status'], reason: string): PartialCondition => ({
    ...unschedulable,
    status,
    reason,
  })
  expect(eventsFor(before('True', 'PodsPlaced'), unschedulable)).toHaveLength(1)
  expect(eventsFor(before('False', 'PortConflict'), unschedulable)).toEqual([])
})
