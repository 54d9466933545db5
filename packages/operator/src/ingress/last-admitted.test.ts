import { describe, expect, test } from 'vitest'
import { ingressControllerSpec } from '../api/ingress-controller.ts'
import { anIngressController } from '../testing/a-snapshot.ts'
import type { Scene } from '../testing/scene.ts'
import { noteOfAdmitted } from './last-admitted.ts'
import { admittedSpecAnnotation, autoDeleteAnnotation, ownerLabel } from './names.ts'

const taken = 'taken.example.com'
const claimant = {
  metadata: { name: 'rival', uid: 'rival', resourceVersion: '1', creationTimestamp: '2029-01-01T00:00:00Z' },
  spec: { domain: taken },
  status: { domain: taken },
}

/** Changes the spec in a way that is refused, and otherwise as given. */
const refuse = (edge: Scene, more: object = {}) => {
  edge.others = [claimant]
  edge.spec({ domain: taken, ...more }).settle()
  expect(edge.condition('Admitted').status).toBe('False')
  return edge
}

/** In an order of its own, which no note keeps. */
const placed = {
  replicas: 3,
  defaultCertificate: { name: 'mine' },
  nodePlacement: {
    tolerations: [{ value: 'edge', operator: 'Equal', key: 'role' }],
    nodeSelector: { matchLabels: { zone: 'a', role: 'edge' } },
  },
  httpHeaders: { forwardedHeaderPolicy: 'Never' },
  namespaceSelector: { matchLabels: { zone: 'a', shard: 'a' } },
  routeSelector: { matchExpressions: [{ key: 'shard', operator: 'Exists' }] },
}
const forgotten = Object.fromEntries(Object.keys(placed).map((field) => [field, null]))

const onAws = () => anIngressController().on('AWS').scoped('Internal').spec(placed)

/** All that was made, without what only the moment of its making says. */
const made = ({ server }: Scene) =>
  [
    ['Service', 'router-edge'],
    ['Service', 'router-internal-edge'],
    ['Deployment', 'router-edge'],
    ['PodDisruptionBudget', 'router-edge'],
    ['IngressClass', 'portcullis-edge'],
  ].map(([kind = '', name = '']) => {
    const { metadata, spec } = server.get(kind, name) ?? { metadata: { labels: 'missing' } }
    return { kind, name, labels: metadata.labels, annotations: metadata.annotations, spec }
  })

describe('a controller that is refused', () => {
  test('A controller that is refused changes nothing, whatever else its spec requests', () => {
    const edge = onAws().published()
    const before = made(edge)
    refuse(edge, forgotten).scoped('External').settle()
    expect(made(edge)).toEqual(before)
    expect(edge.decide().actions).toEqual([])
  })

  test.each([
    ['Service', 'router-edge'],
    ['Service', 'router-internal-edge'],
    ['Deployment', 'router-edge'],
    ['PodDisruptionBudget', 'router-edge'],
    ['IngressClass', 'portcullis-edge'],
  ])('A controller that is refused gets the %s %s back as it was after a deletion', (kind, name) => {
    const edge = onAws().published()
    const before = made(edge)
    refuse(edge, forgotten).remove(kind, name)
    if (name === 'router-edge' && kind === 'Service') edge.cloudRemoves()
    edge.settle()
    expect(made(edge)).toEqual(before)
  })

  test('A controller that is refused has its routers restored after an edit', () => {
    const edge = onAws().published()
    const before = edge.deployment.spec
    refuse(edge, forgotten)
      .edit('Deployment', { spec: { replicas: 9, template: { spec: { nodeSelector: { zone: 'b' } } } } })
      .settle()
    expect(edge.deployment.spec).toEqual(before)
  })

  test('A controller that is refused reports that its load balancer is gone when it is, and that it is back when it is', () => {
    const edge = refuse(onAws().published())
    edge.remove('Service').settle()
    expect(edge.condition('LoadBalancerReady')).toMatchObject({
      status: 'False',
      reason: 'ServiceBeingDeleted',
    })
    expect(edge.condition('Published').status).toBe('False')
    expect(edge.condition('Available').status).toBe('False')
    expect(edge.condition('Progressing').status).toBe('True')
    edge.cloudRemoves().settle()
    expect(edge.condition('LoadBalancerReady').reason).toBe('LoadBalancerPending')
    edge.cloudProvides('internal-a9-9.us-east-1.elb.amazonaws.com').settle()
    expect(edge.condition('LoadBalancerReady').status).toBe('True')
    expect(edge.condition('Published').message).toBe('internal-a9-9.us-east-1.elb.amazonaws.com')
    expect(edge.condition('Available').status).toBe('True')
    expect(edge.condition('Progressing').status).toBe('False')
    expect(edge.condition('Degraded').message).toContain('Admitted=False (DomainHeld)')
  })

  test('A controller that is refused speaks of the spec as it is, and keeps what it was last admitted with in its status', () => {
    const edge = onAws().published()
    const { domain, endpointPublishingStrategy, namespaceSelector, routeSelector } = edge.controller.status
    refuse(edge, forgotten).scoped('External').settle()
    expect(edge.controller.status).toMatchObject({
      observedGeneration: edge.controller.metadata.generation,
      domain,
      endpointPublishingStrategy,
      namespaceSelector,
      routeSelector,
    })
  })

  test('A controller that is refused deletes nothing, though it is annotated: the consent is to what is refused', () => {
    const edge = anIngressController().on('AWS').scoped('External').published().scoped('Internal')
    edge.settle()
    expect(edge.condition('LoadBalancerProgressing').reason).toBe('ScopeChanged')
    refuse(edge.annotated({ [autoDeleteAnnotation]: '' }))
    expect(edge.service.metadata.deletionTimestamp).toBeUndefined()
    expect(edge.condition('LoadBalancerProgressing').reason).toBe('ScopeChanged')
    edge.spec({ domain: null }).settle()
    expect(edge.service.metadata.deletionTimestamp).toBeDefined()
  })

  test('A controller that is refused keeps node ports that would go, until it is admitted', () => {
    const edge = anIngressController()
      .on('None')
      .spec({ endpointPublishingStrategy: { type: 'NodePortService' } })
    edge.settle()
    edge.others = [claimant]
    edge.spec({ domain: taken, endpointPublishingStrategy: { type: 'Private' } }).settle()
    expect(edge.server.get('Service', 'router-nodeport-edge')).toBeDefined()
    edge.spec({ domain: null }).settle()
    expect(edge.server.get('Service', 'router-nodeport-edge')).toBeUndefined()
  })
})

