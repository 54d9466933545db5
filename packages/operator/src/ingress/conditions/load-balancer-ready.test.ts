import { findCondition } from '@portcullis/kube'
import { describe, expect, test } from 'vitest'
import { anIngressController } from '../../testing/a-snapshot.ts'
import { gcp } from '../platforms/gcp.ts'
import { observeLoadBalancer } from '../strategies/observed-load-balancer.ts'
import { loadBalancerReady } from './load-balancer.ts'

const quota = 'Error syncing load balancer: TooManyLoadBalancers: quota exceeded'

describe('LoadBalancerReady', () => {
  const ready = 'LoadBalancerReady'

  const pending = () => {
    const edge = anIngressController().on('GCP').scoped('External')
    edge.settle()
    return edge
  }

  test('LoadBalancerReady is False without a Service, and True once the cloud assigns an address', () => {
    const edge = anIngressController().on('AWS')
    expect(edge.decide().status?.conditions).toContainEqual(
      expect.objectContaining({ type: ready, status: 'False', reason: 'ServiceNotFound' }),
    )
    edge.settle()
    expect(edge.condition(ready)).toMatchObject({ status: 'False', reason: 'LoadBalancerPending' })
    edge.cloudProvides('a1-2.us-east-1.elb.amazonaws.com').settle()
    expect(edge.condition(ready)).toMatchObject({ status: 'True', reason: 'LoadBalancerProvisioned' })
  })

  test('LoadBalancerReady contains the error of the cloud, and Available follows it', () => {
    const edge = anIngressController().on('AWS')
    edge.settle()
    edge.cloudSays('SyncLoadBalancerFailed', quota).settle()
    expect(edge.condition(ready)).toMatchObject({ status: 'False', reason: 'SyncLoadBalancerFailed' })
    expect(edge.condition(ready).message).toContain(quota)
    expect(edge.condition('Available').status).toBe('False')
    expect(edge.condition('Available').message).toContain(quota)
  })

  test('LoadBalancerReady is False despite an address if a change in place fails (OCPBUGS-24531)', () => {
    const edge = anIngressController().on('GCP').scoped('External').published()
    edge.later(60).scoped('Internal').settle()
    edge.later(1).cloudSays('SyncLoadBalancerFailed', quota).settle()
    expect(edge.condition(ready).reason).toBe('SyncLoadBalancerFailed')
    expect(edge.condition('Available').status).toBe('False')
  })

  test.each([
    { spec: { externalIPs: ['192.0.2.1'] } },
    { status: { loadBalancer: { ingress: [{ ip: '203.0.113.7', hostname: 'lb.example.com' }] } } },
  ])('LoadBalancerReady is False despite several addresses of the Service: %o', (more) => {
    const edge = anIngressController().on('GCP').scoped('External').published()
    edge.edit('Service', more).settle()
    edge.later(60).cloudSays('SyncLoadBalancerFailed', quota).settle()
    expect(edge.condition(ready).reason).toBe('SyncLoadBalancerFailed')
  })

  test.each(['EnsuredLoadBalancer', 'UpdatedLoadBalancer'] as const)(
    'LoadBalancerReady is True again after %s',
    (success) => {
      const edge = anIngressController().on('GCP').scoped('External').published()
      edge.later(60).cloudSays('SyncLoadBalancerFailed', quota).settle()
      expect(edge.condition(ready).status).toBe('False')
      edge.cloudSays(success).settle() // In the same second: times cannot tell, versions can.
      expect(edge.condition(ready).status).toBe('True')
    },
  )

  test('LoadBalancerReady becomes True again, and stays True, once a new address shows success', () => {
    const edge = anIngressController().on('GCP').scoped('External').published()
    edge.later(60).cloudSays('SyncLoadBalancerFailed', quota).settle()
    edge.later(60).cloudProvides('203.0.113.77').settle()
    expect(edge.condition(ready).status).toBe('True')
    edge.later(60).settle()
    expect(edge.condition(ready).status).toBe('True')
  })

  const hour = 3600
  const clocks = [
    { operator: 5 * hour },
    { operator: -5 * hour },
    { cloud: 5 * hour },
    { cloud: -5 * hour },
    { operator: -3 * hour, cloud: 3 * hour },
  ]

  test.each(clocks)(
    'LoadBalancerReady is True again, and stays so, after a new address, and False after a new failure: %o',
    (off) => {
      const edge = anIngressController().on('GCP').scoped('External').clocksAhead(off).published()
      edge.later(60).cloudSays('SyncLoadBalancerFailed', quota).settle()
      expect(edge.condition(ready).status).toBe('False')
      edge.later(60).cloudProvides('203.0.113.77').settle()
      expect(edge.condition(ready).status).toBe('True')
      edge.later(60).settle()
      expect(edge.condition(ready).status).toBe('True')
      edge.later(60).cloudSays('SyncLoadBalancerFailed', 'something else').settle()
      expect(edge.condition(ready).message).toContain('something else')
    },
  )

  test.each(clocks)(
    'LoadBalancerReady keeps a failure whose event has expired, and drops that of a previous Service: %o',
    (off) => {
      const edge = anIngressController().on('AWS').scoped('External').clocksAhead(off).published()
      edge.later(60).cloudSays('SyncLoadBalancerFailed', quota).settle()
      edge.cloudEvents.length = 0
      edge.later(3600).settle()
      expect(edge.condition(ready).reason).toBe('SyncLoadBalancerFailed')
      edge.later(60).remove('Service').cloudRemoves().settle()
      expect(edge.condition(ready).reason).toBe('LoadBalancerPending')
    },
  )

  test('LoadBalancerReady does not report a failure that a new address overcame before either was observed', () => {
    const edge = pending().published().later(60).cloudSays('SyncLoadBalancerFailed', quota)
    edge.later(5).cloudProvides('203.0.113.77').settle()
    expect(edge.condition(ready).status).toBe('True')
    expect(edge.decide().status).toEqual(edge.controller.status)
  })

  test.each([
    ['in the second in which the address comes', 0],
    ['that comes after the address', -3],
  ])('LoadBalancerReady reports a failure %s at once, until the cloud reports success', (_, secondsLater) => {
    const edge = pending().later(60).cloudSays('SyncLoadBalancerFailed', quota)
    edge.later(secondsLater).cloudProvides('203.0.113.77')
    const { status } = edge.decide()
    expect(findCondition(status?.conditions, ready)?.reason).toBe('SyncLoadBalancerFailed')
    expect(edge.settle().status).toEqual(status)
    edge.later(5).cloudSays('EnsuredLoadBalancer').settle()
    expect(edge.condition(ready).status).toBe('True')
  })

  test('LoadBalancerReady reports a failure while only an address without nodes followed it', () => {
    const edge = pending().cloudSays('SyncLoadBalancerFailed', quota)
    edge.settle()
    edge.later(5).cloudSays('UnAvailableLoadBalancer').cloudProvides('203.0.113.77')
    const { status } = edge.decide()
    expect(findCondition(status?.conditions, ready)?.reason).toBe('SyncLoadBalancerFailed')
    expect(edge.settle().status).toEqual(status)
  })

  test('LoadBalancerReady does not report a failure again that a new address has overcome when there are no nodes', () => {
    const edge = pending().cloudSays('SyncLoadBalancerFailed', quota)
    edge.settle()
    edge.later(5).cloudProvides('203.0.113.77').settle()
    edge.later(5).cloudSays('UnAvailableLoadBalancer').settle()
    expect(edge.condition(ready).reason).toBe('LoadBalancerWithoutNodes')
    expect(edge.decide().status).toEqual(edge.controller.status)
  })

  test('LoadBalancerReady stays False if the event expires without a success', () => {
    const edge = anIngressController().on('GCP').scoped('External').published()
    edge.later(60).cloudSays('SyncLoadBalancerFailed', quota).settle()
    edge.cloudEvents.length = 0
    edge.later(3600).settle()
    expect(edge.condition(ready)).toMatchObject({ status: 'False', reason: 'SyncLoadBalancerFailed' })
    expect(edge.condition(ready).message).toContain(quota)
  })

  test('LoadBalancerReady is False while the load balancer has no nodes, although the cloud reports it as ensured', () => {
    const edge = anIngressController().on('AWS').scoped('External').published()
    edge.cloudSays('EnsuringLoadBalancer').cloudSays('UnAvailableLoadBalancer')
    edge.cloudSays('EnsuredLoadBalancer').settle()
    expect(edge.condition(ready)).toMatchObject({ status: 'False', reason: 'LoadBalancerWithoutNodes' })
    expect(edge.condition(ready).message).toContain('exclude-from-external-load-balancers')
    expect(edge.condition('Available').message).toContain('no nodes, so no traffic gets through')
    edge.later(60).cloudSays('UpdatedLoadBalancer').settle()
    expect(edge.condition(ready).status).toBe('True')
  })

  test('LoadBalancerReady stays False after the warning about nodes expires, until the cloud has synced again', () => {
    const edge = anIngressController().on('AWS').scoped('External').published()
    edge.later(60).cloudSays('UnAvailableLoadBalancer').cloudSays('EnsuredLoadBalancer').settle()
    edge.cloudEvents.splice(0, 1)
    edge.settle()
    expect(edge.condition(ready).reason).toBe('LoadBalancerWithoutNodes')
    edge.cloudEvents.length = 0
    edge.later(3600).settle()
    expect(edge.condition(ready).reason).toBe('LoadBalancerWithoutNodes')
    edge.cloudSays('EnsuringLoadBalancer').cloudSays('EnsuredLoadBalancer').settle()
    expect(edge.condition(ready).status).toBe('True')
  })

  test('LoadBalancerReady reports a failure while the cloud writes the same address again', () => {
    const edge = anIngressController().on('GCP').scoped('External').published()
    edge.later(60).cloudSays('SyncLoadBalancerFailed', quota).settle()
    const conditions = [{ type: 'Programmed', status: 'True' }]
    edge.later(60).edit('Service', { status: { conditions } }, { manager: 'cloud' }).settle()
    expect(edge.condition(ready).reason).toBe('SyncLoadBalancerFailed')
  })

  test('LoadBalancerReady drops an expired failure once a new address shows success', () => {
    const edge = anIngressController().on('GCP').scoped('External').published()
    edge.later(60).cloudSays('SyncLoadBalancerFailed', quota).settle()
    edge.cloudEvents.length = 0
    edge.later(60).cloudProvides('203.0.113.77').settle()
    expect(edge.condition(ready).status).toBe('True')
  })

  test('LoadBalancerReady keeps an expired failure from the second in which the Service was created', () => {
    const edge = pending().cloudSays('SyncLoadBalancerFailed', quota)
    edge.settle()
    edge.cloudEvents.length = 0
    edge.later(3600).settle()
    expect(edge.condition(ready).reason).toBe('SyncLoadBalancerFailed')
  })

  test.each([
    [0, 'SyncLoadBalancerFailed'],
    [-1, 'LoadBalancerPending'],
  ])(
    'LoadBalancerReady shows by its own time whether it is about this Service, where nobody keeps account of fields: %i',
    (secondsAfterService, reason) => {
      const edge = pending().cloudSays('SyncLoadBalancerFailed', quota)
      edge.settle()
      edge.cloudEvents.length = 0
      const snapshot = edge.snapshot()
      const { metadata, status } = snapshot.controller
      const service = edge.service as never
      const at = new Date(edge.server.now.getTime() + secondsAfterService * 1000).toISOString()
      const conditions = status?.conditions?.map((each) => ({ ...each, lastTransitionTime: at })) ?? []
      const { managedFields: _, ...unaccounted } = metadata
      const controller = { ...snapshot.controller, metadata: unaccounted, status: { ...status, conditions } }
      const observed = observeLoadBalancer(service, gcp)
      expect(loadBalancerReady({ state: 'settled', observed }, { ...snapshot, controller }).reason).toBe(
        reason,
      )
    },
  )

  test('LoadBalancerReady drops the lack of nodes of a Service that was replaced', () => {
    const edge = anIngressController().on('AWS').scoped('External').published()
    edge.later(60).cloudSays('UnAvailableLoadBalancer').settle()
    edge.later(60).remove('Service').cloudRemoves()
    edge.decide().actions.forEach((action) => edge.applyAction(action))
    edge.cloudProvides('a9-9.us-east-1.elb.amazonaws.com').settle()
    expect(edge.condition(ready).status).toBe('True')
  })

  test('LoadBalancerReady reports a failure rather than the lack of nodes', () => {
    const edge = anIngressController().on('AWS').scoped('External').published()
    edge.cloudSays('UnAvailableLoadBalancer').cloudSays('SyncLoadBalancerFailed', quota).settle()
    expect(edge.condition(ready).reason).toBe('SyncLoadBalancerFailed')
  })

  test('LoadBalancerReady drops the failure of a Service that was replaced', () => {
    const edge = anIngressController().on('AWS').scoped('External').published()
    edge.later(60).cloudSays('SyncLoadBalancerFailed', quota).settle()
    edge.later(60).remove('Service').cloudRemoves().settle()
    expect(edge.condition(ready).reason).toBe('LoadBalancerPending')
  })

  test('LoadBalancerReady is False, with the new error, if the cloud reports another failure', () => {
    const edge = anIngressController().on('GCP').scoped('External').published()
    edge.later(60).cloudSays('SyncLoadBalancerFailed', quota).settle()
    edge.later(5).cloudSays('EnsuredLoadBalancer').settle()
    edge.later(5).cloudSays('SyncLoadBalancerFailed', 'something else').settle()
    expect(edge.condition(ready).message).toContain('something else')
  })
})
