import { findCondition } from '@portcullis/kube'
import type { IngressControllerObject as IngressController } from '@portcullis/operator'
import type { CloudPlatformName } from '@portcullis/sandbox/internal/controllers/cloud/platforms.ts'
import { describe, expect } from 'vitest'
import { parse } from 'yaml'
import { eventually } from '../clusters/eventually.ts'
import { expectedClouds } from '../conformance/controllers/expected-clouds.ts'
import type { Cluster } from './cluster.ts'
import type { Router } from './router.ts'
import { stories } from './story.ts'
import { commands } from './user-commands.ts'

const { story, alone } = stories()

const platforms = Object.keys(expectedClouds) as CloudPlatformName[]
const inPlace = platforms.filter((platform) => expectedClouds[platform].changesInPlace)
const byReplacement = platforms.filter((platform) => !expectedClouds[platform].changesInPlace)

/** Its Service asks for this scope, and its load balancer has it. */
async function is(router: Router, platform: CloudPlatformName, scope: 'External' | 'Internal') {
  const { Internal, [scope]: wanted } = expectedClouds[platform]
  const service = await eventually(async () => {
    const service = await router.service()
    expect(service.metadata.annotations).toMatchObject(wanted.annotations)
    if (scope === 'External') expect(service.metadata.annotations).not.toMatchObject(Internal.annotations)
    expect(service.status?.loadBalancer?.ingress).toEqual([wanted.address])
    return service
  })
  expect(await router.wantedScope()).toBe(scope)
  return service
}

async function aPublicAndAPrivateOne(cluster: Cluster) {
  cluster.inTheUsualNamespaces()
  const [router, other] = await Promise.all([
    cluster.publish('default', { scope: 'External' }, { replicas: 1 }),
    cluster.publish('private', { scope: 'Internal' }),
  ])
  await router.isUp()
  return { router, other }
}

describe.each(byReplacement)('Documented scope changes on %s', (platform) => {
  alone('A scope change waits until a user deletes the Service or reverts it', async (cluster) => {
    const { router, other } = await aPublicAndAPrivateOne(cluster.on(platform))
    const before = await is(router, platform, 'External')
    const otherBefore = await is(other, platform, 'Internal')

    // I want my default IngressController to be private; no, I want to cancel that.
    await cluster.run(commands.makeDefaultInternal)
    await router.reports('Progressing', { status: 'True', reason: 'ScopeChanged' })
    await router.reports('Available', { status: 'True' })
    expect(await router.wantedScope()).toBe('Internal')
    expect(await router.service()).toEqual(before)
    const shown = parse(await cluster.run(commands.showDefault)) as IngressController
    expect(findCondition(shown.status?.conditions, 'Progressing')?.message).toContain(
      'kubectl -n openshift-ingress delete svc/router-default',
    )
    await cluster.run(commands.makeDefaultExternal)
    await router.reports('Progressing', { status: 'False' })
    expect(await router.service()).toEqual(before)

    // I do want it.
    await cluster.run(commands.makeDefaultInternal)
    await router.reports('Progressing', { status: 'True', reason: 'ScopeChanged' })
    await cluster.run(commands.deleteDefaultService)
    const after = await router.serviceAfter(before.metadata.uid)
    await router.reports('Progressing', { status: 'False' })
    await is(router, platform, 'Internal')
    await router.reports('Available', { status: 'True' })

    // I want a private one to be public, and cancel that.
    await cluster.run(commands.makePrivateExternal)
    await other.reports('Progressing', { status: 'True', reason: 'ScopeChanged', message: 'to "External"' })
    await cluster.run(commands.makePrivateInternal)
    await other.reports('Progressing', { status: 'False' })
    expect(await other.service()).toEqual(otherBefore)
    expect(cluster.journal.count('delete Service')).toBe(0)

    // I am a managed service and need not be asked.
    await cluster.run(commands.makeDefaultExternal)
    await cluster.run(commands.letDefaultBeDeleted)
    await router.serviceAfter(after.metadata.uid)
    await router.reports('Progressing', { status: 'False' })
    await is(router, platform, 'External')
    expect(cluster.journal.count('delete Service')).toBe(1)
  })
})

describe.each(inPlace)('Documented scope changes on %s', (platform) => {
  alone('A scope change is carried out on the live Service, there and back', async (cluster) => {
    const { router, other } = await aPublicAndAPrivateOne(cluster.on(platform))
    const before = await is(router, platform, 'External')
    await is(other, platform, 'Internal')

    await cluster.run(commands.makeDefaultInternal)
    const internal = await is(router, platform, 'Internal')
    await router.reports('Progressing', { status: 'False' })
    await router.reports('Available', { status: 'True' })

    await cluster.run(commands.makeDefaultExternal)
    const external = await is(router, platform, 'External')
    await router.reports('Progressing', { status: 'False' })

    await cluster.run(commands.makePrivateExternal)
    await is(other, platform, 'External')
    await cluster.run(commands.makePrivateInternal)
    await is(other, platform, 'Internal')

    expect([internal.metadata.uid, external.metadata.uid]).toEqual([before.metadata.uid, before.metadata.uid])
    expect(external.spec).toEqual(before.spec)
    expect(cluster.journal.count('delete Service')).toBe(0)
  })
})

describe('Documented scope changes on BareMetal', () => {
  story('An External controller is published by a Service without annotations', async (cluster) => {
    const router = await cluster.on('BareMetal').create('edge', { scope: 'External' })
    await router.reports('Admitted', { status: 'True' })
    await router.reports('LoadBalancerReady', { status: 'False', reason: 'LoadBalancerPending' })
    const ofOthers = Object.keys(await router.annotations()).filter(
      (key) => !key.startsWith('portcullis.dev/'),
    )
    expect(ofOthers).toEqual([])
  })

  story('The scope Internal is refused with a message, and what runs goes on', async (cluster) => {
    const router = await cluster.on('BareMetal').create('edge', { scope: 'External' })
    const refused = await cluster.create('inner', { scope: 'Internal' })
    const words =
      /scope is "Internal", but internal load balancers are not supported on the platform BareMetal: set it to "External"/
    await refused.reports('Admitted', { status: 'False', message: words })
    await expect(refused.service()).rejects.toThrow('NotFound')

    await router.reports('LoadBalancerReady', { status: 'False', reason: 'LoadBalancerPending' })
    const before = await router.service()
    await router.change({ scope: 'Internal' })
    await router.reports('Admitted', { status: 'False', message: words })
    expect(await router.service()).toEqual(before)
    await router.change({ scope: 'External' })
    await router.reports('Admitted', { status: 'True' })
  })
})
