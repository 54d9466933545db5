import type { Cached } from '@portcullis/kube'
import type { Service } from 'kubernetes-types/core/v1'
import { expect, it } from 'vitest'
import { type CloudDecision, type CloudSnapshot, type CloudStep, decideCloud, realTiming } from './decide.ts'
import { CloudFaults } from './faults.ts'
import { type CloudPlatformName, cloudPlatforms } from './platforms.ts'
import { cleanupFinalizer } from './wanted.ts'

type Ingress = NonNullable<NonNullable<NonNullable<Service['status']>['loadBalancer']>['ingress']>[number]

interface Shape {
  readonly annotations?: Record<string, string>
  readonly address?: Ingress
  readonly spec?: Partial<Service['spec']>
  readonly finalizers?: string[]
  readonly deleted?: boolean
}

function aService({ annotations = {}, address, spec, finalizers, deleted }: Shape = {}): Cached<Service> {
  return {
    metadata: {
      namespace: 'ingress',
      name: 'router',
      uid: '0a1b2c3d-0000-4000-8000-123456789abc',
      resourceVersion: '1',
      annotations,
      finalizers: finalizers ?? (address === undefined ? [] : [cleanupFinalizer]),
      ...(deleted && { deletionTimestamp: '2030-01-01T00:00:00Z' }),
    },
    spec: { type: 'LoadBalancer', ...spec },
    status: { loadBalancer: address === undefined ? {} : { ingress: [address] } },
  }
}

const instantly = { ...realTiming, provisioningMs: 0, deletionMs: 0 }

function on(
  name: CloudPlatformName,
  service: Cached<Service>,
  rest: Partial<CloudSnapshot> = {},
): CloudDecision {
  return decideCloud({
    service,
    platform: cloudPlatforms[name],
    faults: new Set(),
    timing: instantly,
    now: 0,
    progress: undefined,
    addressesInUse: new Set(),
    turn: 1,
    hasNodes: true,
    ...rest,
  })
}

const eventReasons = ({ steps }: CloudDecision) =>
  steps.flatMap((step) => (step.step === 'event' ? [step.event.reason] : []))
const messages = ({ steps }: CloudDecision) =>
  steps.flatMap((step) => (step.step === 'event' ? [step.event.message] : []))
const published = ({ steps }: CloudDecision) =>
  steps.find((step): step is CloudStep & { step: 'publish' } => step.step === 'publish')?.addresses

const elb = { hostname: 'a-1.us-east-1.elb.amazonaws.com' }
const awsInternal = { 'service.beta.kubernetes.io/aws-load-balancer-internal': 'true' }
const azureInternal = { 'service.beta.kubernetes.io/azure-load-balancer-internal': 'true' }

it('A new Service gets its finalizer before its load balancer', () => {
  const { steps } = on('GCP', aService())
  expect(steps.map(({ step }) => step)).toEqual(['event', 'addFinalizer', 'attachHosts', 'event', 'publish'])
})

it.each<[CloudPlatformName, Record<string, string>, RegExp]>([
  ['AWS', {}, /^a0a1b2c3d[0-9a-f]{23}-\d+\.us-east-1\.elb\.amazonaws\.com$/],
  ['AWS', awsInternal, /^internal-a[0-9a-f]{31}-\d+\.us-east-1\.elb\.amazonaws\.com$/],
  ['AWS', { 'service.beta.kubernetes.io/aws-load-balancer-internal': '0.0.0.0/0' }, /^internal-a/],
  ['AWS', { 'service.beta.kubernetes.io/aws-load-balancer-internal': 'false' }, /^a/],
  ['AWS', { 'service.beta.kubernetes.io/aws-load-balancer-internal': '' }, /^a/],
  [
    'AWS',
    { 'service.beta.kubernetes.io/aws-load-balancer-type': 'nlb' },
    /^a[0-9a-f]{31}-[0-9a-f]{16}\.elb\.us-east-1\.amazonaws\.com$/,
  ],
  ['IBMCloud', {}, /^[0-9a-f]{8}-us-south\.lb\.appdomain\.cloud$/],
  ['Azure', {}, /^(203\.0\.113|198\.51\.100)\.\d+$/],
  ['Azure', azureInternal, /^10\./],
  ['GCP', { 'networking.gke.io/load-balancer-type': 'Internal' }, /^10\./],
  ['PowerVS', { 'service.kubernetes.io/ibm-load-balancer-cloud-provider-ip-type': 'private' }, /^10\./],
  ['OpenStack', { 'service.beta.kubernetes.io/openstack-internal-load-balancer': 'true' }, /^10\./],
])('A new Service on %s with %o gets an address of the right kind', (platform, annotations, form) => {
  const [address] = published(on(platform, aService({ annotations }))) ?? []
  expect(address?.hostname ?? address?.ip).toMatch(form)
})

