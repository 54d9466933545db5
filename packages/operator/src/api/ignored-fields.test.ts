import { expect, test } from 'vitest'
import { ignoredFields } from './ignored-fields.ts'

/** A spec with fields that the types do not know, as users of OpenShift write them. */
const ignoredOf = (spec: object) => ignoredFields(spec)

test('An absent spec has no ignored fields', () => {
  expect(ignoredFields(undefined)).toEqual([])
  expect(ignoredFields({})).toEqual([])
})

test('Fields that the operator supports are not listed', () => {
  expect(
    ignoredFields({
      domain: 'apps.example.com',
      replicas: 3,
      endpointPublishingStrategy: {
        type: 'LoadBalancerService',
        loadBalancer: {
          scope: 'Internal',
          dnsManagementPolicy: 'Unmanaged',
          allowedSourceRanges: ['198.51.100.0/24'],
          providerParameters: { type: 'GCP', aws: { type: 'NLB' }, gcp: { clientAccess: 'Global' } },
        },
        hostNetwork: { httpPort: 8080, httpsPort: 8443, statsPort: 8936, protocol: 'PROXY' },
        nodePort: { protocol: 'TCP' },
        private: { protocol: 'TCP' },
      },
      defaultCertificate: { name: 'certificate' },
      namespaceSelector: { matchLabels: { team: 'blue' } },
      routeSelector: { matchExpressions: [{ key: 'shard', operator: 'Exists' }] },
      nodePlacement: { nodeSelector: { matchLabels: { infra: '' } }, tolerations: [{ operator: 'Exists' }] },
      httpHeaders: { forwardedHeaderPolicy: 'Never' },
    }),
  ).toEqual([])
})

test.each<[string, object, string[]]>([
  ['by itself', { haproxyVersion: '3.2' }, ['spec.haproxyVersion']],
  ['even if it is false', { futureSwitch: false }, ['spec.futureSwitch']],
  [
    'once, however much is set in it',
    { tuningOptions: { threadCount: 8, maxConnections: -1 } },
    ['spec.tuningOptions'],
  ],
  [
    'alone, where its parent is acted on in part',
    { httpHeaders: { forwardedHeaderPolicy: 'Append', uniqueId: { name: 'x-id' } } },
    ['spec.httpHeaders.uniqueId'],
  ],
  [
    'deep inside a strategy',
    {
      endpointPublishingStrategy: {
        type: 'LoadBalancerService',
        loadBalancer: {
          scope: 'External',
          providerParameters: {
            type: 'AWS',
            aws: { type: 'NLB', networkLoadBalancer: { protocol: 'PROXY' } },
            ibm: { protocol: 'PROXY' },
          },
        },
      },
    },
    [
      'spec.endpointPublishingStrategy.loadBalancer.providerParameters.aws.networkLoadBalancer',
      'spec.endpointPublishingStrategy.loadBalancer.providerParameters.ibm',
    ],
  ],
  [
    'in the order of the alphabet',
    {
      logging: { access: { destination: { type: 'Container' } } },
      clientTLS: { clientCertificatePolicy: 'Required' },
    },
    ['spec.clientTLS', 'spec.logging'],
  ],
  ['also when its name means something to JavaScript', { constructor: 1 }, ['spec.constructor']],
])('A field that is set but not supported is listed %s', (_, spec, paths) => {
  expect(ignoredOf(spec)).toEqual(paths)
})

test('A field without a value is not listed', () => {
  expect(
    ignoredOf({
      logging: null,
      httpCompression: {},
      tlsSecurityProfile: { custom: null },
      httpErrorCodePages: { name: '' },
      clientTLS: { clientCA: { name: '' }, clientCertificatePolicy: '', allowedSubjectPatterns: [] },
      httpHeaders: null,
    }),
  ).toEqual([])
})

test('The defaults that OpenShift writes are not listed, other values are', () => {
  expect(
    ignoredOf({
      closedClientConnectionPolicy: 'Continue',
      httpEmptyRequestsPolicy: 'Respond',
      idleConnectionTerminationPolicy: 'Immediate',
      tuningOptions: { reloadInterval: '0s' },
    }),
  ).toEqual([])
  expect(ignoredOf({ httpEmptyRequestsPolicy: 'Ignore', tuningOptions: { reloadInterval: '15s' } })).toEqual([
    'spec.httpEmptyRequestsPolicy',
    'spec.tuningOptions',
  ])
})

test('A field that is nested ten thousand levels deep is listed without a stack overflow', () => {
  const deep = JSON.parse(`${'{"x":'.repeat(9999)}{}${'}'.repeat(9999)}`) as object
  expect(ignoredOf({ tuningOptions: deep })).toEqual(['spec.tuningOptions'])
})

test('The list of ignored fields is bounded', () => {
  const many = Object.fromEntries(Array.from({ length: 100_000 }, (_, i) => [`field${i}`, 1]))
  expect(ignoredOf(many)).toHaveLength(1000)
})
