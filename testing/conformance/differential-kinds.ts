import * as fc from 'fast-check'
import { few, labels, mostly, of, type RandomKind, some, strings } from './random-kind.ts'
import { networkPolicy } from './random-network-policy.ts'

export const metadata = some({
  labels: mostly(labels, of('x', null, ['a'])),
  annotations: fc.dictionary(mostly(of('note', 'example.com/note'), of('a b')), strings, { maxKeys: 2 }),
  finalizers: mostly(
    few(
      mostly(of('example.com/one', 'example.com/two'), of('plain', 'a b/c', 'orphan', 'foregroundDeletion')),
    ),
    of('x'),
  ),
  ownerReferences: few(
    fc.record({
      apiVersion: mostly(of('v1'), of('', 'a/b/c')),
      kind: mostly(of('ConfigMap'), of('', 'Event')),
      name: mostly(of('owner'), of('')),
      uid: mostly(of('11111111-2222-3333-4444-555555555555', 'plain'), of('')),
      controller: of(true, false),
    }),
  ),
})

const configMap: RandomKind = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  plural: 'configmaps',
  subresources: [],
  content: some({
    data: mostly(
      fc.dictionary(mostly(of('a', 'b', 'c.txt'), of('a b', '..')), strings, { maxKeys: 3 }),
      of('x', null),
    ),
    binaryData: mostly(
      fc.dictionary(of('bin', 'a'), mostly(of('aGk=', ''), of('no base64!', 'aGk')), { maxKeys: 1 }),
      of(null),
    ),
    immutable: mostly(of(false, undefined), of(true, 'x')),
  }),
  sample: { data: { a: '1' } },
  paths: ['/data', '/data/a', '/data/b', '/binaryData'],
}

const secret: RandomKind = {
  apiVersion: 'v1',
  kind: 'Secret',
  plural: 'secrets',
  subresources: [],
  content: some({
    type: mostly(
      of('Opaque', 'example.com/mine', ''),
      of(
        'kubernetes.io/tls',
        'kubernetes.io/basic-auth',
        'kubernetes.io/dockerconfigjson',
        'kubernetes.io/ssh-auth',
      ),
    ),
    data: fc.dictionary(
      mostly(of('a', 'b', 'tls.crt', 'tls.key', '.dockerconfigjson'), of('a b')),
      mostly(of('aGk=', 'e30=', ''), of('no base64!', 3)),
      { maxKeys: 3 },
    ),
    stringData: fc.dictionary(of('a', 's'), strings, { maxKeys: 2 }),
    immutable: mostly(of(false, undefined), of(true)),
  }),
  sample: { data: { a: 'aGk=' } },
  paths: ['/data', '/data/a', '/stringData', '/type'],
}

const servicePort = some({
  name: mostly(of('http', 'https'), of('Not_Valid', '')),
  port: mostly(of(80, 443, 8080), of(0, 70_000, '80')),
  protocol: mostly(of('TCP', 'UDP'), of('HTTP')),
  targetPort: mostly(of(8080, 'http'), of(0, 'Not_Valid', 'a-name-that-is-too-long')),
  appProtocol: of('http', 'example.com/mine'),
})

const service: RandomKind = {
  apiVersion: 'v1',
  kind: 'Service',
  plural: 'services',
  subresources: ['status'],
  content: some({
    spec: some({
      type: mostly(of('ClusterIP', 'NodePort', 'LoadBalancer', 'ExternalName'), of('Other')),
      ports: mostly(few(servicePort), of(null, 'x')),
      selector: mostly(of({ app: 'a' }, {}), of({ 'a b': 'c' })),
      clusterIP: mostly(of('', 'None', undefined), of('10.96.200.200', '300.1.1.1', '192.168.1.1')),
      externalName: mostly(of('example.com', undefined), of('Not_Valid', '')),
      externalIPs: mostly(few(of('192.0.2.1', '192.0.2.2')), of(['127.0.0.1'], ['x'])),
      sessionAffinity: mostly(of('None', 'ClientIP'), of('Other')),
      externalTrafficPolicy: mostly(of('Cluster', 'Local', undefined, undefined), of('Other')),
      internalTrafficPolicy: mostly(of('Cluster', 'Local'), of('Other')),
      loadBalancerClass: mostly(of(undefined), of('example.com/mine', 'Not Valid')),
      loadBalancerIP: mostly(of(undefined), of('192.0.2.9')),
      loadBalancerSourceRanges: mostly(of(undefined), of(['10.0.0.0/8'], ['x'], ['10.0.0.1/8'])),
      allocateLoadBalancerNodePorts: mostly(of(undefined), of(true, false)),
      publishNotReadyAddresses: of(true, false),
      ipFamilyPolicy: mostly(
        of('SingleStack', undefined),
        of('PreferDualStack', 'RequireDualStack', 'Other'),
      ),
      ipFamilies: mostly(of(undefined, ['IPv4']), of(['IPv6'], ['IPv5'])),
      trafficDistribution: mostly(of(undefined), of('PreferClose', 'Other')),
      healthCheckNodePort: mostly(of(undefined), of(-1)),
    }),
    status: some({
      loadBalancer: some({
        ingress: few(
          some({
            ip: mostly(of('192.0.2.1'), of('x')),
            hostname: mostly(of('a.example.com'), of('Not_Valid', '192.0.2.1')),
            ipMode: mostly(of('VIP', 'Proxy'), of('Other')),
          }),
        ),
      }),
    }),
  }),
  sample: { spec: { ports: [{ port: 80 }] } },
  paths: [
    '/spec/ports',
    '/spec/ports/0',
    '/spec/type',
    '/spec/selector',
    '/spec/clusterIP',
    '/spec/sessionAffinity',
  ],
}

