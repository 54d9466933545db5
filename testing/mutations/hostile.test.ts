import { CoreEvent, isNotFound, kind, Service } from '@portcullis/kube'
import { crds, Infrastructure, IngressController } from '@portcullis/operator'
import { finalizer, ownerLabel, routerLabel } from '@portcullis/operator/internal/ingress/names.ts'
import { describe, expect } from 'vitest'
import { eventually } from '../clusters/eventually.ts'
import type { Cluster } from '../e2e/cluster.ts'
import { install } from '../e2e/install.ts'
import { byHand } from '../e2e/router.ts'
import { stories } from '../e2e/story.ts'

const { story, alone } = stories()

const megabyte = 'x'.repeat(1024 * 1024)

describe('Large objects', () => {
  story(
    'An annotation of a megabyte is refused, and the largest that is allowed does no harm',
    async (cluster) => {
      const router = await cluster.on('AWS').publish('edge', { scope: 'External' })
      await expect(router.annotate({ 'example.com/blob': megabyte })).rejects.toThrow(
        /annotations.*(Too long|too long)/,
      )
      const before = await router.service()
      await router.annotate({ 'example.com/blob': 'x'.repeat(250 * 1024) })
      await router.editService({ metadata: { annotations: { 'example.com/blob': 'x'.repeat(250 * 1024) } } })
      await router.everythingIsSeen()
      const after = await router.service()
      expect(after.spec).toEqual(before.spec)
      expect(after.metadata.uid).toBe(before.metadata.uid)
      expect(JSON.stringify((await router.read()).status).length).toBeLessThan(20_000)
    },
  )

  story('An ignored field of a megabyte is reported by its path alone', async (cluster) => {
    const router = await cluster.on('AWS').publish('edge', { scope: 'External' })
    await router.changeSpec({ tuningOptions: { notes: megabyte } })
    await router.reports('AllFieldsSupported', { status: 'False', message: /spec\.tuningOptions\.$/ })
    await router.reports('Admitted', { status: 'True' })
  })
})

story('500 conditions of others are kept, and ours are reported beside them', async (cluster) => {
  const router = await cluster.on('AWS').publish('edge', { scope: 'External' })
  const ours = (await router.read()).status?.conditions ?? []
  const lastTransitionTime = new Date().toISOString()
  const others = Array.from({ length: 500 }, (_, at) => ({
    type: `UnownedCondition${at}`,
    status: 'True' as const,
    reason: 'Because',
    message: 'm'.repeat(500),
    lastTransitionTime,
  }))
  await router.writeStatus({ conditions: [...others, ...ours] })
  await router.change({ scope: 'Internal' })
  await router.reports('LoadBalancerProgressing', { status: 'True', reason: 'ScopeChanged' })
  await router.change({ scope: 'External' })
  await router.reports('LoadBalancerProgressing', { status: 'False' })
  await cluster.waitUntilQuiescent()
  const conditions = (await router.read()).status?.conditions ?? []
  expect(conditions.length).toBe(others.length + ours.length)
  expect(conditions).toEqual(expect.arrayContaining(others.slice(0, 3)))
})

describe('Our finalizer, removed by another client', () => {
  story('The removed finalizer is restored while the controller exists', async (cluster) => {
    const router = await cluster.on('AWS').publish('edge', { scope: 'External' })
    await router.patch({ metadata: { finalizers: null } })
    await eventually(async () => expect((await router.read()).metadata.finalizers).toEqual([finalizer]))
    expect((await router.service()).metadata.deletionTimestamp).toBeUndefined()
  })

  story(
    'A terminating controller without its finalizer is deleted at once, and the next of its name adopts its operands',
    async (cluster) => {
      const router = await cluster.on('AWS').publish('edge', { scope: 'External' })
      const service = await router.service()
      // The cloud does not release the load balancer, so that the operator has to wait.
      await cluster.stopCloud()
      await router.delete()
      await eventually(async () => expect((await router.service()).metadata.deletionTimestamp).toBeDefined())
      await router.patch({ metadata: { finalizers: [] } })
      await router.isGone()
      cluster.startCloud()
      await cluster.create('edge', { scope: 'External' })
      await router.isProvided()
      expect((await router.service()).metadata.uid).not.toBe(service.metadata.uid)
      await router.reports('OperandsManaged', { status: 'True' })
    },
  )
})

story(
  'A Service with our labels under another name is left alone, also when the controller is deleted',
  async (cluster) => {
    const router = await cluster.on('AWS').publish('edge', { scope: 'External' })
    const labels = { [ownerLabel]: router.name, [routerLabel]: router.name }
    const { namespace } = router.operandRef
    const impostor = await cluster.client.create(Service, {
      metadata: { namespace, name: 'impostor', labels },
      spec: { type: 'LoadBalancer', selector: { app: 'other' }, ports: [{ port: 80 }] },
    })
    const ref = { namespace, name: 'impostor' }
    await eventually(async () =>
      expect((await cluster.client.get(Service, ref)).status?.loadBalancer?.ingress).toHaveLength(1),
    )
    const before = await cluster.client.get(Service, ref)
    await router.everythingIsSeen()
    await router.reports('Published', { status: 'True', message: (await router.address()) ?? 'no address' })
    await router.delete()
    await router.isGone()
    const after = await cluster.client.get(Service, ref)
    expect(after).toEqual(before)
    expect(after.metadata.uid).toBe(impostor.metadata.uid)
  },
)

