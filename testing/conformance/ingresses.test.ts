import { beforeEach, describe, expect, test } from 'vitest'
import { testedServer } from './api-server.ts'
import { ApiVerbs, asTable, eventually, expecting, messageOf, unique } from './api-verbs.ts'

const kube = new ApiVerbs(testedServer())
let path = ''
const backend = { service: { name: 'web', port: { number: 80 } } }
const ingress = (name: string, spec: object = { defaultBackend: backend }) => ({ metadata: { name }, spec })
const ruled = (paths: object[], host?: string) => ({ rules: [{ ...(host && { host }), http: { paths } }] })

beforeEach(async () => {
  path = `/apis/networking.k8s.io/v1/namespaces/${await kube.namespace()}/ingresses`
})

describe('Refused Ingresses', () => {
  test.each([
    ['neither rules nor a default', {}, 'either `defaultBackend` or `rules` must be specified'],
    [
      'a path without a slash',
      ruled([{ path: 'a', pathType: 'Prefix', backend }]),
      'must be an absolute path',
    ],
    [
      'no path type',
      ruled([{ path: '/', backend }]),
      'spec.rules[0].http.paths[0].pathType: Required value: pathType must be specified',
    ],
    [
      'a path with two slashes',
      ruled([{ path: '/a//b', pathType: 'Prefix', backend }]),
      "must not contain '//'",
    ],
    [
      'an IP for a host',
      ruled([{ path: '/', pathType: 'Prefix', backend }], '192.0.2.1'),
      'must be a DNS name, not an IP address',
    ],
    [
      'a bad wildcard',
      ruled([{ path: '/', pathType: 'Prefix', backend }], '*.*.com'),
      'a wildcard DNS-1123 subdomain must start with',
    ],
    [
      'a Service without a port',
      { defaultBackend: { service: { name: 'web' } } },
      'port name or number is required',
    ],
    [
      'a class name that is none',
      { ingressClassName: 'Not Valid', defaultBackend: backend },
      'spec.ingressClassName: Invalid value: "Not Valid"',
    ],
  ])('An Ingress with %s is refused', async (_, spec, message) => {
    const answer = await kube.create(path, ingress('bad', spec))
    expect(answer.code).toBe(422)
    expect(messageOf(answer)).toContain(message)
  })
})

test('A status may name an IP or a host name', async () => {
  await kube.create(path, ingress('status'))
  const status = { loadBalancer: { ingress: [{ ip: '192.0.2.1' }, { hostname: 'a.example.com' }] } }
  expect(await kube.patch('merge', `${path}/status/status`, { status })).toMatchObject({
    code: 200,
    body: { status },
  })
})

test.each([
  ['an IP that is none', { ip: 'x' }, 'status.loadBalancer.ingress[0].ip: Invalid value: "x"'],
  [
    'a host name that is none',
    { hostname: 'A_B' },
    'status.loadBalancer.ingress[0].hostname: Invalid value: "A_B"',
  ],
  ['an IP for a host name', { hostname: '192.0.2.1' }, 'must be a DNS name, not an IP address'],
])('A status with %s is refused', async (_, address, message) => {
  await kube.create(path, ingress('bad-status'))
  const status = { loadBalancer: { ingress: [address] } }
  const answer = await kube.patch('merge', `${path}/bad-status/status`, { status })
  expect(answer.code).toBe(422)
  expect(messageOf(answer)).toContain(message)
})

test('A status cannot be set with the spec, nor the spec with a status', async () => {
  const status = { loadBalancer: { ingress: [{ ip: '192.0.2.1' }] } }
  const created = await expecting(201, kube.create(path, { ...ingress('doors'), status }))
  expect(created.status).toEqual({ loadBalancer: {} })
  const answer = await kube.patch('merge', `${path}/doors/status`, {
    spec: { ingressClassName: 'x' },
    status,
  })
  expect((answer.body as { spec: object }).spec).not.toHaveProperty('ingressClassName')
})

test('The default class is filled in, where there is one', async () => {
  const name = unique('class-')
  const classes = '/apis/networking.k8s.io/v1/ingressclasses'
  const annotations = { 'ingressclass.kubernetes.io/is-default-class': 'true' }
  const body = { metadata: { name, annotations }, spec: { controller: 'example.com/controller' } }
  await expecting(201, kube.create(classes, body))
  try {
    // Admission learns of classes by a watch.
    await eventually(async () => {
      const { spec } = await expecting(201, kube.create(`${path}?dryRun=All`, ingress('classed')))
      return spec['ingressClassName'] === name
    })
  } finally {
    await kube.delete(`${classes}/${name}`)
    await eventually(async () => {
      const { spec } = await expecting(201, kube.create(`${path}?dryRun=All`, ingress('unclassed')))
      return spec['ingressClassName'] === undefined
    })
  }
})

test('The controller of a class cannot change', async () => {
  const name = unique('class-')
  const classes = '/apis/networking.k8s.io/v1/ingressclasses'
  await kube.create(classes, { metadata: { name }, spec: { controller: 'example.com/one' } })
  const answer = await kube.patch('merge', `${classes}/${name}`, { spec: { controller: 'example.com/two' } })
  expect(answer.code).toBe(422)
  expect(messageOf(answer)).toContain('spec.controller: Invalid value: "example.com/two": field is immutable')
})

test('The deprecated class annotation beside another class is refused', async () => {
  const metadata = { name: 'both', annotations: { 'kubernetes.io/ingress.class': 'two' } }
  const answer = await kube.create(path, {
    metadata,
    spec: { ingressClassName: 'one', defaultBackend: backend },
  })
  expect(answer.code).toBe(422)
  expect(messageOf(answer)).toContain('must match `ingressClassName` when both are specified')
})

test('The table of Ingresses shows class, hosts and addresses', async () => {
  const spec = ruled([{ path: '/', pathType: 'Prefix', backend }], 'a.example.com')
  await kube.create(path, ingress('tabled', { ...spec, ingressClassName: 'x' }))
  const status = { loadBalancer: { ingress: [{ ip: '192.0.2.1' }] } }
  await kube.patch('merge', `${path}/tabled/status`, { status })
  const { body } = await kube.get(`${path}/tabled`, asTable)
  const { columnDefinitions, rows } = body as {
    columnDefinitions: { name: string }[]
    rows: { cells: unknown[] }[]
  }
  expect(columnDefinitions.map(({ name }) => name)).toEqual([
    'Name',
    'Class',
    'Hosts',
    'Address',
    'Ports',
    'Age',
  ])
  expect(rows[0]?.cells.slice(0, 5)).toEqual(['tabled', 'x', 'a.example.com', '192.0.2.1', '80'])
})
