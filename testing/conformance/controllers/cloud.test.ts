import { type Cached, Node, Service } from '@portcullis/kube'
import { registerCloud } from '@portcullis/sandbox/internal/controllers/cloud/cloud.ts'
import { CloudFaults } from '@portcullis/sandbox/internal/controllers/cloud/faults.ts'
import type { CloudPlatformName } from '@portcullis/sandbox/internal/controllers/cloud/platforms.ts'
import type { Service as CoreService } from 'kubernetes-types/core/v1'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { eventually } from '../../clusters/eventually.ts'
import { type Assemble, type ControllersCluster, startControllers } from './controllers-alone.ts'
import { expectedClouds } from './expected-clouds.ts'
import { TestService } from './test-service.ts'

vi.setConfig({ testTimeout: 30_000 })

const faults = new CloudFaults()
/** What became of each Service, write by write: whether it has the finalizer, and its address. */
const writes = new Map<string, string[]>()
let cluster: ControllersCluster

const cloudOf =
  (platform: CloudPlatformName): Assemble =>
  (parts) => {
    parts.caches.services.subscribe(({ type, object }) => {
      if (type !== 'deleted') record(object)
    })
    const timing = { provisioningMs: 50, deletionMs: 50, retryBaseMs: 50, retryMaxMs: 400 }
    registerCloud({ ...parts, platform, timing, faults })
  }

function record({ metadata, status }: Cached<CoreService>) {
  const address = status?.loadBalancer?.ingress?.[0]
  const state = `${metadata.finalizers === undefined ? 'free' : 'held'} ${address?.hostname ?? address?.ip ?? '-'}`
  const before = writes.get(metadata.name) ?? []
  if (before.at(-1) !== state) writes.set(metadata.name, [...before, state])
}

const aService = (name: string) => new TestService(cluster.client, name)

const aNode = (name: string) =>
  cluster.client.create(Node, { metadata: { name }, spec: { providerID: `cloud:///zone/${name}` } })

beforeAll(async () => {
  cluster = await startControllers(cloudOf('AWS'))
})
afterAll(() => cluster.stop())

describe('A cloud without nodes', () => {
  it('The cloud provisions a load balancer with a warning, and reports when nodes come and when the last one goes', async () => {
    const early = aService('early')
    await early.create()
    const address = await early.addressed()
    await early.saw(['EnsuringLoadBalancer', 'UnAvailableLoadBalancer', 'EnsuredLoadBalancer'])
    expect(await early.messages()).toEqual([
      'Ensuring load balancer',
      'There are no available nodes for LoadBalancer',
      'Ensured load balancer',
    ])
    await aNode('worker-0')
    await eventually(async () =>
      expect(await early.messages()).toContain('Updated load balancer with new hosts'),
    )
    await cluster.client.delete(Node, { name: 'worker-0' })
    await eventually(async () => expect(await early.events()).toContain('UnAvailableLoadBalancer x2'))
    expect(await early.address()).toEqual(address)
    await early.delete()
    await early.isGone()
  })
})

