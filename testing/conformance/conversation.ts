import type { ApiRequest } from './api-server.ts'

/** One request of the fixed conversation; what depends on the server's last answer is a function of it. */
export interface Exchange {
  readonly method: string
  readonly path: string | ((last: unknown) => string)
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

type Last = (last: Given) => unknown
interface Given {
  readonly metadata: { readonly continue?: string; readonly [field: string]: unknown }
  readonly [field: string]: unknown
}

const merge = { 'content-type': 'application/merge-patch+json' }
const json = { 'content-type': 'application/json-patch+json' }
const strategic = { 'content-type': 'application/strategic-merge-patch+json' }
const apply = { 'content-type': 'application/apply-patch+yaml' }
const table = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json' }
const partial = { accept: 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io' }

/** In every path and body this stands for a namespace that is new to both servers. */
export const namespaceMark = 'NAMESPACE'
const maps = `/api/v1/namespaces/${namespaceMark}/configmaps`
const services = `/api/v1/namespaces/${namespaceMark}/services`
const ingresses = `/apis/networking.k8s.io/v1/namespaces/${namespaceMark}/ingresses`
const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const octopi = `/apis/sea.example.com/v1/namespaces/${namespaceMark}/octopi`

const map = (name: string, more: object = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name },
  ...more,
})
const octopus = { apiVersion: 'sea.example.com/v1', kind: 'Octopus' }
const options = (more: object) => ({ apiVersion: 'v1', kind: 'DeleteOptions', ...more })

const get = (path: string, headers?: Record<string, string>): Exchange => ({
  method: 'GET',
  path,
  ...(headers && { headers }),
})
const post = (path: string, body: unknown): Exchange => ({ method: 'POST', path, body })
const put = (path: string, body: unknown): Exchange => ({ method: 'PUT', path, body })
const patch = (headers: Record<string, string>, path: string, body: unknown): Exchange => ({
  method: 'PATCH',
  path,
  body,
  headers,
})
const remove = (path: string, body?: object): Exchange => ({ method: 'DELETE', path, ...(body && { body }) })

const nextPage = (query: string) => (last: unknown) =>
  `${maps}?${query}&continue=${encodeURIComponent((last as Given).metadata.continue ?? '')}`

const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'octopi.sea.example.com' },
  spec: {
    group: 'sea.example.com',
    scope: 'Namespaced',
    names: {
      plural: 'octopi',
      singular: 'octopus',
      kind: 'Octopus',
      shortNames: ['oc'],
      categories: ['all'],
    },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                properties: {
                  arms: { type: 'integer', minimum: 1, default: 8 },
                  replicas: { type: 'integer' },
                },
              },
              status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
            },
          },
        },
        subresources: {
          status: {},
          scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' },
        },
        additionalPrinterColumns: [
          { name: 'Arms', type: 'integer', jsonPath: '.spec.arms' },
          { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
        ],
      },
    ],
  },
}

