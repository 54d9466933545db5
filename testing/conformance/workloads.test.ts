import { beforeAll, expect, test } from 'vitest'
import { testedServer } from './api-server.ts'
import { ApiVerbs, eventually, expecting, messageOf } from './api-verbs.ts'

const kube = new ApiVerbs(testedServer())
let namespace = ''
let pods = ''
let deployments = ''
const container = { name: 'web', image: 'web' }
/** Of no scheduler, so that it stays as it is on either server. */
const pod = (name: string, spec: object = {}) => ({
  metadata: { name },
  spec: { schedulerName: 'nobody', containers: [container], ...spec },
})
const deployment = (name: string, spec: object = {}) => ({
  metadata: { name },
  spec: {
    replicas: 0,
    selector: { matchLabels: { app: 'web' } },
    template: { metadata: { labels: { app: 'web' } }, spec: { containers: [container] } },
    ...spec,
  },
})

beforeAll(async () => {
  namespace = await kube.namespace()
  pods = `/api/v1/namespaces/${namespace}/pods`
  deployments = `/apis/apps/v1/namespaces/${namespace}/deployments`
  // A pod needs the account of its namespace; where controllers make it, it comes a moment later.
  const accounts = `/api/v1/namespaces/${namespace}/serviceaccounts`
  const made = await kube.create(accounts, { metadata: { name: 'default' } })
  expect([201, 409]).toContain(made.code)
  await eventually(async () => (await kube.create(`${pods}?dryRun=All`, pod('probe'))).code === 201)
})

test('A pod gets its defaults and is Pending', async () => {
  const { spec, status } = await expecting(201, kube.create(pods, pod('plain')))
  expect(spec).toMatchObject({
    restartPolicy: 'Always',
    dnsPolicy: 'ClusterFirst',
    terminationGracePeriodSeconds: 30,
    containers: [{ name: 'web', imagePullPolicy: 'Always', terminationMessagePath: '/dev/termination-log' }],
  })
  expect(status).toMatchObject({ phase: 'Pending', qosClass: 'BestEffort' })
})

test('A container port on the host network is a host port', async () => {
  const ports = [{ containerPort: 80 }]
  const spec = { hostNetwork: true, containers: [{ ...container, ports }] }
  const created = await expecting(201, kube.create(pods, pod('host', spec)))
  expect(created.spec['containers']).toMatchObject([{ ports: [{ containerPort: 80, hostPort: 80 }] }])
})

test('A pod without containers is refused', async () => {
  const answer = await kube.create(pods, pod('bare', { containers: [] }))
  expect(answer.code).toBe(422)
  expect(messageOf(answer)).toContain('spec.containers: Required value')
})

test('The spec of a pod cannot change', async () => {
  await kube.create(pods, pod('stays'))
  const answer = await kube.patch('merge', `${pods}/stays`, { spec: { restartPolicy: 'Never' } })
  expect(answer.code).toBe(422)
  expect(messageOf(answer)).toContain('pod updates may not change fields other than')
})

test('A pod without a node is deleted at once', async () => {
  await kube.create(pods, pod('nowhere'))
  expect(await kube.delete(`${pods}/nowhere`)).toMatchObject({ code: 200, body: { kind: 'Pod' } })
  expect((await kube.get(`${pods}/nowhere`)).code).toBe(404)
})

test('A pod on a node is deleted after its grace period', async () => {
  // A finalizer keeps it in sight, whatever becomes of a pod on a node that is not there.
  const body = pod('graced', { nodeName: 'no-such-node' })
  const finalizers = ['example.com/hold']
  await expecting(201, kube.create(pods, { ...body, metadata: { ...body.metadata, finalizers } }))
  const { metadata } = await expecting(200, kube.delete(`${pods}/graced`))
  expect(metadata['deletionGracePeriodSeconds']).toBe(30)
  expect((await kube.get(`${pods}/graced`)).code).toBe(200)
  expect((await kube.delete(`${pods}/graced`, { gracePeriodSeconds: 0 })).code).toBe(200)
  await kube.patch('merge', `${pods}/graced`, { metadata: { finalizers: null } })
  await eventually(async () => (await kube.get(`${pods}/graced`)).code === 404)
})

