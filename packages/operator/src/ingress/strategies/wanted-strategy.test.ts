import { describe, expect, test } from 'vitest'
import { anIngressController } from '../../testing/a-snapshot.ts'
import { ownerLabel } from '../names.ts'
import { wantedStrategy } from './wanted-strategy.ts'

const azureInternal = 'service.beta.kubernetes.io/azure-load-balancer-internal'

describe('without a strategy in the spec', () => {
  test.each(['AWS', 'Azure', 'GCP', 'IBMCloud', 'PowerVS'])(
    'A spec without a strategy on %s defaults to an external load balancer',
    (platform) => {
      expect(wantedStrategy(anIngressController().on(platform).snapshot())).toEqual({
        type: 'LoadBalancerService',
        loadBalancer: { scope: 'External', dnsManagementPolicy: 'Managed' },
      })
    },
  )

  test.each(['OpenStack', 'BareMetal', 'VSphere', 'None', 'External'])(
    'A spec without a strategy on %s defaults to HostNetwork',
    (platform) => {
      expect(wantedStrategy(anIngressController().on(platform).snapshot())).toEqual({
        type: 'HostNetwork',
        hostNetwork: { httpPort: 80, httpsPort: 443, statsPort: 1936, protocol: 'TCP' },
      })
    },
  )

  test('A spec without a strategy has no default on an unknown platform', () => {
    expect(wantedStrategy(anIngressController().snapshot())).toBeUndefined()
  })

  test('A platform that changes does not change the strategy of an existing IngressController', () => {
    const edge = anIngressController().on('AWS').published()
    expect(wantedStrategy(edge.on('None').snapshot())?.type).toBe('LoadBalancerService')
  })
})

test.each(['NodePortService', 'Private'] as const)(
  'The strategy %s uses plain TCP unless the spec says otherwise',
  (type) => {
    const edge = anIngressController().on('None').spec({ endpointPublishingStrategy: { type } })
    const member = type === 'Private' ? 'private' : 'nodePort'
    expect(wantedStrategy(edge.snapshot())).toEqual({ type, [member]: { protocol: 'TCP' } })
    edge.spec({ endpointPublishingStrategy: { [member]: { protocol: 'PROXY' } } })
    expect(wantedStrategy(edge.snapshot())).toEqual({ type, [member]: { protocol: 'PROXY' } })
  },
)

describe('an absent field never exposes a load balancer:', () => {
  test('The scope of a Service of another owner is not kept', () => {
    const edge = anIngressController().on('AWS').scoped('Internal').published()
    edge.edit('Service', { metadata: { labels: { [ownerLabel]: 'another' } } })
    edge.edit('IngressController', { status: null }).asking({ scope: null }).settle()
    expect(edge.controller.status.endpointPublishingStrategy.loadBalancer.scope).toBe('External')
  })

  test.each(['AWS', 'Azure', 'GCP', 'IBMCloud', 'OpenStack'])(
    'An internal load balancer on %s stays internal when loadBalancer is removed from the spec',
    (platform) => {
      const edge = anIngressController().on(platform).scoped('Internal').published()
      const before = edge.service
      edge.spec({ endpointPublishingStrategy: { loadBalancer: null } }).settle()
      expect(edge.service).toBe(before)
      expect(edge.controller.status.endpointPublishingStrategy.loadBalancer.scope).toBe('Internal')
      expect(edge.condition('Progressing').status).toBe('False')
    },
  )

  test('An internal load balancer stays internal when its Service is created again', () => {
    const edge = anIngressController().on('Azure').scoped('Internal').published()
    edge.spec({ endpointPublishingStrategy: null }).settle()
    edge.remove('Service').cloudRemoves().settle()
    expect(edge.annotations[azureInternal]).toBe('true')
  })

  test.each(['External', 'Internal'] as const)(
    'An empty status of an old version is filled from the existing load balancer: %s (BZ1904582)',
    (scope) => {
      const edge = anIngressController().on('AWS').scoped(scope).published()
      const before = edge.service
      edge.spec({ endpointPublishingStrategy: { loadBalancer: null } })
      edge.edit('IngressController', { status: null }).settle()
      expect(edge.controller.status.endpointPublishingStrategy.loadBalancer.scope).toBe(scope)
      expect(edge.condition('Progressing').status).toBe('False')
      expect(edge.service).toBe(before)
    },
  )

  test('A status.loadBalancer that is set to null is only filled again (OCPBUGS-43919)', () => {
    const edge = anIngressController().on('AWS').scoped('Internal').published()
    const before = edge.service
    edge
      .edit('IngressController', { status: { endpointPublishingStrategy: { loadBalancer: null } } })
      .settle()
    expect(edge.service).toBe(before)
    expect(edge.controller.status.endpointPublishingStrategy.loadBalancer.scope).toBe('Internal')
  })
})

test('Host ports that are not set have their defaults, also in the status (BZ1997226, BZ2095229)', () => {
  const edge = anIngressController()
    .on('None')
    .spec({ endpointPublishingStrategy: { type: 'HostNetwork', hostNetwork: { httpPort: 8080 } } })
  edge.settle()
  expect(edge.controller.status.endpointPublishingStrategy.hostNetwork).toEqual({
    httpPort: 8080,
    httpsPort: 443,
    statsPort: 1936,
    protocol: 'TCP',
  })
})

test('Host ports that are set are used', () => {
  const hostNetwork = { httpPort: 8080, httpsPort: 8443, statsPort: 8936, protocol: 'PROXY' }
  const edge = anIngressController().on('None')
  edge.spec({ endpointPublishingStrategy: { type: 'HostNetwork', hostNetwork } })
  expect(edge.decide().status?.endpointPublishingStrategy?.hostNetwork).toEqual(hostNetwork)
})
