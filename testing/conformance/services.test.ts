import { beforeEach, describe, expect, test } from 'vitest'
import { testedServer } from './api-server.ts'
import { ApiVerbs, asTable, expecting, messageOf } from './api-verbs.ts'

const kube = new ApiVerbs(testedServer())
let path = ''
const service = (name: string, spec: object = {}) => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name },
  spec: { ports: [{ port: 80 }], ...spec },
})

beforeEach(async () => {
  path = `/api/v1/namespaces/${await kube.namespace()}/services`
})

function nodePortOf(spec: Readonly<Record<string, unknown>>): number | undefined {
  const [port] = spec['ports'] as readonly { nodePort?: number }[]
  return port?.nodePort
}

test('A Service gets a cluster IP and its defaults', async () => {
  const { spec } = await expecting(201, kube.create(path, service('plain')))
  expect(spec).toMatchObject({
    type: 'ClusterIP',
    sessionAffinity: 'None',
    internalTrafficPolicy: 'Cluster',
    ipFamilies: ['IPv4'],
    ipFamilyPolicy: 'SingleStack',
    ports: [{ port: 80, protocol: 'TCP', targetPort: 80 }],
  })
  expect(spec['clusterIP']).toMatch(/^10\.96\./)
  expect(spec['clusterIPs']).toEqual([spec['clusterIP']])
})

test('A cluster IP is allocated once', async () => {
  const { spec } = await expecting(201, kube.create(path, service('first')))
  const answer = await kube.create(path, service('second', { clusterIP: spec['clusterIP'] }))
  expect(answer.code).toBe(422)
  expect(messageOf(answer)).toContain('provided IP is already allocated')
})

test('A cluster IP cannot change', async () => {
  await kube.create(path, service('fixed'))
  const answer = await kube.patch('merge', `${path}/fixed`, { spec: { clusterIP: '10.96.9.9' } })
  expect(answer.code).toBe(422)
  expect(messageOf(answer)).toContain('may not change once set')
})

test('A headless Service has no cluster IP', async () => {
  const { spec } = await expecting(201, kube.create(path, service('headless', { clusterIP: 'None' })))
  expect(spec).toMatchObject({ clusterIP: 'None', clusterIPs: ['None'] })
})

test('A node port comes from the range', async () => {
  const { spec } = await expecting(201, kube.create(path, service('node-port', { type: 'NodePort' })))
  expect(nodePortOf(spec)).toBeGreaterThanOrEqual(30_000)
  expect(nodePortOf(spec)).toBeLessThan(32_768)
  expect(spec).toMatchObject({ externalTrafficPolicy: 'Cluster' })
})

test('A node port is allocated once, and is free again when its Service is deleted', async () => {
  const { spec } = await expecting(201, kube.create(path, service('holder', { type: 'NodePort' })))
  const nodePort = nodePortOf(spec)
  const wanted = service('wanter', { type: 'NodePort', ports: [{ port: 80, nodePort }] })
  const refused = await kube.create(path, wanted)
  expect(refused.code).toBe(422)
  expect(messageOf(refused)).toContain('provided port is already allocated')
  await kube.delete(`${path}/holder`)
  expect((await kube.create(path, wanted)).code).toBe(201)
})

test('A node port outside of the range is refused', async () => {
  const ports = [{ port: 80, nodePort: 1234 }]
  const answer = await kube.create(path, service('outside', { type: 'NodePort', ports }))
  expect(answer.code).toBe(422)
  expect(messageOf(answer)).toContain(
    'provided port is not in the valid range. The range of valid ports is 30000-32767',
  )
})

test('A load balancer has node ports unless it says otherwise', async () => {
  const { spec } = await expecting(201, kube.create(path, service('lb', { type: 'LoadBalancer' })))
  expect(spec).toMatchObject({ allocateLoadBalancerNodePorts: true, externalTrafficPolicy: 'Cluster' })
  expect(nodePortOf(spec)).toBeGreaterThanOrEqual(30_000)
  const without = service('lb-without', { type: 'LoadBalancer', allocateLoadBalancerNodePorts: false })
  expect(nodePortOf((await expecting(201, kube.create(path, without))).spec)).toBeUndefined()
})