describe('if the platform is no longer known', () => {
  const lost = (edge: Scene) => {
    edge.platform = { problem: 'The platform of the cluster cannot be determined: nobody said.' }
    return edge
  }

  test('The routers of a load balancer stay as they are if the platform is no longer known, and their state is reported', () => {
    const edge = onAws().published()
    const before = made(edge)
    lost(edge).settle()
    expect(edge.condition('Admitted').status).toBe('False')
    expect(edge.condition('Available').status).toBe('True')
    edge.remove('PodDisruptionBudget').settle()
    expect(made(edge)).toEqual(before)
  })

  test('A missing load balancer is reported as missing, and not as being created, if the platform is no longer known', () => {
    const edge = lost(onAws().published())
    edge.remove('Service').cloudRemoves().settle()
    expect(edge.condition('LoadBalancerReady')).toMatchObject({ status: 'False', reason: 'ServiceNotFound' })
    expect(edge.condition('LoadBalancerProgressing').status).toBe('False')
    expect(edge.condition('Published').status).toBe('False')
    expect(edge.condition('Available').status).toBe('False')
  })
})

test('Routers without a load balancer are restored on any platform while the spec is refused', () => {
  const edge = anIngressController()
    .spec({ endpointPublishingStrategy: { type: 'Private' } })
    .published()
  refuse(edge)
    .edit('Deployment', { spec: { minReadySeconds: 0 } })
    .settle()
  expect(edge.deployment.spec.minReadySeconds).toBe(30)
})