it('A new Service waits for as long as provisioning takes', () => {
  const timing = { ...instantly, provisioningMs: 2_000 }
  const service = aService()
  const first = on('AWS', service, { timing })
  expect([eventReasons(first), first.requeueAfterMs]).toEqual([['EnsuringLoadBalancer'], 2_000])
  const early = on('AWS', service, { timing, now: 500, progress: first.progress })
  expect([early.steps, early.requeueAfterMs]).toEqual([[], 1_500])
  const late = on('AWS', service, { timing, now: 2_000, progress: first.progress })
  expect(eventReasons(late)).toEqual(['EnsuredLoadBalancer'])
})

it('A new Service gets what was asked for at the beginning, and is reconciled again when it changed meanwhile', () => {
  const timing = { ...instantly, provisioningMs: 2_000 }
  const first = on('AWS', aService(), { timing })
  const changed = aService({ annotations: awsInternal })
  const early = on('AWS', changed, { timing, now: 500, progress: first.progress })
  expect([early.steps, early.requeueAfterMs]).toEqual([[], 1_500])
  const late = on('AWS', changed, { timing, now: 2_000, progress: first.progress })
  expect(published(late)?.[0]?.hostname).toMatch(/^a/)
  expect(late.requeueAfterMs).toBe(0)
  const live = aService({ annotations: awsInternal, address: elb })
  const again = on('AWS', live, { timing, now: 2_000, progress: late.progress })
  expect(eventReasons(again)).toEqual(['EnsuringLoadBalancer', 'EnsuredLoadBalancer'])
})

it('A new Service without nodes gets an Event about it, and its load balancer', () => {
  expect(eventReasons(on('AWS', aService(), { hasNodes: false }))).toEqual([
    'EnsuringLoadBalancer',
    'UnAvailableLoadBalancer',
    'EnsuredLoadBalancer',
  ])
})

it.each(['external', 'nlb-ip'])(
  'A new Service on AWS of the type %s gets a finalizer and nothing else',
  (type) => {
    const annotations = { 'service.beta.kubernetes.io/aws-load-balancer-type': type }
    const decision = on('AWS', aService({ annotations }))
    expect([eventReasons(decision), published(decision)]).toEqual([['EnsuringLoadBalancer'], undefined])
  },
)

it('A new Service never gets an address that is in use', () => {
  const first = published(on('Azure', aService()))?.[0]?.ip ?? ''
  expect(published(on('Azure', aService(), { addressesInUse: new Set([first]) }))?.[0]?.ip).not.toBe(first)
})

it('A new Service with a loadBalancerClass is ignored', () => {
  expect(on('AWS', aService({ spec: { loadBalancerClass: 'other' } })).steps).toEqual([])
})

it.each<[CloudPlatformName, Ingress, Record<string, string>]>([
  ['AWS', elb, awsInternal],
  [
    'OpenStack',
    { ip: '203.0.113.9' },
    { 'service.beta.kubernetes.io/openstack-internal-load-balancer': 'true' },
  ],
  [
    'PowerVS',
    { ip: '203.0.113.9' },
    { 'service.kubernetes.io/ibm-load-balancer-cloud-provider-ip-type': 'private' },
  ],
])(
  'A provisioned load balancer on %s keeps its scope, and an Event says that it is ensured',
  (platform, address, annotations) => {
    const decision = on(platform, aService({ address, annotations }))
    expect([eventReasons(decision), published(decision)]).toEqual([
      ['EnsuringLoadBalancer', 'EnsuredLoadBalancer'],
      undefined,
    ])
  },
)