test('A load balancer with the local traffic policy has a health check node port', async () => {
  const local = service('local', { type: 'LoadBalancer', externalTrafficPolicy: 'Local' })
  const { spec } = await expecting(201, kube.create(path, local))
  expect(spec['healthCheckNodePort']).toBeGreaterThanOrEqual(30_000)
})

test('A Service that stops being of type NodePort releases its node ports', async () => {
  await kube.create(path, service('back', { type: 'NodePort' }))
  const { spec } = await expecting(200, kube.patch('merge', `${path}/back`, { spec: { type: 'ClusterIP' } }))
  expect(nodePortOf(spec)).toBeUndefined()
  expect(spec).not.toHaveProperty('externalTrafficPolicy')
})

test('An external name needs no ports and gets no IP', async () => {
  const body = { metadata: { name: 'external' }, spec: { type: 'ExternalName', externalName: 'example.com' } }
  const { spec } = await expecting(201, kube.create(path, body))
  expect(spec).not.toHaveProperty('clusterIP')
})

test('The address of a load balancer is in its status, and goes with the type', async () => {
  await kube.create(path, service('address', { type: 'LoadBalancer' }))
  const status = { loadBalancer: { ingress: [{ ip: '192.0.2.1' }] } }
  expect(await kube.patch('merge', `${path}/address/status`, { status })).toMatchObject({
    code: 200,
    body: { status: { loadBalancer: { ingress: [{ ip: '192.0.2.1', ipMode: 'VIP' }] } } },
  })
  const answer = await expecting(200, kube.patch('merge', `${path}/address`, { spec: { type: 'ClusterIP' } }))
  expect(answer.status).toEqual({ loadBalancer: {} })
})

describe('Refused Services', () => {
  test.each([
    ['no port', { ports: [] }, 'spec.ports: Required value'],
    [
      'a port too high',
      { ports: [{ port: 70_000 }] },
      'spec.ports[0].port: Invalid value: 70000: must be between 1 and 65535, inclusive',
    ],
    ['an unknown type', { type: 'Other' }, 'spec.type: Unsupported value: "Other"'],
    ['two ports without names', { ports: [{ port: 1 }, { port: 2 }] }, 'spec.ports[0].name: Required value'],
    [
      'a port twice',
      {
        ports: [
          { name: 'a', port: 1 },
          { name: 'b', port: 1 },
        ],
      },
      'spec.ports[1]: Duplicate value',
    ],
    [
      'an unknown protocol',
      { ports: [{ port: 1, protocol: 'HTTP' }] },
      'spec.ports[0].protocol: Unsupported value: "HTTP"',
    ],
    [
      'a bad source range',
      { type: 'LoadBalancer', loadBalancerSourceRanges: ['x'] },
      'spec.LoadBalancerSourceRanges[0]: Invalid value: "x"',
    ],
    [
      'a policy that does not apply',
      { externalTrafficPolicy: 'Local' },
      'spec.externalTrafficPolicy: Invalid value: "Local": may only be set for externally-accessible services',
    ],
    [
      'a cluster IP that is none',
      { clusterIP: '300.1.1.1' },
      'spec.clusterIPs[0]: Invalid value: "300.1.1.1"',
    ],
  ])('A Service with %s is refused', async (_, spec, message) => {
    const answer = await kube.create(path, service('bad', spec))
    expect(answer.code).toBe(422)
    expect(messageOf(answer)).toContain(message)
  })
})

test('A bad address of a load balancer is refused', async () => {
  await kube.create(path, service('bad-address', { type: 'LoadBalancer' }))
  const status = { loadBalancer: { ingress: [{ ip: '1.2.3.4.5' }] } }
  const answer = await kube.patch('merge', `${path}/bad-address/status`, { status })
  expect(answer.code).toBe(422)
  expect(messageOf(answer)).toContain('status.loadBalancer.ingress[0].ip: Invalid value: "1.2.3.4.5"')
})

