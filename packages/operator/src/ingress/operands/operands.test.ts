import { describe, expect, test } from 'vitest'
import { anIngressController } from '../../testing/a-snapshot.ts'
import { ownerLabel, routerLabel } from '../names.ts'

const onAws = () => anIngressController().on('AWS').scoped('External')

describe('the PodDisruptionBudget', () => {
  test.each([
    { replicas: undefined, maxUnavailable: '50%' },
    { replicas: 1, maxUnavailable: 1 },
    { replicas: 2, maxUnavailable: 1 },
    { replicas: 3, maxUnavailable: '25%' },
    { replicas: 8, maxUnavailable: '25%' },
  ])(
    'The PodDisruptionBudget lets $maxUnavailable of $replicas routers be unavailable',
    ({ replicas, maxUnavailable }) => {
      const edge = replicas === undefined ? onAws() : onAws().spec({ replicas })
      edge.settle()
      expect(edge.server.get('PodDisruptionBudget', 'router-edge')).toMatchObject({
        metadata: { labels: { [ownerLabel]: 'edge' } },
        spec: {
          maxUnavailable,
          unhealthyPodEvictionPolicy: 'AlwaysAllow',
          selector: { matchLabels: { [routerLabel]: 'edge' } },
        },
      })
    },
  )
})

describe('the internal Service', () => {
  const internal = 'router-internal-edge'

  test('The internal Service refers to ports by name, so that metrics survive a change of the stats port (OCPBUGS-4573)', () => {
    const edge = onAws()
    edge.settle()
    expect(edge.server.get('Service', internal)?.spec.ports).toMatchObject([
      { name: 'http', port: 80, targetPort: 'http' },
      { name: 'https', port: 443, targetPort: 'https' },
      { name: 'metrics', port: 1936, targetPort: 'metrics' },
    ])
  })

  test('The internal Service is not updated for fields that the API server defaults: cluster IPs, families, policies (BZ1936030, BZ1842742, OCPBUGS-6701)', () => {
    const edge = onAws().published()
    const before = edge.server.get('Service', internal)
    expect(before?.spec.clusterIPs).toBeDefined()
    edge.spec({ routeSelector: { matchLabels: { shard: 'a' } } }).settle()
    expect(edge.server.get('Service', internal)).toBe(before)
  })

  test('The internal Service is restored if a managed field was changed', () => {
    const edge = onAws().published()
    const before = edge.server.get('Service', internal)?.spec
    const ports = before.ports.map((port: object) => ({ ...port, targetPort: 1 }))
    edge.edit('Service', { spec: { ports } }, { name: internal }).settle()
    expect(edge.server.get('Service', internal)?.spec).toEqual(before)
  })

  test('The internal Service of another owner is left alone and reported', () => {
    const edge = onAws().published()
    edge.edit('Service', { metadata: { labels: { [ownerLabel]: 'another' } } }, { name: internal })
    const theirs = edge.server.get('Service', internal)
    edge.settle()
    expect(edge.server.get('Service', internal)).toBe(theirs)
    expect(edge.condition('OperandsManaged').message).toContain(
      'Service openshift-ingress/router-internal-edge',
    )
  })
})

describe('the Service of the load balancer', () => {
  test('The Service of the load balancer selects the routers, preserves the client address, and has the owner label', () => {
    const edge = onAws()
    edge.settle()
    expect(edge.service).toMatchObject({
      metadata: { namespace: 'openshift-ingress', name: 'router-edge', labels: { [ownerLabel]: 'edge' } },
      spec: {
        type: 'LoadBalancer',
        externalTrafficPolicy: 'Local',
        selector: { [routerLabel]: 'edge' },
        ports: [
          { name: 'http', port: 80, targetPort: 'http' },
          { name: 'https', port: 443, targetPort: 'https' },
        ],
      },
    })
  })

  test('The Service of the load balancer has no finalizer of the operator (BZ1914127)', () => {
    const edge = onAws()
    edge.settle()
    expect(edge.service.metadata.finalizers).toBeUndefined()
  })

  test.each(['IBMCloud', 'PowerVS'])(
    'The Service of the load balancer on %s has the external traffic policy Cluster',
    (platform) => {
      const edge = anIngressController().on(platform).scoped('External')
      edge.settle()
      expect(edge.service.spec.externalTrafficPolicy).toBe('Cluster')
    },
  )

  test('The Service of the load balancer on OpenShift falls back to other nodes while a router is replaced', () => {
    const edge = onAws()
    edge.settings = { ...edge.settings, commandLine: 'oc' }
    edge.settle()
    expect(edge.annotations).toHaveProperty(['traffic-policy.network.alpha.openshift.io/local-with-fallback'])
  })

  test('The Service of the load balancer on a platform without scopes has no annotations except its provenance', () => {
    const edge = anIngressController().on('BareMetal').scoped('External')
    edge.settle()
    expect(Object.keys(edge.annotations)).toEqual(['portcullis.dev/load-balancer-made-as'])
  })
})

test('Routers run as the ServiceAccount that the manifests create, not the operator', () => {
  const edge = onAws()
  edge.settle()
  expect(edge.deployment.spec.template.spec.serviceAccountName).toBe('router')
  expect(edge.server.list('ServiceAccount')).toEqual([])
})

test('Routers of an older version, which had their own ServiceAccount, get the common one', () => {
  const edge = onAws().published()
  const own = { serviceAccountName: 'router-edge', serviceAccount: 'router-edge' }
  edge.edit('Deployment', { spec: { template: { spec: own } } }, { manager: 'portcullis' }).settle()
  expect(edge.deployment.spec.template.spec.serviceAccountName).toBe('router')
})

test('Routers are not changed before their node port Service exists', () => {
  const edge = anIngressController()
    .on('None')
    .spec({ endpointPublishingStrategy: { type: 'NodePortService' } })
  const made = edge.decide().actions.find(({ kind }) => kind.kind === 'Deployment')
  const needed = made?.dependsOn.map(({ kind, ref }) => `${kind.kind} ${ref.name}`)
  expect(needed).toContain('Service router-nodeport-edge')
})