describe('the last-admitted annotation', () => {
  test('The last-admitted annotation has every field of the spec that is not in the status', () => {
    const inStatus = ['domain', 'endpointPublishingStrategy', 'namespaceSelector', 'routeSelector']
    const noted = JSON.parse(noteOfAdmitted(placed as never)[admittedSpecAnnotation] ?? '')
    expect([...inStatus, ...Object.keys(noted)].toSorted()).toEqual(
      Object.keys(ingressControllerSpec.shape).toSorted(),
    )
  })

  test('The last-admitted annotation is empty where it would be too long for an annotation', () => {
    const tolerations = Array.from({ length: 2000 }, (_, at) => ({ key: `k${at}`, operator: 'Exists' }))
    expect(noteOfAdmitted({ nodePlacement: { tolerations } })).toEqual({ [admittedSpecAnnotation]: '' })
  })

  test.each([
    '',
    'null',
    '[]',
    '{"replicas":"many"}',
    '{"nodePlacement":5}',
    '{"nodePlacement":{"tolerations":[{"key":"a b"}]}}',
  ])('The last-admitted annotation is not believed where it is %s: the routers stay as they are', (note) => {
    const edge = onAws().published()
    const annotations = { [admittedSpecAnnotation]: note }
    edge
      .edit('Deployment', { metadata: { annotations } })
      .edit('Service', { metadata: { annotations } }, { name: 'router-internal-edge' })
    const before = edge.deployment
    refuse(edge, forgotten)
    expect(edge.deployment).toBe(before)
    edge.remove('PodDisruptionBudget').settle()
    expect(edge.server.get('PodDisruptionBudget', 'router-edge')).toBeDefined()
  })

  const forged = JSON.stringify({ replicas: 7, defaultCertificate: { name: 'other-tenants-key' } })
  const forge = (edge: Scene, kind: 'Deployment' | 'Service', note: string) =>
    edge.edit(
      kind,
      { metadata: { annotations: { [admittedSpecAnnotation]: note } } },
      kind === 'Service' ? { name: 'router-internal-edge' } : {},
    )

  test('The last-admitted annotation on the Service does not change existing routers', () => {
    const edge = onAws().published()
    const before = edge.deployment.spec
    forge(refuse(edge, forgotten), 'Service', forged).settle()
    expect(edge.deployment.spec).toEqual(before)
    expect(made(edge).map(({ annotations }) => annotations?.[admittedSpecAnnotation])).not.toContain(forged)
  })

  test('The last-admitted annotation on the Service is not believed while the one on the Deployment is not: the routers stay as they are', () => {
    const edge = onAws().published()
    forge(forge(refuse(edge, forgotten), 'Service', forged), 'Deployment', '')
    const before = edge.deployment
    edge.settle()
    expect(edge.deployment).toBe(before)
  })

  test('The last-admitted annotation is not believed on a Service that is not ours', () => {
    const edge = forge(refuse(onAws().published(), { replicas: 5 }), 'Service', forged)
    edge.edit('Service', { metadata: { labels: { [ownerLabel]: null } } }, { name: 'router-internal-edge' })
    edge.remove('Deployment').settle()
    expect(edge.deployment.spec.replicas).toBe(5)
  })

  const tooMany = JSON.stringify({ ...placed, replicas: 100_000 })

  test('The last-admitted annotation is not believed on the Deployment where it has more replicas than are allowed: the routers stay as they are', () => {
    const edge = forge(refuse(onAws().published(), forgotten), 'Deployment', tooMany)
    const before = edge.deployment
    edge.settle()
    expect(edge.deployment).toBe(before)
    expect(edge.deployment.spec.replicas).toBe(3)
  })

  test('The last-admitted annotation is not believed on the Service where it has more replicas than are allowed: the routers come back as the spec has them', () => {
    const edge = forge(refuse(onAws().published(), { replicas: 5 }), 'Service', tooMany)
    edge.remove('Deployment').settle()
    expect(edge.deployment.spec.replicas).toBe(5)
  })

  test('The routers do not come back with the replicas that are refused where the last-admitted annotation went with them', () => {
    const edge = onAws().published().spec({ replicas: 100_000 })
    edge.settle()
    expect(edge.condition('Admitted').status).toBe('False')
    edge.remove('Deployment').remove('Service', 'router-internal-edge').settle()
    expect(edge.server.get('Deployment', 'router-edge')).toBeUndefined()
    expect(edge.condition('Available')).toMatchObject({
      status: 'False',
      message: 'No routers are deployed.',
    })
    edge.spec({ replicas: 3 }).settle()
    expect(edge.deployment.spec.replicas).toBe(3)
  })

  test('The routers come back as the spec has them where the last-admitted annotation went with them, unless that is what is refused', () => {
    const edge = refuse(onAws().published(), { replicas: 5 })
    edge.remove('Deployment').remove('Service', 'router-internal-edge').settle()
    expect(edge.deployment.spec.replicas).toBe(5)
    edge.spec({ nodePlacement: { tolerations: [{ key: 'a b', operator: 'Exists' }] } }).settle()
    edge.remove('Deployment').remove('Service', 'router-internal-edge').settle()
    expect(edge.server.get('Deployment', 'router-edge')).toBeUndefined()
    expect(edge.condition('Available')).toMatchObject({
      status: 'False',
      message: 'No routers are deployed.',
    })
  })
})

test('A controller that was never admitted reports that it is published nowhere', () => {
  const edge = anIngressController().on('AWS')
  refuse(edge)
  expect(edge.condition('Published')).toMatchObject({ status: 'False', reason: 'NoAddress' })
  expect(edge.condition('Available').status).toBe('False')
  expect(edge.condition('Progressing').status).toBe('False')
  expect(edge.decide().actions).toEqual([])
})

test('A controller that was never admitted gets no routers beyond what is allowed, whatever its status says', () => {
  const edge = anIngressController().on('AWS').spec({ replicas: 100_000 })
  edge.edit('IngressController', {
    status: { domain: 'a.example.com', endpointPublishingStrategy: { type: 'Private' } },
  })
  edge.settle()
  expect(edge.condition('Admitted').status).toBe('False')
  expect(edge.server.get('Deployment', 'router-edge')).toBeUndefined()
})

test('A controller that comes after another of its name, which left its load balancer, reports where that is reached', () => {
  const edge = onAws().published()
  edge.edit('IngressController', { status: null }, { manager: 'portcullis' })
  refuse(edge)
  expect(edge.condition('Published').message).toBe('internal-a1b2-17.us-east-1.elb.amazonaws.com')
  expect(edge.decide().actions).toEqual([])
})

test('The last-admitted annotation is the same in whatever order the fields of a spec come', () => {
  const toleration = { key: 'edge', operator: 'Exists' } as const
  const reversed = { operator: 'Exists', key: 'edge' } as const
  expect(noteOfAdmitted({ nodePlacement: { tolerations: [toleration] }, replicas: 2 })).toEqual(
    noteOfAdmitted({ replicas: 2, nodePlacement: { tolerations: [reversed] } }),
  )
})
