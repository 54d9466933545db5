import { expect, test } from 'vitest'
import { anIngressController } from '../../testing/a-snapshot.ts'
import type { Scene } from '../../testing/scene.ts'
import { autoDeleteAnnotation, ownerLabel } from '../names.ts'

const consent = { [autoDeleteAnnotation]: '' }
const published = (loadBalancer: object = {}) =>
  anIngressController()
    .on('AWS')
    .spec({ replicas: 2 })
    .asking({ scope: 'Internal', ...loadBalancer })
    .published()
/** What it sends, routers understand whatever the strategy is. */
const networkLoadBalancer = { providerParameters: { type: 'AWS', aws: { type: 'NLB' } } }
const turnTo = (scene: Scene, type: string) =>
  scene.spec({ endpointPublishingStrategy: { type, loadBalancer: null } })
const deletions = (scene: Scene) => scene.decide().actions.filter((action) => action.do === 'delete')

test.each(['HostNetwork', 'NodePortService', 'Private'])(
  'An orphaned load balancer stays until the user confirms its deletion, with a message that says how, after a change to %s',
  (type) => {
    const scene = turnTo(published(), type)
    const before = scene.service
    scene.settle()
    scene.routersRun().settle()
    scene.later(3600).settle()
    expect(scene.service).toEqual(before)
    const { status, reason, message } = scene.condition('Progressing')
    expect([status, reason]).toEqual(['True', 'TypeChanged'])
    expect(message).toContain(
      `endpoint publishing strategy was changed from "LoadBalancerService" to "${type}"`,
    )
    expect(message).toContain('`kubectl -n openshift-ingress delete svc/router-edge`')
    expect(message).toContain('"type":"LoadBalancerService"')
    expect(message).toContain('"loadBalancer":{"scope":"Internal"}')
  },
)

test('The revert command keeps the source ranges: without them the load balancer would accept all clients', () => {
  const scene = turnTo(published({ allowedSourceRanges: ['10.0.0.0/8'] }), 'Private')
  scene.settle()
  expect(scene.condition('Progressing').message).toContain(
    '"loadBalancer":{"scope":"Internal","allowedSourceRanges":["10.0.0.0/8"]}',
  )
})

test('A change of strategy that is reverted leaves everything as it was', () => {
  const scene = published()
  const before = scene.service
  turnTo(scene, 'Private').settle()
  const { events } = scene.asking({ scope: 'Internal' }).decide()
  expect(events.map(({ reason }) => reason)).toContain('ChangeReverted')
  scene.settle()
  expect(scene.service).toEqual(before)
  expect(scene.condition('Progressing').status).toBe('False')
})

test('An orphaned load balancer that the user deletes is not created again, and events report that', () => {
  const scene = turnTo(published(), 'Private')
  scene.settle()
  scene.remove('Service').settle()
  expect(scene.condition('Progressing')).toMatchObject({ status: 'True', reason: 'RemovingLoadBalancer' })
  const { actions, events } = scene.cloudRemoves().decide()
  expect(actions.filter(({ kind }) => kind.kind === 'Service')).toEqual([])
  expect(events.map(({ reason }) => reason)).toContain('ChangeCompleted')
  scene.settle()
  expect(scene.condition('LoadBalancerProgressing').status).toBe('False')
})

test('An orphaned load balancer that disappears at once is reported in the same way', () => {
  const scene = turnTo(published(), 'Private')
  scene.settle()
  const { events } = scene.cloudRemoves().remove('Service').decide()
  const reasons = events.map(({ reason }) => reason)
  expect(reasons).toContain('ChangeCompleted')
  expect(reasons).not.toContain('ChangeReverted')
})

test('Events report the change of the strategy and the wait for the user once', () => {
  const { events } = turnTo(published(), 'Private').decide()
  const reasons = events.map(({ reason }) => reason)
  expect(reasons).toEqual(expect.arrayContaining(['TypeRequested', 'WaitingForUser']))
  const scene = turnTo(published(), 'Private')
  scene.settle()
  expect(scene.later(10).decide().events).toEqual([])
})

test('An orphaned load balancer is deleted with the annotation, once clients could follow to the new strategy', () => {
  const scene = turnTo(published(networkLoadBalancer).annotated(consent), 'HostNetwork')
  scene.settle()
  expect(deletions(scene)).toEqual([])
  expect(scene.condition('Progressing').message).toContain(
    'once the new strategy has been able to take traffic for 60 seconds',
  )
  scene.routersRun(1).later(60).settle()
  expect(deletions(scene)).toEqual([])
  const { requeueAt } = scene.routersRun(2).settle()
  expect(requeueAt).toEqual(new Date(scene.server.now.getTime() + 60_000))
  scene.later(59).settle()
  expect(deletions(scene)).toEqual([])
  scene.later(1)
  expect(deletions(scene)).toMatchObject([
    {
      disruption: 'interrupts',
      event: {
        action: 'DeleteService',
        note: expect.stringMatching(/the strategy is now HostNetwork, and .*annotation/),
      },
    },
  ])
})

test('A Service of another owner is not orphaned', () => {
  const scene = published().annotated(consent)
  scene.edit('Service', { metadata: { labels: { [ownerLabel]: 'another' } } })
  turnTo(scene, 'Private').settle()
  expect(scene.condition('LoadBalancerProgressing').status).toBe('False')
  expect(scene.service.metadata.deletionTimestamp).toBeUndefined()
})

test.each(['HostNetwork', 'NodePortService'])(
  'An orphaned load balancer whose PROXY protocol routers still expect is deleted as soon as those of %s run',
  (type) => {
    const scene = turnTo(published().annotated(consent), type)
    // There, routers are already as they have to be.
    if (type === 'HostNetwork') scene.settle()
    scene.routersRun(2)
    if (type === 'NodePortService') scene.decide().actions.forEach((action) => scene.applyAction(action))
    expect(deletions(scene)).toHaveLength(1)
  },
)

test('An orphaned load balancer stays despite the annotation while another owner has the Deployment of the routers', () => {
  const scene = turnTo(published().annotated(consent), 'HostNetwork')
  scene.settle()
  scene.edit('Deployment', { metadata: { labels: { [ownerLabel]: 'another' } } }).routersRun(2)
  scene.settle()
  scene.later(60)
  expect(deletions(scene)).toEqual([])
})

test('An orphaned load balancer stays despite the annotation while another owner has the node port Service', () => {
  const scene = published().annotated(consent)
  scene.server.create('somebody', {
    kind: 'Service',
    metadata: { namespace: 'openshift-ingress', name: 'router-nodeport-edge' },
    spec: { type: 'NodePort', ports: [{ port: 80 }] },
  })
  turnTo(scene, 'NodePortService').settle()
  scene.later(60).settle()
  expect(scene.condition('OperandsManaged').status).toBe('False')
  expect(scene.service.metadata.deletionTimestamp).toBeUndefined()
})
