import { describe, expect, test } from 'vitest'
import { anIngressController } from '../testing/a-snapshot.ts'
import { admittedSpecAnnotation, autoDeleteAnnotation, finalizer } from './names.ts'

const onAws = () => anIngressController().on('AWS').scoped('External')

describe('a new controller', () => {
  test('A new controller is created in order: the finalizer first, the Service last', () => {
    const writes = onAws()
      .decide()
      .actions.map((action) => `${action.do} ${action.kind.kind}`)
    expect(writes[0]).toBe('update IngressController')
    expect(writes.at(-1)).toBe('create Service')
    expect(writes).toEqual(expect.arrayContaining(['create Deployment', 'create PodDisruptionBudget']))
  })

  test('A new controller keeps its existing finalizers', () => {
    const edge = onAws().edit('IngressController', { metadata: { finalizers: ['example.com/mine'] } })
    edge.settle()
    expect(edge.controller.metadata.finalizers).toEqual(['example.com/mine', finalizer])
  })

  test('A new controller is not available before its routers and its load balancer are', () => {
    const edge = onAws()
    edge.settle()
    expect(edge.condition('Available').status).toBe('False')
    expect(edge.controller.status.availableReplicas).toBe(0)
    edge.cloudProvides('a1-2.us-east-1.elb.amazonaws.com').settle()
    expect(edge.condition('Available').status).toBe('False')
    edge.routersRun().settle()
    expect(edge.condition('Available').status).toBe('True')
  })
})

describe('the status', () => {
  test('The status shows what is wanted with every default filled in, and how to find the routers', () => {
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

  test('The status shows the selectors that are asked for, and none that are not', () => {
    const selectors = {
      namespaceSelector: { matchLabels: { shard: 'a' } },
      routeSelector: { matchLabels: { tier: 'b' } },
    }
    expect(onAws().spec(selectors).decide().status).toMatchObject(selectors)
    const { status } = onAws().decide()
    for (const field of Object.keys(selectors)) expect(status).not.toHaveProperty(field)
  })

  test('The status keeps conditions and fields that others wrote', () => {
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

  test('The status is not rewritten while nothing changes', () => {
    const edge = onAws().published()
    const before = edge.controller
    edge.later(3600).settle()
    expect(edge.controller).toBe(before)
    expect(edge.decide().requeueAt).toBeUndefined()
  })

  test('The status keeps the times of conditions whose status stays', () => {
    const edge = onAws().published()
    edge.later(60).scoped('Internal').settle()
    expect(edge.condition('Available').lastTransitionTime).toBe('2030-01-01T00:00:00Z')
    expect(edge.condition('Progressing').lastTransitionTime).toBe('2030-01-01T00:01:00Z')
  })

  test('The status drops the load balancer conditions if the strategy has none', () => {
    const edge = onAws().published()
    edge.spec({ endpointPublishingStrategy: { type: 'Private', loadBalancer: null } })
    edge.remove('Service').cloudRemoves().settle()
    expect(() => edge.condition('LoadBalancerReady')).toThrow()
    expect(edge.condition('LoadBalancerManaged').status).toBe('False')
  })
})

describe('while the spec is refused', () => {
  test('Routers without a load balancer are restored on any platform while the spec is refused', () => {
    const edge = anIngressController()
      .spec({ endpointPublishingStrategy: { type: 'Private' } })
      .published()
    edge
      .spec({ replicas: 5000 })
      .edit('Deployment', { spec: { minReadySeconds: 0 } })
      .settle()
    expect(edge.deployment.spec.minReadySeconds).toBe(30)
  })

  const internal = 'router-internal-edge'

  test('Routers and their internal Service are restored to the last admitted spec while the spec is refused', () => {
    const edge = onAws().published().spec({ replicas: 5000 })
    edge
      .edit('Deployment', { spec: { minReadySeconds: 0 } })
      .remove('Service', internal)
      .settle()
    expect(edge.deployment.spec.minReadySeconds).toBe(30)
    expect(edge.server.get('Service', internal)).toBeDefined()
  })

  test('Routers and their internal Service are left alone if the last admitted spec is unknown', () => {
    const edge = onAws().published().spec({ replicas: 5000 })
    edge.edit('Deployment', {
      metadata: { annotations: { [admittedSpecAnnotation]: '' } },
      spec: { minReadySeconds: 0 },
    })
    edge.remove('Service', internal).settle()
    expect(edge.deployment.spec.minReadySeconds).toBe(0)
    expect(edge.server.get('Service', internal)).toBeUndefined()
  })

  test('Routers of a load balancer are left alone if the platform is no longer known', () => {
    const edge = onAws().published()
    edge.platform = { problem: 'gone' }
    edge.edit('Deployment', { spec: { minReadySeconds: 0 } }).settle()
    expect(edge.deployment.spec.minReadySeconds).toBe(0)
  })

  test('Other operands are restored if the last admitted spec is unknown', () => {
    const edge = onAws().published().spec({ replicas: 5000 })
    edge.edit('Deployment', { metadata: { annotations: { [admittedSpecAnnotation]: '' } } })
    edge.remove('PodDisruptionBudget').settle()
    expect(edge.server.get('PodDisruptionBudget', 'router-edge')).toBeDefined()
  })
})

test('No readiness is reported for an orphaned load balancer', () => {
  const edge = onAws().published()
  edge.spec({ endpointPublishingStrategy: { type: 'Private', loadBalancer: null } }).settle()
  expect(edge.service.metadata.deletionTimestamp).toBeUndefined()
  expect(() => edge.condition('LoadBalancerReady')).toThrow('There is no condition')
})

test('Every write depends on the finalizer, and a deletion on the routers, which know the source ranges', () => {
  const edge = onAws()
    .published()
    .annotated({ [autoDeleteAnnotation]: '' })
    .scoped('Internal')
  edge.remove('PodDisruptionBudget')
  const dependencies = edge
    .decide()
    .actions.map((action) => [action.do, action.dependsOn.map(({ kind, ref }) => `${kind.kind} ${ref.name}`)])
  expect(Object.fromEntries(dependencies)).toEqual({
    create: ['IngressController edge'],
    delete: ['IngressController edge', 'Deployment router-edge'],
  })
})

test('A load balancer that is not provisioned degrades the controller after 90 seconds, when it is requeued', () => {
  const edge = onAws()
  edge.settle()
  edge.routersRun()
  expect(edge.settle().requeueAt).toEqual(new Date('2030-01-01T00:01:30Z'))
  edge.later(90).settle()
  expect(edge.condition('Degraded')).toMatchObject({ status: 'True', reason: 'DegradedConditions' })
  expect(edge.condition('Degraded').message).toContain('LoadBalancerReady=False (LoadBalancerPending)')
})
