import { expect } from 'vitest'
import { seed } from '../e2e/seed-000-commands.ts'
import { awsStories } from './story.ts'

const { inTheSeedsNamespaces } = awsStories()

const external = { type: 'Classic', scheme: 'internet-facing', subnets: 'public' } as const
const internal = { type: 'Classic', scheme: 'internal', subnets: 'private' } as const

inTheSeedsNamespaces(
  'the commands of the seed change what there is in the cloud',
  async ({ cluster, cloud }) => {
    const router = await cluster.publish('default', { scope: 'External' })
    const other = await cluster.publish('private', { scope: 'Internal' })
    await cloud.has(router, external)
    await cloud.has(other, internal)
    const first = (await router.service()).metadata.uid

    // I want my default IngressController to be private.
    await cluster.run(seed.makeDefaultInternal)
    await router.reports('Progressing', { status: 'True', reason: 'ScopeChanged' })
    await cloud.has(router, external)
    await cluster.run(seed.deleteDefaultService)
    const second = (await router.serviceAfter(first)).metadata.uid
    await router.isProvided()
    await cloud.has(router, internal)

    // I want a private one to be public, and cancel that.
    await cluster.run(seed.makePrivateExternal)
    await other.reports('Progressing', { status: 'True', reason: 'ScopeChanged' })
    await cluster.run(seed.makePrivateInternal)
    await other.reports('Progressing', { status: 'False' })
    await cloud.has(other, internal)

    // I am a managed service and need not be asked.
    await cluster.run(seed.makeDefaultExternal)
    await cluster.run(seed.letDefaultBeDeleted)
    await router.serviceAfter(second)
    await router.isProvided()
    await cloud.has(router, external)
    expect(cluster.journal.count('delete Service')).toBe(1)
  },
)