const backend = mostly(
  fc.record({
    service: some({
      name: mostly(of('web'), of('Not_Valid', '')),
      port: mostly(of({ number: 80 }, { name: 'http' }), of({}, { number: 0 }, { number: 80, name: 'http' })),
    }),
  }),
  of({}, { resource: { apiGroup: 'example.com', kind: 'Bucket', name: 'b' } }),
)

const ingress: RandomKind = {
  apiVersion: 'networking.k8s.io/v1',
  kind: 'Ingress',
  plural: 'ingresses',
  subresources: ['status'],
  content: some({
    spec: mostly(
      some({
        ingressClassName: mostly(of('one', undefined), of('Not Valid', '')),
        defaultBackend: backend,
        tls: few(
          some({
            hosts: few(mostly(of('a.example.com', '*.example.com'), of('Not_Valid', '*'))),
            secretName: mostly(of('tls'), of('Not_Valid')),
          }),
        ),
        rules: few(
          some({
            host: mostly(of('a.example.com', '*.example.com'), of('192.0.2.1', 'Not_Valid', '*.*.com')),
            http: some({
              paths: few(
                some({
                  path: mostly(of('/', '/a'), of('a', '/a//b', '/a/../b', '')),
                  pathType: mostly(of('Prefix', 'Exact', 'ImplementationSpecific'), of('Other')),
                  backend,
                }),
              ),
            }),
          }),
        ),
      }),
      of({}, null),
    ),
    status: some({
      loadBalancer: some({
        ingress: few(
          some({
            ip: mostly(of('192.0.2.1'), of('x')),
            hostname: mostly(of('a.example.com'), of('Not_Valid', '192.0.2.1')),
            ports: few(some({ port: of(80, 0), protocol: of('TCP', 'Other'), error: of('a/b', 'a b') }), 1),
          }),
        ),
      }),
    }),
  }),
  sample: { spec: { defaultBackend: { service: { name: 'web', port: { number: 80 } } } } },
  paths: ['/spec/rules', '/spec/rules/0', '/spec/tls', '/spec/defaultBackend', '/spec/ingressClassName'],
}

const moments = mostly(
  of('2020-01-02T03:04:05.000000Z', '2020-01-02T03:04:05.123456Z', null),
  of('2020-01-02T03:04:05Z', '2020-01-02', 5),
)

const lease: RandomKind = {
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  plural: 'leases',
  subresources: [],
  content: some({
    spec: some({
      holderIdentity: mostly(of('one', 'two', null), of('')),
      leaseDurationSeconds: mostly(of(15, 30), of(0, -1, '15', 1.5)),
      leaseTransitions: mostly(of(0, 1), of(-1)),
      acquireTime: moments,
      renewTime: moments,
      strategy: mostly(of(undefined), of('OldestEmulationVersion', 'other')),
      preferredHolder: mostly(of(undefined), of('two')),
    }),
  }),
  sample: { spec: { holderIdentity: 'one' } },
  paths: ['/spec', '/spec/holderIdentity', '/spec/leaseTransitions', '/spec/renewTime'],
}