describe('A cloud with a node', () => {
  beforeAll(() => aNode('worker-1'))

  describe.each(Object.keys(expectedClouds) as CloudPlatformName[])('The cloud of %s', (platform) => {
    const life = expectedClouds[platform]
    const named = (name: string) => aService(`${platform.toLowerCase()}-${name}`)

    beforeAll(() => cluster.restart(cloudOf(platform)))

    it.each([
      ['External', 'Internal'],
      ['Internal', 'External'],
    ] as const)(
      'The cloud gives a Service an %s load balancer, and makes it %s where it can change a live one',
      async (from, to) => {
        const service = named(from.toLowerCase())
        await service.create(life[from].annotations)
        const address = await service.addressed()
        expect(address).toEqual(life[from].address)
        expect((await service.read()).metadata.finalizers).toEqual([
          'service.kubernetes.io/load-balancer-cleanup',
        ])
        await service.saw(['EnsuringLoadBalancer', 'EnsuredLoadBalancer'])

        const none = Object.fromEntries(Object.keys(life[from].annotations).map((key) => [key, null]))
        await service.annotate({ ...none, ...life[to].annotations })
        await service.saw(['EnsuringLoadBalancer x2', 'EnsuredLoadBalancer x2'])
        await eventually(async () =>
          expect(await service.address()).toEqual(life.changesInPlace ? life[to].address : address),
        )

        await service.delete()
        await service.isGone()
        await service.saw([
          'EnsuringLoadBalancer x2',
          'EnsuredLoadBalancer x2',
          'DeletingLoadBalancer',
          'DeletedLoadBalancer',
        ])
      },
    )

    it('The cloud refuses a load balancer while the quota is used up, and provisions it at a later attempt', async () => {
      const service = named('poor')
      faults.inject('quota')
      await service.create(life.External.annotations)
      await eventually(async () => {
        expect(await service.events()).toEqual([
          expect.stringMatching(/^EnsuringLoadBalancer x[3-9]$/),
          expect.stringMatching(/^SyncLoadBalancerFailed x[3-9]$/),
        ])
      })
      expect((await service.messages())[1]).toMatch(life.quota)
      expect((await service.messages())[1]).toMatch(
        /^Error syncing load balancer: failed to ensure load balancer: /,
      )
      const { metadata, status } = await service.read()
      expect([metadata.finalizers?.length, status?.loadBalancer]).toEqual([1, {}])
      faults.repair('quota')
      expect(await service.addressed()).toEqual(life.External.address)
      await eventually(async () => expect((await service.events()).at(-1)).toBe('EnsuredLoadBalancer'))
      await service.delete()
      await service.isGone()
    })

    it('The cloud keeps finalizer and address while it is denied the deletion', async () => {
      const service = named('stuck')
      await service.create(life.Internal.annotations)
      const address = await service.addressed()
      faults.inject('denied')
      await service.delete()
      await eventually(async () =>
        expect(await service.messages()).toContainEqual(
          expect.stringMatching(/^Error syncing load balancer: failed to delete load balancer: /),
        ),
      )
      expect((await service.read()).metadata.finalizers).toHaveLength(1)
      expect(await service.address()).toEqual(address)
      faults.repairAll()
      await service.isGone()
    })
  })

  describe('The cloud of AWS', () => {
    const internal = 'service.beta.kubernetes.io/aws-load-balancer-internal'
    const type = 'service.beta.kubernetes.io/aws-load-balancer-type'

    beforeAll(() => cluster.restart(cloudOf('AWS')))

    it('The cloud writes the finalizer first and the address last, and the API server removes the address when the type changes', async () => {
      const service = aService('ordered')
      await service.create()
      const { hostname } = await service.addressed()
      await service.change({ type: 'ClusterIP' })
      await eventually(() =>
        expect(writes.get('ordered')).toEqual(['free -', 'held -', `held ${hostname}`, 'held -', 'free -']),
      )
      await service.saw([
        'EnsuringLoadBalancer',
        'EnsuredLoadBalancer',
        'DeletingLoadBalancer',
        'DeletedLoadBalancer',
      ])
      await service.delete()
    })

    it.each([
      ['0.0.0.0/0', /^internal-/],
      ['false', /^a/],
      ['', /^a/],
    ])('The cloud reads the annotation value %o as AWS does', async (value, form) => {
      const service = aService(`valued-${form.source.length}${value.length}`)
      await service.create({ [internal]: value })
      expect((await service.addressed()).hostname).toMatch(form)
      await service.delete()
    })

    it('A load balancer is made anew, with the current scope, when the type of the Service goes and comes back', async () => {
      const service = aService('anew')
      await service.create()
      const first = await service.addressed()
      await service.annotate({ [internal]: 'true' })
      await service.change({ type: 'ClusterIP' })
      await eventually(async () => {
        const { metadata, status } = await service.read()
        expect([metadata.finalizers, status?.loadBalancer]).toEqual([undefined, {}])
      })
      await service.change({ type: 'LoadBalancer' })
      const second = await service.addressed()
      const nameIn = ({ hostname = '' }) => hostname.replace('internal-', '').split('-')[0]
      expect(second.hostname).toMatch(/^internal-/)
      expect(nameIn(second)).toBe(nameIn(first))
      await service.delete()
    })

    it('The cloud makes network load balancers, whose host names do not show the scope, and keeps their type', async () => {
      const service = aService('network')
      await service.create({ [type]: 'nlb', [internal]: 'true' })
      const address = await service.addressed()
      expect(address.hostname).toMatch(/^a[0-9a-f]{31}-[0-9a-f]{16}\.elb\.us-east-1\.amazonaws\.com$/)
      await service.annotate({ [type]: null })
      await eventually(async () =>
        expect((await service.messages()).at(-1)).toBe(
          `Error syncing load balancer: failed to ensure load balancer: cannot update Load Balancer Type annotation "${type}" after creation for Classic Load Balancer`,
        ),
      )
      expect(await service.address()).toEqual(address)
      await service.annotate({ [type]: 'nlb' })
      await eventually(async () =>
        expect(await service.events()).toContainEqual(expect.stringMatching(/^EnsuredLoadBalancer x\d$/)),
      )
      await service.delete()
      await service.isGone()
    })

    it('The cloud leaves a live classic load balancer as it is when the annotation asks for a network one', async () => {
      const service = aService('classic')
      await service.create()
      const address = await service.addressed()
      await service.annotate({ [type]: 'nlb' })
      await eventually(async () =>
        expect((await service.messages()).at(-1)).toBe(
          `Error syncing load balancer: failed to ensure load balancer: cannot update Load Balancer Type annotation "${type}" after creation for NLB`,
        ),
      )
      expect(await service.address()).toEqual(address)
      await service.annotate({ [type]: null })
      await eventually(async () =>
        expect(await service.events()).toContainEqual(expect.stringMatching(/^EnsuredLoadBalancer x\d$/)),
      )
      await service.delete()
      await service.isGone()
    })

    it('The cloud fails where an annotation asks for it, and retries at once when it is removed', async () => {
      const service = aService('annotated')
      await service.create({ 'sandbox.portcullis.dev/cloud-fault': 'quota' })
      await eventually(async () => expect(await service.events()).toHaveLength(2))
      await service.annotate({ 'sandbox.portcullis.dev/cloud-fault': null })
      await service.addressed()
      await service.delete()
    })

    it('A restarted cloud changes nothing, and resumes what was in progress', async () => {
      const [steady, halfway] = [aService('steady'), aService('halfway')]
      await steady.create()
      await steady.addressed()
      const before = await steady.read()
      faults.inject('quota', { service: 'default/halfway' })
      await halfway.create()
      await eventually(async () => expect((await halfway.read()).metadata.finalizers).toHaveLength(1))
      faults.repairAll()
      await cluster.restart()
      await halfway.addressed()
      // Another process knows nothing of the events of the one before.
      await steady.saw([
        'EnsuringLoadBalancer',
        'EnsuredLoadBalancer',
        'EnsuringLoadBalancer',
        'EnsuredLoadBalancer',
      ])
      expect((await steady.read()).metadata.resourceVersion).toBe(before.metadata.resourceVersion)
    })

    it('A change of labels or selector does not make the cloud reconcile', async () => {
      const service = aService('labelled')
      await service.create()
      await service.addressed()
      await cluster.client.patch(
        Service,
        { namespace: 'default', name: 'labelled' },
        { type: 'merge', body: { metadata: { labels: { a: 'b' } }, spec: { selector: { app: 'other' } } } },
      )
      await aService('later').create()
      await aService('later').addressed()
      expect(await service.events()).toEqual(['EnsuringLoadBalancer', 'EnsuredLoadBalancer'])
    })

    it('The cloud leaves Services with a load balancer class alone, and logs no error', async () => {
      const service = aService('classy')
      await service.create({}, { loadBalancerClass: 'example.com/other' })
      await aService('last').create()
      await aService('last').addressed()
      const { metadata, status } = await service.read()
      expect([metadata.finalizers, status, await service.events()]).toEqual([
        undefined,
        { loadBalancer: {} },
        [],
      ])
      expect(cluster.errors).toEqual([])
    })
  })
})