test('The table of Services shows where they are reached', async () => {
  await kube.create(path, service('tabled', { type: 'NodePort' }))
  const { body } = await kube.get(`${path}/tabled`, asTable)
  const { columnDefinitions, rows } = body as {
    columnDefinitions: { name: string }[]
    rows: { cells: unknown[] }[]
  }
  expect(columnDefinitions.map(({ name }) => name)).toEqual([
    'Name',
    'Type',
    'Cluster-IP',
    'External-IP',
    'Port(s)',
    'Age',
    'Selector',
  ])
  expect(rows[0]?.cells.slice(0, 2)).toEqual(['tabled', 'NodePort'])
  expect(rows[0]?.cells[4]).toMatch(/^80:3\d{4}\/TCP$/)
})

/** Two node ports in a row that no Service of the cluster has. */
async function freeNodePorts(): Promise<[number, number]> {
  const { items } = (await kube.get('/api/v1/services')).body as {
    items: { spec: { healthCheckNodePort?: number; ports?: { nodePort?: number }[] } }[]
  }
  const taken = new Set(
    items.flatMap(({ spec }) => [
      spec.healthCheckNodePort,
      ...(spec.ports ?? []).map((port) => port.nodePort),
    ]),
  )
  for (let port = 30_700; port < 32_767; port++) {
    if (!taken.has(port) && !taken.has(port + 1)) return [port, port + 1]
  }
  throw new Error('No two node ports in a row are free.')
}

test('A dry run shows an address and ports that it does not allocate', async () => {
  const spec = { type: 'LoadBalancer', externalTrafficPolicy: 'Local' }
  const tried = await expecting(201, kube.create(`${path}?dryRun=All`, service('tried', spec)))
  expect(tried.spec).toMatchObject({ clusterIP: '10.96.0.0', healthCheckNodePort: 32_770 })
  expect(nodePortOf(tried.spec)).toBe(32_769)
  const [free, next] = await freeNodePorts()
  const ports = [
    { name: 'a', port: 80, nodePort: free },
    { name: 'b', port: 81 },
  ]
  const asked = { type: 'NodePort', ports }
  const { spec: given } = await expecting(201, kube.create(`${path}?dryRun=All`, service('tried', asked)))
  expect(given['ports']).toMatchObject([{ nodePort: free }, { nodePort: next }])
})

test('An update that is refused leaves everything as it was', async () => {
  await kube.create(path, service('balanced', { type: 'LoadBalancer' }))
  const status = { loadBalancer: { ingress: [{ ip: '192.0.2.1', ipMode: 'VIP' }] } }
  await kube.patch('merge', `${path}/balanced/status`, { status })
  const before = await kube.get(`${path}/balanced`)
  expect(before).toMatchObject({ code: 200, body: { status } })
  const refused = await kube.replace(`${path}/balanced`, service('balanced', { ports: [] }))
  expect(refused.code).toBe(422)
  expect((await kube.get(`${path}/balanced`)).body).toEqual(before.body)
})

/** The real server sends all who are watching one copy of what it keeps, and hides nothing in it. */
test('The traffic policy of a Service without an address shows only in the watch event of its write', async () => {
  const named = `${path}?fieldSelector=metadata.name%3Dhiding&watch=1`
  const watch = await kube.watch(`${named}&resourceVersion=0`)
  const spec = { type: 'ExternalName', externalName: 'example.com', internalTrafficPolicy: 'Local' }
  await expecting(201, kube.create(path, service('hiding', spec)))
  const [live] = await watch.until(() => true)
  watch.close()
  expect(live?.object['spec']).toMatchObject({ internalTrafficPolicy: 'Local' })
  const later = await kube.watch(`${named}&resourceVersion=0`)
  const [past] = await later.until(() => true)
  later.close()
  const read = await expecting(200, kube.get(`${path}/hiding`))
  for (const { spec } of [past?.object, read] as { spec: object }[])
    expect(spec).not.toHaveProperty('internalTrafficPolicy')
})
