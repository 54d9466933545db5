import { fieldsOwnedBy, Service } from '@portcullis/kube'
import { ownerLabel } from '@portcullis/operator/internal/ingress/names.ts'
import { expect } from 'vitest'
import { eventually } from '../clusters/eventually.ts'
import { stories } from './story.ts'

const { story } = stories()

const ranges = ['198.51.100.0/24', '203.0.113.0/24']

/** What people do to a Service that an operator made. */
const edits = {
  metadata: {
    annotations: { 'example.com/note': 'ask Anna first' },
    labels: { team: 'edge' },
    finalizers: ['service.kubernetes.io/load-balancer-cleanup', 'example.com/hold'],
  },
  spec: { loadBalancerSourceRanges: ranges, externalTrafficPolicy: 'Cluster' },
}

story('Edits of the Service by users survive, whatever else is changed', async (cluster) => {
  const router = await cluster.on('Azure').publish('edge', { scope: 'External' })
  await router.editService(edits)
  // Its own, exchanged: any other may be taken.
  const given = (await router.service()).spec?.ports ?? []
  const nodePorts = given.map(({ nodePort }) => nodePort).toReversed()
  const ports = given.map((port, index) => ({ ...port, nodePort: nodePorts[index] }))
  const before = await router.editService({ spec: { ports } })

  await router.change({ scope: 'Internal' })
  await eventually(async () => expect(await router.address()).toMatch(/^10\./))
  await router.everythingIsSeen()
  const after = await router.service()
  expect(after.spec).toEqual(before.spec)
  expect(after.metadata).toMatchObject({
    ...edits.metadata,
    labels: { ...before.metadata.labels, team: 'edge' },
  })
  const fieldsOfUser = fieldsOwnedBy('somebody', after)
  expect(fieldsOfUser.in('spec').has('loadBalancerSourceRanges')).toBe(true)
  expect(fieldsOfUser.in('metadata').in('annotations').has('example.com/note')).toBe(true)

  await cluster.stopOperator()
  await cluster.startOperator()
  await router.everythingIsSeen()
  expect((await router.service()).metadata.resourceVersion).toBe(after.metadata.resourceVersion)
  await router.editService({ metadata: { finalizers: ['service.kubernetes.io/load-balancer-cleanup'] } })
})

story('Source ranges that a user set on the Service outlive it', async (cluster) => {
  const router = await cluster.on('AWS').publish('edge', { scope: 'External' })
  await router.editService({ spec: { loadBalancerSourceRanges: ranges } })
  await router.change({ scope: 'Internal' })
  await router.reports('Progressing', { status: 'True', reason: 'ScopeChanged' })
  const { uid } = (await router.service()).metadata
  await router.deleteService()
  const after = await router.serviceAfter(uid)
  expect(after.spec?.loadBalancerSourceRanges).toEqual(ranges)

  await router.isProvided()
  await router.everythingIsSeen()
  expect((await router.service()).spec?.loadBalancerSourceRanges).toEqual(ranges)
  await router.editService({ spec: { loadBalancerSourceRanges: null } })
  await router.everythingIsSeen()
  await router.deleteService()
  const third = await router.serviceAfter(after.metadata.uid)
  expect(third.spec).not.toHaveProperty('loadBalancerSourceRanges')
})

story('allowedSourceRanges are applied and cleared, on a live Service and on a new one', async (cluster) => {
  const router = await cluster.on('AWS').publish('edge', { scope: 'External', allowedSourceRanges: ranges })
  const created = await router.service()
  expect(created.spec?.loadBalancerSourceRanges).toEqual(ranges)

  await router.change({ allowedSourceRanges: ['192.0.2.0/24'] })
  await eventually(async () =>
    expect((await router.service()).spec?.loadBalancerSourceRanges).toEqual(['192.0.2.0/24']),
  )
  await router.change({ allowedSourceRanges: null })
  await eventually(async () =>
    expect((await router.service()).spec).not.toHaveProperty('loadBalancerSourceRanges'),
  )
  const cleared = await router.service()
  const { loadBalancerSourceRanges: _, ...rest } = created.spec ?? {}
  expect(cleared.spec).toEqual(rest)
  expect(cleared.metadata.uid).toBe(created.metadata.uid)
})

for (const platform of ['AWS', 'GCP'] as const) {
  story(`A scope that is removed from the spec stays what it is on ${platform}`, async (cluster) => {
    const router = await cluster.on(platform).publish('edge', { scope: 'Internal' })
    const before = await router.service()
    await router.change(null)
    await router.isAnswered()
    expect(await router.wantedScope()).toBe('Internal')
    await router.changeSpec({ endpointPublishingStrategy: null })
    await router.isAnswered()
    expect(await router.wantedScope()).toBe('Internal')
    expect(await router.service()).toEqual(before)
    await router.reports('Progressing', { status: 'False' })
  })
}

story('A new controller without a scope is External', async (cluster) => {
  const router = await cluster.on('GCP').publish('edge', undefined)
  expect(await router.wantedScope()).toBe('External')
  expect(await router.address()).not.toMatch(/^10\./)
})

story('A status that an older version left empty is filled from what is observed', async (cluster) => {
  const router = await cluster.on('AWS').publish('edge', { scope: 'External' })
  const inner = await cluster.publish('inner', { scope: 'Internal' })
  const before = [await router.service(), await inner.service()]
  await cluster.stopOperator()
  for (const each of [router, inner]) {
    await each.change(null)
    await each.writeStatus(null)
  }
  await cluster.startOperator()
  await eventually(async () => {
    expect(await router.wantedScope()).toBe('External')
    expect(await inner.wantedScope()).toBe('Internal')
  })
  for (const each of [router, inner]) await each.reports('Progressing', { status: 'False' })
  expect([await router.service(), await inner.service()]).toEqual(before)
})

story('A Service that an older operator made is kept as it is', async (cluster) => {
  cluster.on('AWS')
  await cluster.prepare()
  const router = cluster.router('edge')
  await cluster.client.create(Service, {
    metadata: {
      ...router.operandRef,
      labels: { [ownerLabel]: router.name },
      annotations: { 'service.beta.kubernetes.io/aws-load-balancer-internal': '0.0.0.0/0' },
    },
    spec: { type: 'LoadBalancer', ports: [{ port: 80 }], selector: { app: 'router' } },
  })
  const before = await eventually(async () => {
    expect(await router.address()).toMatch(/^internal-/)
    return router.service()
  })
  await cluster.publish('edge', { scope: 'Internal' })
  await router.reports('Progressing', { status: 'False' })
  const after = await router.service()
  expect(after.spec).toEqual(before.spec)
  expect(after.metadata.annotations).toMatchObject(before.metadata.annotations ?? {})

  await router.change({ scope: 'External' })
  await router.reports('Progressing', {
    status: 'True',
    reason: 'ScopeChanged',
    message: '"Internal" to "External"',
  })
})
