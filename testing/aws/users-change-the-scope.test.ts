import { expect } from 'vitest'
import { commands } from '../e2e/user-commands.ts'
import { awsStories } from './story.ts'

const { inTheUsualNamespaces } = awsStories()

const external = { type: 'Classic', scheme: 'internet-facing', subnets: 'public' } as const
const internal = { type: 'Classic', scheme: 'internal', subnets: 'private' } as const

inTheUsualNamespaces(
  'The documented commands change the load balancers in the cloud',
  async ({ cluster, cloud }) => {
    const router = await cluster.publish('default', { scope: 'External' })
    const other = await cluster.publish('private', { scope: 'Internal' })
    await cloud.has(router, external)
    await cloud.has(other, internal)
    const first = (await router.service()).metadata.uid

    // I want my default IngressController to be private.
    await cluster.run(commands.makeDefaultInternal)
    await router.reports('Progressing', { status: 'True', reason: 'ScopeChanged' })
    await cloud.has(router, external)
    await cluster.run(commands.deleteDefaultService)
    const second = (await router.serviceAfter(first)).metadata.uid
    await router.isProvided()
    await cloud.has(router, internal)

    // I want a private one to be public, and cancel that.
    await cluster.run(commands.makePrivateExternal)
    await other.reports('Progressing', { status: 'True', reason: 'ScopeChanged' })
    await cluster.run(commands.makePrivateInternal)
    await other.reports('Progressing', { status: 'False' })
    await cloud.has(other, internal)

    // I am a managed service and need not be asked.
    await cluster.run(commands.makeDefaultExternal)
    await cluster.run(commands.letDefaultBeDeleted)
    await router.serviceAfter(second)
    await router.isProvided()
    await cloud.has(router, external)
    expect(cluster.journal.count('delete Service')).toBe(1)
  },
)