it('A provisioned load balancer on Azure gets a new address with its new scope', () => {
  const decision = on('Azure', aService({ address: { ip: '203.0.113.9' }, annotations: azureInternal }))
  expect(published(decision)?.[0]?.ip).toMatch(/^10\./)
})

it('A provisioned load balancer keeps its address when the change fails', () => {
  const service = aService({ address: { ip: '203.0.113.9' }, annotations: azureInternal })
  const decision = on('Azure', service, { faults: new Set(['inPlaceChangeFails']) })
  expect(eventReasons(decision)).toEqual(['EnsuringLoadBalancer', 'SyncLoadBalancerFailed'])
  expect(published(decision)).toBeUndefined()
})

it.each([
  ['a-1.us-east-1.elb.amazonaws.com', { 'service.beta.kubernetes.io/aws-load-balancer-type': 'nlb' }, 'NLB'],
  ['a-1.elb.us-east-1.amazonaws.com', {}, 'Classic Load Balancer'],
])('A provisioned load balancer on AWS at %s keeps its type', (hostname, annotations, type) => {
  const decision = on('AWS', aService({ address: { hostname }, annotations }))
  expect(messages(decision).at(-1)).toBe(
    `Error syncing load balancer: failed to ensure load balancer: cannot update Load Balancer Type annotation "service.beta.kubernetes.io/aws-load-balancer-type" after creation for ${type}`,
  )
  expect(published(decision)).toBeUndefined()
})

it('A provisioned load balancer is left alone while nothing about its Service changes', () => {
  const service = aService({ address: { ip: '203.0.113.9' } })
  const { progress } = on('GCP', service)
  expect(on('GCP', service, { progress }).steps).toEqual([])
})

it('A provisioned load balancer is not reconciled because of labels, a selector, or the order in which fields are written', () => {
  const before = aService({ address: { ip: '203.0.113.9' }, spec: { ports: [{ port: 80, nodePort: 1 }] } })
  const after = aService({
    address: { ip: '203.0.113.9' },
    spec: { selector: { app: 'other' }, ports: [{ nodePort: 1, port: 80 }] },
  })
  const { progress } = on('GCP', before)
  expect(on('GCP', after, { progress }).steps).toEqual([])
})

it.each<[string, Shape]>([
  ['the deletion of its Service', { deleted: true }],
  ['a change of its type', { spec: { type: 'ClusterIP' } }],
])('A load balancer is deleted after %s', (_cause, shape) => {
  const decision = on('AWS', aService({ address: elb, ...shape }))
  expect(decision.steps.map(({ step }) => step)).toEqual(['event', 'removeFinalizer', 'event', 'publish'])
  expect([eventReasons(decision), published(decision)]).toEqual([
    ['DeletingLoadBalancer', 'DeletedLoadBalancer'],
    [],
  ])
})

it('A load balancer is deleted even if the API server has already removed the address of a Service of another type', () => {
  const { progress } = on('AWS', aService({ address: elb }))
  const changed = aService({ finalizers: [cleanupFinalizer], spec: { type: 'ClusterIP' } })
  const after = { ...changed, metadata: { ...changed.metadata, resourceVersion: '2' } }
  expect(eventReasons(on('AWS', after, { progress }))).toEqual([
    'DeletingLoadBalancer',
    'DeletedLoadBalancer',
  ])
})

it('A load balancer is not deleted by a type that changes and changes back: the same address is shown again', () => {
  const { progress } = on('AWS', aService({ address: elb }))
  const back = aService({ finalizers: [cleanupFinalizer], annotations: awsInternal })
  expect(published(on('AWS', back, { progress }))).toEqual([elb])
})

it('A deletion is quick where there never was a load balancer', () => {
  const service = aService({ finalizers: [cleanupFinalizer], deleted: true })
  const decision = on('AWS', service, { timing: realTiming, faults: new Set(['denied']) })
  expect(eventReasons(decision)).toEqual(['DeletedLoadBalancer'])
})

it('A deletion takes its time when the cloud is slow', () => {
  const service = aService({ address: elb, deleted: true })
  expect(on('AWS', service, { faults: new Set(['slowDeletion']) }).requeueAfterMs).toBe(60_000)
})