test('A deployment gets its defaults', async () => {
  const { spec, metadata } = await expecting(201, kube.create(deployments, deployment('plain')))
  expect(spec).toMatchObject({
    strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: '25%' } },
    revisionHistoryLimit: 10,
    progressDeadlineSeconds: 600,
  })
  expect(metadata.generation).toBe(1)
})

test('The selector of a deployment must match its template, and cannot change', async () => {
  const mismatched = await kube.create(
    deployments,
    deployment('odd', { selector: { matchLabels: { app: 'other' } } }),
  )
  expect(mismatched.code).toBe(422)
  expect(messageOf(mismatched)).toContain('`selector` does not match template `labels`')
  await kube.create(deployments, deployment('fixed'))
  const patch = {
    spec: {
      selector: { matchLabels: { app: 'web', tier: 'x' } },
      template: { metadata: { labels: { tier: 'x' } } },
    },
  }
  const changed = await kube.patch('merge', `${deployments}/fixed`, patch)
  expect(changed.code).toBe(422)
  expect(messageOf(changed)).toContain('field is immutable')
})

test('A deployment is scaled through its scale', async () => {
  await kube.create(deployments, deployment('scaled'))
  expect(await kube.get(`${deployments}/scaled/scale`)).toMatchObject({
    code: 200,
    body: { kind: 'Scale', spec: {}, status: { selector: 'app=web' } },
  })
  const scale = await kube.patch('merge', `${deployments}/scaled/scale?dryRun=All`, { spec: { replicas: 2 } })
  expect(scale).toMatchObject({ code: 200, body: { spec: { replicas: 2 } } })
})

test('An Event is the same in both of its API groups', async () => {
  const events = `/api/v1/namespaces/${namespace}/events`
  const involvedObject = { namespace, name: 'web', kind: 'Service' }
  const body = { metadata: { name: 'told' }, involvedObject, reason: 'Told', message: 'so', type: 'Normal' }
  await expecting(201, kube.create(events, body))
  expect(await kube.get(`/apis/events.k8s.io/v1/namespaces/${namespace}/events/told`)).toMatchObject({
    code: 200,
    body: { apiVersion: 'events.k8s.io/v1', regarding: { name: 'web' }, note: 'so', reason: 'Told' },
  })
  const selected = await kube.get(`${events}?fieldSelector=involvedObject.name%3Dweb,reason%3DTold`)
  expect((selected.body as { items: unknown[] }).items).toHaveLength(1)
})

test('An Event is in the namespace of its object', async () => {
  const events = `/api/v1/namespaces/${namespace}/events`
  const body = {
    metadata: { name: 'astray' },
    involvedObject: { namespace: 'other', name: 'web' },
    reason: 'Told',
  }
  const answer = await kube.create(events, body)
  expect(answer.code).toBe(422)
  expect(messageOf(answer)).toContain('does not match event.namespace')
})

test('The data of a secret is base64, and may be written as text', async () => {
  const secrets = `/api/v1/namespaces/${namespace}/secrets`
  const body = { metadata: { name: 's' }, data: { a: 'aGk=' }, stringData: { b: 'hi' } }
  const created = await expecting(201, kube.create(secrets, body))
  expect(created.data).toEqual({ a: 'aGk=', b: 'aGk=' })
  expect(created).toMatchObject({ type: 'Opaque' })
  const changed = await kube.patch('merge', `${secrets}/s`, { type: 'example.com/other' })
  expect(changed.code).toBe(422)
})

test('A disruption budget has minAvailable or maxUnavailable, not both', async () => {
  const budgets = `/apis/policy/v1/namespaces/${namespace}/poddisruptionbudgets`
  const spec = { minAvailable: 1, maxUnavailable: 1, selector: {} }
  const answer = await kube.create(budgets, { metadata: { name: 'both' }, spec })
  expect(answer.code).toBe(422)
  expect(messageOf(answer)).toContain('minAvailable and maxUnavailable cannot be both set')
})