const event: RandomKind = {
  apiVersion: 'v1',
  kind: 'Event',
  plural: 'events',
  subresources: [],
  content: some({
    involvedObject: some({
      kind: of('ConfigMap', 'Pod'),
      namespace: of('NAMESPACE', 'NAMESPACE', 'NAMESPACE', 'elsewhere', ''),
      name: of('a', 'b'),
      apiVersion: of('v1'),
      fieldPath: of('spec'),
    }),
    reason: mostly(of('Started', 'Stopped'), of('', 3)),
    message: strings,
    type: mostly(of('Normal', 'Warning'), of('Other', '')),
    source: some({ component: of('one', 'two'), host: of('node') }),
    count: mostly(of(1, 2), of('x')),
    firstTimestamp: mostly(of('2020-01-02T03:04:05Z', null), of('x')),
    lastTimestamp: mostly(of('2020-01-02T03:04:05Z'), of('2020-01-02')),
    eventTime: mostly(of(null, undefined), moments),
    reportingComponent: mostly(of('', undefined), of('example.com/one', 'a b')),
    reportingInstance: mostly(of('', undefined), of('one')),
    action: mostly(of(undefined), of('Acting')),
  }),
  sample: { involvedObject: { namespace: 'NAMESPACE', name: 'a', kind: 'ConfigMap' }, reason: 'Started' },
  paths: ['/message', '/reason', '/count', '/source', '/type'],
}

const newEvent: RandomKind = {
  apiVersion: 'events.k8s.io/v1',
  kind: 'Event',
  plural: 'events',
  subresources: [],
  content: some({
    regarding: some({
      kind: of('ConfigMap'),
      namespace: of('NAMESPACE', 'NAMESPACE', 'NAMESPACE', 'elsewhere'),
      name: of('a', 'b'),
      apiVersion: of('v1'),
    }),
    reason: mostly(of('Started', 'Stopped'), of('')),
    note: strings,
    type: mostly(of('Normal', 'Warning'), of('Other', '')),
    eventTime: moments,
    reportingController: mostly(of('example.com/one'), of('', 'a b')),
    reportingInstance: mostly(of('one'), of('', 'x'.repeat(130))),
    action: mostly(of('Acting'), of('')),
    series: mostly(
      of(undefined),
      of({ count: 2, lastObservedTime: '2020-01-02T03:04:05.000000Z' }, { count: 1 }, {}),
    ),
    deprecatedCount: mostly(of(undefined), of(1)),
  }),
  sample: {
    regarding: { namespace: 'NAMESPACE', name: 'a', kind: 'ConfigMap' },
    reason: 'Started',
    type: 'Normal',
    action: 'Acting',
    eventTime: '2020-01-02T03:04:05.000000Z',
    reportingController: 'example.com/one',
    reportingInstance: 'one',
  },
  paths: ['/note', '/reason', '/type', '/series'],
}

const gadget: RandomKind = {
  apiVersion: 'differential.example.com/v1',
  kind: 'Gadget',
  plural: 'gadgets',
  subresources: ['status', 'scale'],
  content: some({
    spec: mostly(
      some({
        size: mostly(of('small', 'large'), of('huge', null, 4)),
        replicas: mostly(of(0, 1, 3), of(4, 6, -1, '3', 1.5)),
        ratio: mostly(of(0.5, 1, 2.25), of(0, 'x')),
        name: mostly(of('abc', ''), of('abcdef', 'A', 'A1B2C3')),
        owner: mostly(of('me', undefined, undefined), of('you')),
        port: mostly(of(80, 'http'), of(true, 1.5)),
        maybe: mostly(of('x', null), of(1)),
        free: of({ any: { thing: [1, 'x', null] } }, {}),
        tags: mostly(few(of('a', 'b')), of(['a', 'a'], ['a', 'b', 'c'], [1])),
        parts: mostly(
          fc.uniqueArray(
            some({
              id: of('one', 'two'),
              weight: mostly(of(1, 2), of('x')),
              color: of('red', 'blue'),
              odd: of(1),
            }),
            { maxLength: 2, selector: (part) => part['id'] },
          ),
          of([{ id: 'one' }, { id: 'one' }], [{}], 'x'),
        ),
        limits: mostly(fc.dictionary(of('cpu', 'memory'), of(1, 2), { maxKeys: 2 }), of({ cpu: 'x' })),
        unknown: mostly(of(undefined), of({ a: 1 })),
      }),
      of(null, 'x', []),
    ),
    status: mostly(
      some({ replicas: of(1, 2), phase: mostly(of('Ready', 'Broken'), of('Other')), odd: of(1) }),
      of(null),
    ),
    unknown: mostly(of(undefined), of(1)),
  }),
  sample: { spec: {} },
  paths: [
    '/spec',
    '/spec/replicas',
    '/spec/size',
    '/spec/parts',
    '/spec/parts/0',
    '/spec/free',
    '/spec/owner',
  ],
}

export const randomKinds = [
  configMap,
  secret,
  service,
  ingress,
  networkPolicy,
  lease,
  event,
  newEvent,
  gadget,
] as const satisfies readonly RandomKind[]