it('A load balancer is not deleted while that is denied', () => {
  const service = aService({ address: elb, deleted: true })
  const decision = on('AWS', service, { faults: new Set(['denied']) })
  expect(messages(decision).at(-1)).toMatch(
    /^Error syncing load balancer: failed to delete load balancer: operation error Elastic Load Balancing: DeleteLoadBalancer, https response error StatusCode: 403, RequestID: .*, api error AccessDenied: /,
  )
  expect(decision.steps.some(({ step }) => step === 'removeFinalizer')).toBe(false)
})

it('A cloud error of a network load balancer on AWS has the message of that AWS service', () => {
  const annotations = { 'service.beta.kubernetes.io/aws-load-balancer-type': 'nlb' }
  const creation = on('AWS', aService({ annotations }), { faults: new Set(['quota']) })
  expect(messages(creation).at(-1)).toMatch(
    /failed to ensure load balancer: error creating load balancer: "operation error Elastic Load Balancing v2: CreateLoadBalancer, .*TooManyLoadBalancers: .*"$/,
  )
  const address = { hostname: 'a-1.elb.us-east-1.amazonaws.com' }
  const deletion = on('AWS', aService({ annotations, address, deleted: true }), {
    faults: new Set(['denied']),
  })
  expect(messages(deletion).at(-1)).toMatch(
    /failed to delete load balancer: error deleting load balancer "a[0-9a-f]+": operation error Elastic Load Balancing v2: DeleteLoadBalancer, /,
  )
})

it('A cloud error is retried after 5, 10, 20 seconds and so on, up to 5 minutes', () => {
  const service = aService()
  const delays: number[] = []
  let progress: CloudSnapshot['progress']
  let now = 0
  for (let tries = 0; tries < 9; tries++) {
    const decision = on('AWS', service, { faults: new Set(['quota']), progress, now })
    delays.push(decision.requeueAfterMs ?? 0)
    now += decision.requeueAfterMs ?? 0
    progress = decision.progress
  }
  expect(delays.map((delay) => delay / 1000)).toEqual([5, 10, 20, 40, 80, 160, 300, 300, 300])
})

it('A cloud error is retried at once when the Service changes', () => {
  const { progress } = on('AWS', aService(), { faults: new Set(['quota']) })
  const changed = aService({ annotations: { any: 'thing' } })
  expect(eventReasons(on('AWS', changed, { progress }))).toEqual([
    'EnsuringLoadBalancer',
    'EnsuredLoadBalancer',
  ])
})

it('A cloud error is counted on when the Service changes, and the retry that was scheduled before comes too', () => {
  const faults = new Set(['quota'] as const)
  const first = on('AWS', aService(), { faults })
  const changed = aService({ annotations: { any: 'thing' } })
  const second = on('AWS', changed, { faults, now: 1_000, progress: first.progress })
  expect([eventReasons(second), second.requeueAfterMs]).toEqual([
    ['EnsuringLoadBalancer', 'SyncLoadBalancerFailed'],
    4_000,
  ])
  const third = on('AWS', changed, { faults, now: 5_000, progress: second.progress })
  expect(third.requeueAfterMs).toBe(20_000)
  const cured = on('AWS', aService(), { now: 6_000, progress: third.progress })
  expect([eventReasons(cured).at(-1), cured.requeueAfterMs]).toEqual(['EnsuredLoadBalancer', 19_000])
  const promised = on('AWS', aService({ address: elb }), { now: 25_000, progress: cured.progress })
  expect([eventReasons(promised).at(-1), promised.requeueAfterMs]).toEqual(['EnsuredLoadBalancer', undefined])
})

it('A cloud error can be injected everywhere, for one Service, or by annotation', () => {
  const faults = new CloudFaults()
  faults.inject('quota')
  faults.inject('denied', { service: 'a/b' })
  const annotated = { 'sandbox.portcullis.dev/cloud-fault': 'slowDeletion, nonsense' }
  expect([...faults.of('a/b', annotated)].sort()).toEqual(['denied', 'quota', 'slowDeletion'])
  faults.repair('quota')
  expect([...faults.of('c/d')]).toEqual([])
})
