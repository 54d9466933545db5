import { describe, expect, test } from 'vitest'
import { anIngressController } from '../../testing/a-snapshot.ts'
import { ownerLabel } from '../names.ts'
import { wantedStrategy } from './wanted-strategy.ts'

const azureInternal = 'service.beta.kubernetes.io/azure-load-balancer-internal'

describe('where the spec says nothing', () => {
  test.each(['AWS', 'Azure', 'GCP', 'IBMCloud', 'PowerVS'])(
    '%s gets an external load balancer',
    (platform) => {
      expect(wantedStrategy(anIngressController().on(platform).snapshot())).toEqual({
        type: 'LoadBalancerService',
        loadBalancer: { scope: 'External', dnsManagementPolicy: 'Managed' },
      })
    },
  )

  test.each(['OpenStack', 'BareMetal', 'VSphere', 'None', 'External'])(
    '%s gets ports of the nodes',
    (platform) => {
      expect(wantedStrategy(anIngressController().on(platform).snapshot())).toEqual({
        type: 'HostNetwork',
        hostNetwork: { httpPort: 80, httpsPort: 443, statsPort: 1936, protocol: 'TCP' },
      })
    },
  )

  test('an unknown platform decides nothing', () => {
    expect(wantedStrategy(anIngressController().snapshot())).toBeUndefined()
  })

  test('a platform that turns out to be another does not change the strategy of a live controller', () => {
    const edge = anIngressController().on('AWS').published()
    expect(wantedStrategy(edge.on('None').snapshot())?.type).toBe('LoadBalancerService')
  })
})

test.each(['NodePortService', 'Private'] as const)('%s speaks plain TCP unless told otherwise', (type) => {
  const edge = anIngressController().on('None').spec({ endpointPublishingStrategy: { type } })
  const member = type === 'Private' ? 'private' : 'nodePort'
  expect(wantedStrategy(edge.snapshot())).toEqual({ type, [member]: { protocol: 'TCP' } })
  edge.spec({ endpointPublishingStrategy: { [member]: { protocol: 'PROXY' } } })
  expect(wantedStrategy(edge.snapshot())).toEqual({ type, [member]: { protocol: 'PROXY' } })
})

describe('absence never exposes', () => {
  test('but the scope of somebody else’s Service is nothing to keep', () => {
    const edge = anIngressController().on('AWS').scoped('Internal').published()
    edge.edit('Service', { metadata: { labels: { [ownerLabel]: 'another' } } })
    edge.edit('IngressController', { status: null }).asking({ scope: null }).settle()
    expect(edge.controller.status.endpointPublishingStrategy.loadBalancer.scope).toBe('External')
  })

  test.each(['AWS', 'Azure', 'GCP', 'IBMCloud', 'OpenStack'])(
    'on %s an internal load balancer stays internal when loadBalancer is removed from the spec',
    (platform) => {
      const edge = anIngressController().on(platform).scoped('Internal').published()
      const before = edge.service
      edge.spec({ endpointPublishingStrategy: { loadBalancer: null } }).settle()
      expect(edge.service).toBe(before)
      expect(edge.controller.status.endpointPublishingStrategy.loadBalancer.scope).toBe('Internal')
      expect(edge.condition('Progressing').status).toBe('False')
    },
  )

  test('it stays internal also when its Service has to be made anew', () => {
    const edge = anIngressController().on('Azure').scoped('Internal').published()
    edge.spec({ endpointPublishingStrategy: null }).settle()
    edge.remove('Service').cloudRemoves().settle()
    expect(edge.annotations[azureInternal]).toBe('true')
  })

  test.each(['External', 'Internal'] as const)(
    'a status that an old version left empty is filled from what is there: %s (BZ1904582)',
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

  test('somebody nulls status.loadBalancer: nothing happens but that it is filled again (OCPBUGS-43919)', () => {
    const edge = anIngressController().on('AWS').scoped('Internal').published()
    const before = edge.service
    edge
      .edit('IngressController', { status: { endpointPublishingStrategy: { loadBalancer: null } } })
      .settle()
    expect(edge.service).toBe(before)
    expect(edge.controller.status.endpointPublishingStrategy.loadBalancer.scope).toBe('Internal')
  })
})

test('host ports that are not set have their defaults, in the status too (BZ1997226, BZ2095229)', () => {
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

test('host ports that are set are taken', () => {
  const hostNetwork = { httpPort: 8080, httpsPort: 8443, statsPort: 8936, protocol: 'PROXY' }
  const edge = anIngressController().on('None')
  edge.spec({ endpointPublishingStrategy: { type: 'HostNetwork', hostNetwork } })
  expect(edge.decide().status?.endpointPublishingStrategy?.hostNetwork).toEqual(hostNetwork)
})
