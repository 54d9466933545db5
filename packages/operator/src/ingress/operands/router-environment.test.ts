import { selectorText } from '@portcullis/kube'
import { expect, test } from 'vitest'
import { anIngressController } from '../../testing/a-snapshot.ts'
import type { Scene } from '../../testing/scene.ts'
import { routerEnvironment, routerVariables } from './router-environment.ts'

function environment(edge: Scene): Record<string, string> {
  edge.settle()
  const { env } = edge.deployment.spec.template.spec.containers[0]
  return Object.fromEntries(env.map(({ name, value }: { name: string; value: string }) => [name, value]))
}

const onAws = (loadBalancer: object = {}) =>
  anIngressController()
    .on('AWS')
    .asking({ scope: 'External', ...loadBalancer })

test('Routers get their name and domain in the environment', () => {
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

test('Routers get their ports in the environment only with HostNetwork', () => {
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

test('Routers get the default ports in the environment if the strategy sets none', () => {
  const { controller, settings, isSingleNode } = anIngressController().on('None').snapshot()
  const variables = routerEnvironment({
    controller,
    settings,
    isSingleNode,
    domain: 'apps.example.com',
    replicas: { count: 2, areOthers: false },
    strategy: { type: 'HostNetwork' },
    loadBalancerType: undefined,
    loadBalancerSendsProxyHeader: false,
    rollingUpdate: { maxSurge: 0, maxUnavailable: 1 },
    usersSourceRanges: [],
  })
  expect(variables).toContainEqual({ name: 'ROUTER_SERVICE_HTTP_PORT', value: '80' })
  expect(variables).toContainEqual({ name: 'ROUTER_SERVICE_HTTPS_PORT', value: '443' })
  expect(variables).toContainEqual({ name: 'STATS_PORT', value: '1936' })
})

const hosts = { may: ['', 'edge', 'Apps-1.example_2.com'], mayNot: ['a b', 'a\nb', 'a/b', 'a"'] }
const numbers = { may: ['4', '1936'], mayNot: ['', '-1', '1.5', '4\n', 'x'] }
const durations = {
  may: ['1us', '1ms', '349s', '10m', '2h', '1d'],
  mayNot: ['', 's', '5', '5 s', '5s\n', '5w'],
}
const selectors = {
  may: ['', 'team=web', 'a/b.c-d_e!=f,!g,tier in (a,b)'],
  mayNot: ['a\nb', 'a;b', 'a"b', '{a}', '$a'],
}

/** The API server looks for the whole of a value, too: see the admission policy. */
test.each(
  Object.entries({
    ROUTER_SERVICE_NAME: hosts,
    ROUTER_SERVICE_NAMESPACE: hosts,
    ROUTER_DOMAIN: hosts,
    ROUTER_CANONICAL_HOSTNAME: hosts,
    STATS_PORT: numbers,
    ROUTER_SERVICE_HTTP_PORT: numbers,
    ROUTER_SERVICE_HTTPS_PORT: numbers,
    ROUTER_METRICS_TYPE: { may: ['haproxy'], mayNot: ['', 'other'] },
    ROUTER_THREADS: numbers,
    RELOAD_INTERVAL: durations,
    ROUTER_SET_FORWARDED_HEADERS: {
      may: ['append', 'replace', 'if-none', 'never'],
      mayNot: ['', 'Append', 'append|replace'],
    },
    ROUTER_USE_PROXY_PROTOCOL: { may: ['true'], mayNot: ['', 'false'] },
    ROUTER_DEFAULT_TUNNEL_TIMEOUT: durations,
    NAMESPACE_LABELS: selectors,
    ROUTE_LABELS: selectors,
    DEFAULT_CERTIFICATE_DIR: { may: ['/etc/pki/tls/private'], mayNot: ['', '/', '/etc'] },
  } satisfies Record<keyof typeof routerVariables, object>),
)('The admission policy permits in %s what routers may be given, and nothing else', (name, values) => {
  const expression = new RegExp(`^(?:${routerVariables[name as keyof typeof routerVariables]})$`)
  expect(values.may.filter((value) => !expression.test(value))).toEqual([])
  expect(values.mayNot.filter((value) => expression.test(value))).toEqual([])
})

test('Routers expect PROXY of a classic load balancer on AWS, and a tunnel timeout below that of a network load balancer', () => {
  const nlb = { providerParameters: { type: 'AWS', aws: { type: 'NLB' } } }
  expect(environment(onAws())).toMatchObject({ ROUTER_USE_PROXY_PROTOCOL: 'true' })
  expect(environment(onAws())).not.toHaveProperty('ROUTER_DEFAULT_TUNNEL_TIMEOUT')
  expect(environment(onAws(nlb))).toMatchObject({ ROUTER_DEFAULT_TUNNEL_TIMEOUT: '349s' })
  expect(environment(onAws(nlb))).not.toHaveProperty('ROUTER_USE_PROXY_PROTOCOL')
})

test('Routers fit the existing load balancer while a change of its type waits (OCPBUGS-38217)', () => {
  const edge = onAws().published()
  edge.asking({ providerParameters: { type: 'AWS', aws: { type: 'NLB' } } })
  expect(environment(edge)).toMatchObject({ ROUTER_USE_PROXY_PROTOCOL: 'true' })
  edge.remove('Service').cloudRemoves()
  expect(environment(edge)).not.toHaveProperty('ROUTER_USE_PROXY_PROTOCOL')
})

test.each(['Private', 'NodePortService'])('Routers of %s expect PROXY if the spec says so', (type) => {
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
])('The forwardedHeaderPolicy %s is %s', (forwardedHeaderPolicy, value) => {
  expect(environment(onAws().spec({ httpHeaders: { forwardedHeaderPolicy } }))).toMatchObject({
    ROUTER_SET_FORWARDED_HEADERS: value,
  })
})

test('Routers get selectors and the certificate in the environment while they are set', () => {
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

test('Routers get selectors in the syntax of kubectl -l', () => {
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
