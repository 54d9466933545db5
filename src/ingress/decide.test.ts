import { describe, expect, test } from 'vitest'
import { anIngressController } from '../../test/ingress/a-snapshot.ts'
import { finalizer } from './names.ts'

const onAws = () => anIngressController().on('AWS').scoped('External')

describe('a new controller', () => {
  test('is made in this order: our finalizer first, what takes traffic last', () => {
    const writes = onAws()
      .decide()
      .actions.map((action) => `${action.do} ${action.kind.kind}`)
    expect(writes[0]).toBe('update IngressController')
    expect(writes.at(-1)).toBe('create Service')
    expect(writes).toEqual(
      expect.arrayContaining(['create ServiceAccount', 'create Deployment', 'create PodDisruptionBudget']),
    )
  })

  test('keeps the finalizers that it has', () => {
    const edge = onAws().edit('IngressController', { metadata: { finalizers: ['example.com/mine'] } })
    edge.settle()
    expect(edge.controller.metadata.finalizers).toEqual(['example.com/mine', finalizer])
  })

  test('is not available before its routers and its load balancer are', () => {
    const edge = onAws()
    edge.settle()
    expect(edge.condition('Available').status).toBe('False')
    edge.cloudProvides('a1-2.us-east-1.elb.amazonaws.com').settle()
    expect(edge.condition('Available').status).toBe('False')
    edge.routersRun().settle()
    expect(edge.condition('Available').status).toBe('True')
  })
})

describe('the status', () => {
  test('shows what is wanted with every default filled in, and how to find the routers', () => {
    const edge = anIngressController().on('AWS').published()
    expect(edge.controller.status).toMatchObject({
      domain: 'apps.example.com',
      endpointPublishingStrategy: {
        type: 'LoadBalancerService',
        loadBalancer: { scope: 'External', dnsManagementPolicy: 'Managed' },
      },
      selector: 'ingresscontroller.operator.openshift.io/deployment-ingresscontroller=edge',
      availableReplicas: 2,
      observedGeneration: edge.controller.metadata.generation,
    })
  })

  test('keeps conditions and fields that others wrote', () => {
    const edge = onAws().published()
    const theirs = { type: 'example.com/Audited', status: 'True', lastTransitionTime: '2029-01-01T00:00:00Z' }
    edge.edit('IngressController', {
      status: {
        tlsProfile: { minTLSVersion: 'x' },
        conditions: [...edge.controller.status.conditions, theirs],
      },
    })
    edge.scoped('Internal').settle()
    expect(edge.controller.status.tlsProfile).toEqual({ minTLSVersion: 'x' })
    expect(edge.controller.status.conditions).toContainEqual(theirs)
  })

  test('is the same a second later: nothing is written while nothing changes', () => {
    const edge = onAws().published()
    const before = edge.controller
    edge.later(3600).settle()
    expect(edge.controller).toBe(before)
    expect(edge.decide().lookAgainAt).toBeUndefined()
  })

  test('keeps the times of conditions whose status stays', () => {
    const edge = onAws().published()
    edge.later(60).scoped('Internal').settle()
    expect(edge.condition('Available').lastTransitionTime).toBe('2030-01-01T00:00:00Z')
    expect(edge.condition('Progressing').lastTransitionTime).toBe('2030-01-01T00:01:00Z')
  })

  test('forgets what was said of a load balancer when there is to be none', () => {
    const edge = onAws().published()
    edge.spec({ endpointPublishingStrategy: { type: 'Private', loadBalancer: null } })
    edge.remove('Service').cloudRemoves().settle()
    expect(() => edge.condition('LoadBalancerReady')).toThrow()
    expect(edge.condition('LoadBalancerManaged').status).toBe('False')
  })
})

test('a load balancer that does not come is degraded after 90 seconds, and that is when to look again', () => {
  const edge = onAws()
  edge.settle()
  edge.routersRun()
  expect(edge.settle().lookAgainAt).toEqual(new Date('2030-01-01T00:01:30Z'))
  edge.later(90).settle()
  expect(edge.condition('Degraded')).toMatchObject({ status: 'True', reason: 'DegradedConditions' })
  expect(edge.condition('Degraded').message).toContain('LoadBalancerReady=False (LoadBalancerPending)')
})