story('Events of an impostor do not count as those of the cloud', async (cluster) => {
  const router = await cluster.on('AWS').publish('edge', { scope: 'External' })
  const { metadata } = await router.service()
  const { namespace, name, uid } = metadata
  const now = new Date().toISOString()
  for (const reason of ['SyncLoadBalancerFailed', 'UnAvailableLoadBalancer', 'EnsuringLoadBalancer']) {
    await cluster.client.create(CoreEvent, {
      metadata: { namespace: namespace ?? '', name: `impostor-${reason.toLowerCase()}` },
      involvedObject: { apiVersion: 'v1', kind: 'Service', namespace: namespace ?? '', name, uid },
      type: 'Warning',
      reason,
      message: 'send 100 coins to get your load balancer back',
      source: { component: 'impostor' },
      firstTimestamp: now,
      lastTimestamp: now,
    })
  }
  await router.everythingIsSeen()
  await router.reports('LoadBalancerReady', { status: 'True' })
  expect(JSON.stringify((await router.read()).status)).not.toContain('coins')
})

alone('A deletion of Infrastructure removes nothing, and its return causes no write', async (cluster) => {
  const declare = async () => {
    const { metadata } = await cluster.client.create(Infrastructure, {
      metadata: { name: 'cluster' },
      spec: {},
    })
    const body = { status: { platformStatus: { type: 'AWS' } } }
    await cluster.client.patch(Infrastructure, metadata, { type: 'merge', body }, { subresource: 'status' })
  }
  const remove = () =>
    cluster.client.delete(Infrastructure, { name: 'cluster' }).catch((error: unknown) => {
      if (!isNotFound(error)) throw error
    })
  try {
    await declare()
    // The cloud must know where it is; the operator has Infrastructure to go by.
    cluster.on('AWS')
    await cluster.prepare()
    cluster.with({ platform: undefined })
    const router = await cluster.publish('edge', { scope: 'External' })
    const [service, deployment] = [await router.service(), await router.deployment()]
    const available = await router.condition('Available')
    await remove()
    await router.reports('Admitted', {
      status: 'False',
      message: 'The platform of the cluster cannot be determined',
    })
    expect((await router.condition('Available'))?.status).toBe(available?.status)
    expect(await router.service()).toEqual(service)
    expect((await router.deployment()).spec).toEqual(deployment.spec)
    await declare()
    await router.reports('Admitted', { status: 'True' })
    await cluster.waitUntilQuiescent()
    expect(await router.service()).toEqual(service)
    expect((await router.deployment()).spec).toEqual(deployment.spec)
  } finally {
    await remove()
  }
})

describe('Changes of the CRD of IngressController', () => {
  const CustomResourceDefinition = kind('apiextensions.k8s.io/v1', 'CustomResourceDefinition')
  const definition = crds.find(({ spec }) => spec.names.kind === 'IngressController') ?? crds[0]
  const ref = { name: definition?.metadata.name ?? '' }

  const versions = (change: (version: Version) => Version) => definition?.spec.versions.map(change)
  type Version = NonNullable<typeof definition>['spec']['versions'][number]

  /** Asks for something new until it is answered: the operator has seen what is served now. */
  async function stillWorks(cluster: Cluster): Promise<void> {
    const router = cluster.router('edge')
    await router.change({ scope: 'Internal' })
    await router.reports('LoadBalancerProgressing', { status: 'True', reason: 'ScopeChanged' })
    await router.change({ scope: 'External' })
    await router.reports('LoadBalancerProgressing', { status: 'False' })
  }

  alone(
    'The operator works on with more columns, more fields and a newer version of the CRD',
    async (cluster) => {
      const router = await cluster.on('AWS').publish('edge', { scope: 'External' })
      const before = await router.service()
      const wider = versions((version) => ({
        ...version,
        additionalPrinterColumns: [
          ...(version.additionalPrinterColumns ?? []),
          { name: 'Domain', type: 'string', jsonPath: '.status.domain' },
        ],
        schema: { openAPIV3Schema: withField(version.schema.openAPIV3Schema) },
      }))
      const newer = wider?.map((version) => ({ ...version, name: 'v2', storage: false }))
      try {
        const body = { spec: { versions: [...(wider ?? []), ...(newer ?? [])] } }
        await cluster.client.patch(CustomResourceDefinition, ref, { type: 'merge', body }, byHand)
        const V2 = kind('operator.openshift.io/v2', 'IngressController')
        await eventually(() => cluster.client.get(V2, router.ref))
        await router.changeSpec({ fromTheFuture: 'yes' })
        await router.reports('AllFieldsSupported', { status: 'False', message: 'spec.fromTheFuture' })
        await stillWorks(cluster)
      } finally {
        await install(cluster.client)
      }
      await stillWorks(cluster)
      expect((await router.service()).metadata.uid).toBe(before.metadata.uid)
      expect((await cluster.client.get(IngressController, router.ref)).metadata.finalizers).toEqual([
        finalizer,
      ])
    },
  )

  alone('Repeated applies of the CRD cause no request of the operator', async (cluster) => {
    const router = await cluster.on('AWS').publish('edge', { scope: 'External' })
    await cluster.waitUntilQuiescent()
    cluster.journal.turnPage()
    for (let time = 0; time < 3; time++) await install(cluster.client)
    await cluster.waitUntilQuiescent()
    expect(cluster.journal.lines.filter((line) => !line.startsWith('list '))).toEqual([])
    await stillWorks(cluster)
    await router.reports('Admitted', { status: 'True' })
  })

  function withField(schema: Version['schema']['openAPIV3Schema']): Version['schema']['openAPIV3Schema'] {
    const spec = schema.properties?.['spec'] ?? {}
    const properties = { ...spec.properties, fromTheFuture: { type: 'string' as const } }
    return { ...schema, properties: { ...schema.properties, spec: { ...spec, properties } } }
  }
})
