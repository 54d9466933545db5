import { expect } from 'vitest'
import { awsStories } from './story.ts'

const { story } = awsStories()

const ofType = (type: 'Classic' | 'NLB') => ({ providerParameters: { type: 'AWS', aws: { type } } })
const everywhere = ['0.0.0.0/0']
const offices = ['198.51.100.0/24', '203.0.113.0/24']

for (const type of ['Classic', 'NLB'] as const) {
  story(`${type}: the cloud admits the source ranges of the spec, which change in place`, async (aws) => {
    const { cluster, cloud } = aws
    const router = await cluster.publish('edge', {
      scope: 'External',
      allowedSourceRanges: offices,
      ...ofType(type),
    })
    const address = await router.address()
    await cloud.has(router, { type, sourceRanges: offices })
    await router.change({ allowedSourceRanges: ['192.0.2.0/24'] })
    await cloud.has(router, { sourceRanges: ['192.0.2.0/24'] })
    await router.change({ allowedSourceRanges: null })
    await cloud.has(router, { sourceRanges: everywhere })
    expect(await router.address()).toBe(address)
  })

  story(`${type}: source ranges that a user set on the Service outlive it, in the cloud too`, async (aws) => {
    const { cluster, cloud } = aws
    const router = await cluster.publish('edge', { scope: 'External', ...ofType(type) })
    await cloud.has(router, { type, sourceRanges: everywhere })
    await router.editService({ spec: { loadBalancerSourceRanges: offices } })
    await cloud.has(router, { sourceRanges: offices })

    await router.change({ scope: 'Internal' })
    await router.reports('Progressing', { status: 'True', reason: 'ScopeChanged' })
    const { uid } = (await router.service()).metadata
    await router.deleteService()
    await router.serviceAfter(uid)
    await router.isProvided()
    await cloud.has(router, { type, scheme: 'internal', sourceRanges: offices })
  })
}
