import { describe, expect, test } from 'vitest'
import { anIngressController } from '../../testing/a-snapshot.ts'
import { keptSourceRangesAnnotation, ownerLabel, routerLabel } from '../names.ts'
import { platformNamed } from '../platforms/platforms.ts'
import type { Settings } from '../settings.ts'
import { readProvenance } from '../strategies/provenance.ts'
import { loadBalancerService } from './load-balancer-service.ts'

type Strategy = Parameters<typeof loadBalancerService>[1]['strategy']

interface ServiceOptions {
  readonly platform?: string
  readonly type?: string
  readonly commandLine?: Settings['commandLine']
  /** Source ranges that a user had set on the Service before. */
  readonly kept?: string
}

function made(strategy: Partial<Strategy> = {}, options: ServiceOptions = {}) {
  const { platform: name = 'AWS', type, commandLine = 'kubectl', kept } = options
  const platform = platformNamed(name)
  if (platform === undefined) throw new Error(`There is no platform ${name}.`)
  const { controller, settings, operands } = anIngressController().snapshot()
  const annotations = { ...(kept && { [keptSourceRangesAnnotation]: kept }) }
  const deployment = { metadata: { name: 'router-edge', uid: '1', resourceVersion: '1', annotations } }
  const snapshot = {
    controller,
    settings: { ...settings, commandLine },
    operands: { ...operands, deployment },
  }
  return loadBalancerService(snapshot, {
    strategy: { scope: 'External', dnsManagementPolicy: 'Managed', ...strategy },
    platform,
    type,
  })
}

test('A new Service has both ports, the selector of the routers and the labels of the IngressController', () => {
  const { metadata, spec, ...rest } = made()
  expect(rest).toEqual({ apiVersion: 'v1', kind: 'Service' })
  expect(metadata.labels).toEqual({ app: 'router', router: 'router-edge', [ownerLabel]: 'edge' })
  expect(spec).toEqual({
    type: 'LoadBalancer',
    externalTrafficPolicy: 'Local',
    selector: { [routerLabel]: 'edge' },
    ports: [
      { name: 'http', protocol: 'TCP', port: 80, targetPort: 'http' },
      { name: 'https', protocol: 'TCP', port: 443, targetPort: 'https' },
    ],
  })
})

test.each([
  { scope: 'External', type: undefined, note: { scope: 'External' } },
  { scope: 'Internal', type: 'NLB', note: { scope: 'Internal', type: 'NLB' } },
] as const)('A new Service is noted with the scope and the type that are wanted: $note', (wanted) => {
  const { scope, type, note } = wanted
  expect(readProvenance(made({ scope }, type && { type }).metadata.annotations)).toEqual(note)
})

describe('source ranges', () => {
  test.each([
    { asked: undefined, kept: undefined, ranges: undefined, areKept: undefined },
    { asked: [], kept: undefined, ranges: undefined, areKept: undefined },
    { asked: ['192.0.2.0/24'], kept: undefined, ranges: ['192.0.2.0/24'], areKept: undefined },
    { asked: ['192.0.2.0/24'], kept: '10.0.0.0/8', ranges: ['192.0.2.0/24'], areKept: undefined },
    {
      asked: undefined,
      kept: '10.0.0.0/8,10.1.0.0/16',
      ranges: ['10.0.0.0/8', '10.1.0.0/16'],
      areKept: true,
    },
    { asked: [], kept: '10.0.0.0/8', ranges: ['10.0.0.0/8'], areKept: true },
  ])(
    'Source ranges of the spec, $asked, take precedence over those of a user, $kept',
    ({ asked, kept, ranges, areKept }) => {
      const { metadata, spec } = made(asked && { allowedSourceRanges: asked }, kept ? { kept } : {})
      expect(spec?.loadBalancerSourceRanges).toEqual(ranges)
      expect(readProvenance(metadata.annotations)?.keptSourceRanges).toBe(areKept)
    },
  )
})

describe('the access of clients', () => {
  const key = 'networking.gke.io/internal-load-balancer-allow-global-access'

  test.each([
    { platform: 'GCP', scope: 'Internal', clientAccess: 'Global', value: 'true' },
    { platform: 'GCP', scope: 'Internal', clientAccess: 'Local', value: 'false' },
    { platform: 'GCP', scope: 'Internal', clientAccess: undefined, value: undefined },
    { platform: 'GCP', scope: 'External', clientAccess: 'Global', value: undefined },
    { platform: 'AWS', scope: 'Internal', clientAccess: 'Global', value: undefined },
  ] as const)(
    'Client access $clientAccess to a load balancer on $platform that is $scope is asked for by $value',
    (claim) => {
      const { platform, scope, clientAccess, value } = claim
      const gcp = { ...(clientAccess && { clientAccess }) }
      const { annotations } = made({ scope, providerParameters: { type: 'GCP', gcp } }, { platform }).metadata
      expect(annotations?.[key]).toBe(value)
      expect(Object.keys(annotations ?? {}).includes(key)).toBe(value !== undefined)
    },
  )
})

test.each([
  { commandLine: 'oc', platform: 'AWS', value: '' },
  { commandLine: 'oc', platform: 'IBMCloud', value: undefined },
  { commandLine: 'kubectl', platform: 'AWS', value: undefined },
] as const)(
  'A load balancer on $platform, where people use $commandLine, has the local policy fall back: $value',
  (claim) => {
    const { value, ...options } = claim
    const { annotations } = made({}, options).metadata
    expect(annotations?.['traffic-policy.network.alpha.openshift.io/local-with-fallback']).toBe(value)
  },
)
