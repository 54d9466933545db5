import { expect, test } from 'vitest'
import { anIngressController } from '../../../test/ingress/a-snapshot.ts'
import type { Scene } from '../../../test/ingress/scene.ts'
import { selectorText } from '../../kube/label-selector.ts'

function environment(edge: Scene): Record<string, string> {
  edge.settle()
  const { env } = edge.deployment.spec.template.spec.containers[0]
  return Object.fromEntries(env.map(({ name, value }: { name: string; value: string }) => [name, value]))
}

const onAws = (loadBalancer: object = {}) =>
  anIngressController()
    .on('AWS')
    .asking({ scope: 'External', ...loadBalancer })

test('routers know who they are and what they serve', () => {
  expect(environment(onAws().spec({ domain: 'mine.example.com' }))).toMatchObject({
    ROUTER_SERVICE_NAME: 'edge',
    ROUTER_SERVICE_NAMESPACE: 'openshift-ingress',
    ROUTER_DOMAIN: 'mine.example.com',
    ROUTER_CANONICAL_HOSTNAME: 'router-edge.mine.example.com',
    STATS_PORT: '1936',
    ROUTER_THREADS: '4',
    RELOAD_INTERVAL: '5s',
    ROUTER_SET_FORWARDED_HEADERS: 'append',
  })
})

test('on the host they are told their ports, elsewhere not', () => {
  const host = anIngressController()
    .on('None')
    .spec({
      endpointPublishingStrategy: { type: 'HostNetwork', hostNetwork: { httpPort: 8080, statsPort: 9936 } },
    })
  expect(environment(host)).toMatchObject({
    ROUTER_SERVICE_HTTP_PORT: '8080',
    ROUTER_SERVICE_HTTPS_PORT: '443',
    STATS_PORT: '9936',
  })
  expect(environment(onAws())).not.toHaveProperty('ROUTER_SERVICE_HTTP_PORT')
})

test('a classic load balancer on AWS speaks PROXY, a network load balancer drops the idle', () => {
  const nlb = { providerParameters: { type: 'AWS', aws: { type: 'NLB' } } }
  expect(environment(onAws())).toMatchObject({ ROUTER_USE_PROXY_PROTOCOL: 'true' })
  expect(environment(onAws())).not.toHaveProperty('ROUTER_DEFAULT_TUNNEL_TIMEOUT')
  expect(environment(onAws(nlb))).toMatchObject({ ROUTER_DEFAULT_TUNNEL_TIMEOUT: '349s' })
  expect(environment(onAws(nlb))).not.toHaveProperty('ROUTER_USE_PROXY_PROTOCOL')
})

test('while a change of type waits, routers suit the load balancer that is there (OCPBUGS-38217)', () => {
  const edge = onAws().published()
  edge.asking({ providerParameters: { type: 'AWS', aws: { type: 'NLB' } } })
  expect(environment(edge)).toMatchObject({ ROUTER_USE_PROXY_PROTOCOL: 'true' })
  edge.remove('Service').cloudRemoves()
  expect(environment(edge)).not.toHaveProperty('ROUTER_USE_PROXY_PROTOCOL')
})

test.each(['Private', 'NodePortService'])('%s speaks PROXY if told so', (type) => {
  const member = type === 'Private' ? 'private' : 'nodePort'
  const strategy = (protocol: string) => ({ endpointPublishingStrategy: { type, [member]: { protocol } } })
  const edge = anIngressController().on('None').spec(strategy('PROXY'))
  expect(environment(edge)).toMatchObject({ ROUTER_USE_PROXY_PROTOCOL: 'true' })
  expect(environment(edge.spec(strategy('TCP')))).not.toHaveProperty('ROUTER_USE_PROXY_PROTOCOL')
})

test.each([
  ['Append', 'append'],
  ['Replace', 'replace'],
  ['IfNone', 'if-none'],
  ['Never', 'never'],
])('forwardedHeaderPolicy %s is %s', (forwardedHeaderPolicy, value) => {
  expect(environment(onAws().spec({ httpHeaders: { forwardedHeaderPolicy } }))).toMatchObject({
    ROUTER_SET_FORWARDED_HEADERS: value,
  })
})

test('selectors and the certificate are told while they are set', () => {
  const edge = onAws().spec({
    namespaceSelector: { matchLabels: { team: 'web' } },
    routeSelector: { matchExpressions: [{ key: 'tier', operator: 'In', values: ['a', 'b'] }] },
    defaultCertificate: { name: 'mine' },
  })
  expect(environment(edge)).toMatchObject({
    NAMESPACE_LABELS: 'team=web',
    ROUTE_LABELS: 'tier in (a,b)',
    DEFAULT_CERTIFICATE_DIR: '/etc/pki/tls/private',
  })
  expect(edge.controller.status).toMatchObject({ namespaceSelector: { matchLabels: { team: 'web' } } })
  edge.spec({ namespaceSelector: null, routeSelector: null, defaultCertificate: null })
  const after = environment(edge)
  for (const name of ['NAMESPACE_LABELS', 'ROUTE_LABELS', 'DEFAULT_CERTIFICATE_DIR'])
    expect(after).not.toHaveProperty(name)
  expect(edge.controller.status).not.toHaveProperty('namespaceSelector')
})

test('a selector is written as kubectl -l takes it', () => {
  expect(selectorText(undefined)).toBeUndefined()
  expect(selectorText({})).toBeUndefined()
  expect(selectorText({ matchLabels: { zone: 'a', shard: 'b' } })).toBe('shard=b,zone=a')
  const matchExpressions = [
    { key: 'a', operator: 'Exists' },
    { key: 'b', operator: 'DoesNotExist' },
    { key: 'c', operator: 'NotIn', values: ['x'] },
  ]
  expect(selectorText({ matchLabels: { d: 'e' }, matchExpressions })).toBe('d=e,a,!b,c notin (x)')
})