/** A long talk with an API server, by topic. Each topic has a namespace of its own. */
export const conversation: Readonly<Record<string, readonly Exchange[]>> = {
  'paths and methods': [
    get(maps, { authorization: 'Bearer bad' }),
    ...['/nope', '/apis/nope.example.com/v1/things', `/api/v1/namespaces/${namespaceMark}/things`].map(
      (path) => get(path),
    ),
    get(`${maps}/a/status`),
    get(`${maps}/a`),
    put(maps, map('a')),
    post(`${maps}/a`, map('a')),
    { method: 'POST', path: maps, body: 'x', headers: { 'content-type': 'text/plain' } },
    patch({ 'content-type': 'application/json' }, `${maps}/a`, {}),
    get(maps, { accept: 'text/plain' }),
    get('/api/v1/namespaces/nope/configmaps'),
  ],
  creates: [
    post(maps, map('a', { data: { x: '1' } })),
    post(maps, map('a')),
    post(maps, ''),
    post(maps, '{"a":'),
    post(maps, { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'a' } }),
    post(maps, { metadata: { name: 'untyped' } }),
    post(maps, { apiVersion: 'v2', kind: 'ConfigMap', metadata: { name: 'a' } }),
    post(maps, { apiVersion: 'v1', kind: 'ConfigMap', metadata: {} }),
    post(maps, { metadata: { generateName: 'x-', name: 'both' } }),
    post(maps, { metadata: { name: 'version', resourceVersion: '5' } }),
    post(maps, { metadata: { name: 'elsewhere', namespace: 'other' } }),
    post(maps, { metadata: { name: 'A' } }),
    post(maps, { metadata: { name: 'l', labels: { 'a b': 'c d' } } }),
    post(maps, { metadata: { name: 'l' }, data: { 'a b': 'c' } }),
    post(maps, { metadata: { name: 's' }, data: { a: 1 } }),
    post('/api/v1/namespaces/nope/configmaps', map('a')),
    ...[
      'dryRun=Some',
      'dryRun=All',
      'fieldValidation=Foo',
      `fieldManager=${'x'.repeat(130)}`,
      'fieldManager=me',
    ].map((query, index) => post(`${maps}?${query}`, map(`q${index}`, { data: { a: 'b' } }))),
    ...['Strict', 'Warn', 'Ignore'].map((validation) =>
      post(`${maps}?fieldValidation=${validation}`, {
        ...map(validation.toLowerCase()),
        foo: 1,
        metadata: { name: validation.toLowerCase(), bar: 2 },
      }),
    ),
  ],
  updates: [
    post(maps, map('a', { data: { x: '1' } })),
    put(`${maps}/zz`, map('zz')),
    put(`${maps}/a`, map('b')),
    put(`${maps}/a`, { ...map('a'), metadata: { name: 'a', resourceVersion: '1' } }),
    put(`${maps}/a`, { ...map('a'), metadata: { name: 'a', uid: 'x' } }),
    put(`${maps}/a`, { ...map('a'), metadata: { name: 'a', resourceVersion: 'abc' } }),
    get(`${maps}/a`),
    put(`${maps}/a`, ((last) => last) satisfies Last),
    put(`${maps}/a`, ((last) => ({ ...last, data: { x: '2', y: '3' } })) satisfies Last),
  ],
  lists: [
    ...['a', 'b', 'c'].map((name) => post(maps, map(name, { metadata: { name, labels: { name } } }))),
    ...[
      'labelSelector=a%3D%3D%3Db',
      'labelSelector=!',
      'labelSelector=a%20in%20b',
      'labelSelector=name%20in%20(b,c),d!%3De,!f',
      'fieldSelector=data.x%3D1',
      'fieldSelector=x',
      'fieldSelector=metadata.name%3Da',
      'limit=abc',
      'limit=1&continue=abc',
      'resourceVersion=abc',
      'resourceVersionMatch=Exact',
      'resourceVersion=0&resourceVersionMatch=Exact',
      'resourceVersion=1&resourceVersionMatch=Foo',
      'watch=1&timeoutSeconds=1&resourceVersion=0',
      'watch=1&resourceVersion=abc',
      'watch=1&sendInitialEvents=true',
      'watch=1&sendInitialEvents=false',
      'watch=1&sendInitialEvents=true&resourceVersionMatch=Exact',
      'watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&continue=abc',
      'watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&resourceVersion=abc',
      'watch=1&resourceVersionMatch=NotOlderThan',
      'watch=1&resourceVersionMatch=Exact&continue=abc',
      'watch=1&timeoutSeconds=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan',
      'watch=1&timeoutSeconds=1&sendInitialEvents&resourceVersionMatch=NotOlderThan&resourceVersion=1&allowWatchBookmarks=yes',
      'watch=1&timeoutSeconds=1&sendInitialEvents=False&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=1',
      'watch=1&timeoutSeconds=1&sendInitialEvents=false&resourceVersionMatch=NotOlderThan&resourceVersion=0',
      'sendInitialEvents=true',
      'sendInitialEvents=false&resourceVersionMatch=Foo',
      'watch=0&limit=2',
      'limit=1',
    ].map((query) => get(`${maps}?${query}`)),
    { method: 'GET', path: nextPage('limit=1') },
    { method: 'GET', path: nextPage('limit=1&resourceVersion=5') },
    get(maps, table),
    get(`${maps}/a`, table),
    get(`${maps}/a`, partial),
    get(maps, partial),
  ],
  patches: [
    post(maps, map('a', { data: { x: '1' } })),
    patch(merge, `${maps}/a`, { data: { x: null, z: '9' }, metadata: { labels: { l: '1' } } }),
    patch(merge, `${maps}/a`, { data: { z: '9' } }),
    patch(merge, `${maps}/a`, { metadata: { name: 'zz' } }),
    patch(merge, `${maps}/a`, { metadata: { resourceVersion: '1' } }),
    patch(merge, `${maps}/nope`, {}),
    patch(merge, `${maps}/a`, { data: 'x' }),
    patch(json, `${maps}/a`, [{ op: 'add', path: '/data/q', value: 'w' }]),
    patch(json, `${maps}/a`, [{ op: 'test', path: '/data/q', value: 'nope' }]),
    patch(json, `${maps}/a`, [{ op: 'remove', path: '/data/nope' }]),
    patch(strategic, `${maps}/a`, { data: { st: '1' } }),
    patch(strategic, `${maps}/a`, { data: { st: 7 } }),
  ],
  'server-side apply': [
    patch(apply, `${maps}/a`, map('a', { data: { k: 'v' } })),
    patch(apply, `${maps}/a?fieldManager=m1`, map('a', { data: { k: 'v' } })),
    patch(apply, `${maps}/a?fieldManager=m1`, map('a', { data: { k: 'v' } })),
    patch(apply, `${maps}/a?fieldManager=m2`, map('a', { data: { k: 'w' } })),
    patch(apply, `${maps}/a?fieldManager=m2&force=true`, map('a', { data: { k: 'w', j: '1' } })),
    patch(apply, `${maps}/a?fieldManager=m2`, map('a', { data: { k: 'w' } })),
    patch(apply, `${maps}/a?fieldManager=m2`, map('a', { data: 'x' })),
    patch(apply, `${maps}/a?fieldManager=m2`, map('a', { foo: 'x' })),
  ],
  deletes: [
    post(maps, map('a', { metadata: { name: 'a', labels: { l: '1' } } })),
    remove(`${maps}/a`, options({ preconditions: { uid: 'nope' } })),
    remove(`${maps}/a`, options({ preconditions: { resourceVersion: '1' } })),
    remove(`${maps}/a`, options({ propagationPolicy: 'Foo' })),
    remove(`${maps}/a`, options({ propagationPolicy: 'Orphan', orphanDependents: true })),
    remove(`${maps}/a`, options({ dryRun: ['All'] })),
    remove(`${maps}/a`),
    remove(`${maps}/a`),
    remove(`${maps}?labelSelector=zz`),
    post(maps, map('b', { metadata: { name: 'b', labels: { l: '1' } } })),
    remove(`${maps}?labelSelector=l%3D1`),
    post(maps, { metadata: { name: 'f', finalizers: ['example.com/x'] } }),
    remove(`${maps}/f`),
    remove(`${maps}/f`),
    patch(merge, `${maps}/f`, { metadata: { finalizers: ['example.com/x', 'example.com/y'] } }),
    patch(merge, `${maps}/f`, { metadata: { finalizers: null } }),
    get(`${maps}/f`),
    post(maps, map('g')),
    remove(`${maps}/g`, options({ propagationPolicy: 'Foreground' })),
    remove('/api/v1/namespaces/default'),
  ],
  reviews: [
    post('/apis/authentication.k8s.io/v1/selfsubjectreviews', {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'SelfSubjectReview',
    }),
  ],
  'services and ingresses': [
    post(services, {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'w' },
      spec: { selector: { a: 'b' }, clusterIP: '10.96.3.3', ports: [{ port: 80 }] },
    }),
    patch(strategic, `${services}/w`, { spec: { ports: [{ port: 443, name: 'https' }] } }),
    patch(merge, `${services}/w`, { spec: { type: 'LoadBalancer', allocateLoadBalancerNodePorts: false } }),
    patch(merge, `${services}/w/status`, { status: { loadBalancer: { ingress: [{ ip: '1.2.3.4' }] } } }),
    patch(merge, `${services}/w/status`, { status: { loadBalancer: { ingress: [{ ip: '1.2.3.4.5' }] } } }),
    post(services, { metadata: { name: 'bad' }, spec: { ports: [{ port: 70_000 }], type: 'Foo' } }),
    patch(merge, `${services}/w`, { spec: { clusterIP: '10.96.9.9' } }),
    get(services, table),
    remove(`${services}/w`),
    post(ingresses, {
      metadata: { name: 'i' },
      spec: {
        rules: [
          {
            host: 'a.b',
            http: {
              paths: [
                { path: '/', pathType: 'Prefix', backend: { service: { name: 's', port: { number: 80 } } } },
              ],
            },
          },
        ],
      },
    }),
    patch(merge, `${ingresses}/i/status`, { status: { loadBalancer: { ingress: [{ hostname: 'a.b.c' }] } } }),
    patch(merge, `${ingresses}/i/status`, { status: { loadBalancer: { ingress: [{ hostname: 'A_B' }] } } }),
    patch(merge, `${ingresses}/i`, { spec: { ingressClassName: 'x' } }),
    get(ingresses, table),
    post(ingresses, { metadata: { name: 'j' }, spec: {} }),
  ],
  'definitions and what they define': [
    post(definitions, definition),
    get('/apis/sea.example.com/v1'),
    post(octopi, { ...octopus, metadata: { name: 'a' }, spec: { foo: 1 }, status: { x: 1 } }),
    get(octopi),
    get(octopi, table),
    put(`${octopi}/a`, { ...octopus, metadata: { name: 'a' }, spec: { arms: 3 } }),
    patch(merge, `${octopi}/a/status`, { status: { replicas: 3 }, spec: { arms: 99 } }),
    get(`${octopi}/a/scale`),
    patch(merge, `${octopi}/a/scale`, { spec: { replicas: 5 } }),
    get(`${octopi}/a`),
    patch(strategic, `${octopi}/a`, { spec: { arms: 4 } }),
    post(octopi, { ...octopus, kind: 'Squid', metadata: { name: 'b' } }),
    post(octopi, { metadata: { name: 'b' } }),
    post(octopi, { ...octopus, metadata: { name: 'B' }, spec: { arms: 0 } }),
    remove(`${octopi}/a`),
    patch(merge, `${definitions}/octopi.sea.example.com`, { spec: { scope: 'Cluster' } }),
    remove(`${definitions}/octopi.sea.example.com`),
  ],
}

/** The request as it goes to one server, given what that server answered last. */
export function askOf(
  { method, path, body, headers }: Exchange,
  last: unknown,
  namespace: string,
): ApiRequest {
  const given = typeof body === 'function' ? (body as Last)(last as Given) : body
  const whole = {
    method,
    path: typeof path === 'string' ? path : path(last),
    ...(given !== undefined && { body: given }),
    ...(headers && { headers }),
  }
  return JSON.parse(JSON.stringify(whole).replaceAll(namespaceMark, namespace)) as ApiRequest
}
