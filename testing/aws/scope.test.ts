import { expect } from 'vitest'
import { commandsIn } from '../e2e/router.ts'
import { awsStories } from './story.ts'

const { story } = awsStories()

const letItBeDeleted = { 'ingress.operator.openshift.io/auto-delete-load-balancer': '' }

/** How each type shows, beside its scheme. */
const types = {
  Classic: { spec: { providerParameters: { type: 'AWS', aws: { type: 'Classic' } } } },
  NLB: { spec: { providerParameters: { type: 'AWS', aws: { type: 'NLB' } } } },
} as const

const external = { scheme: 'internet-facing', subnets: 'public' } as const
const internal = { scheme: 'internal', subnets: 'private' } as const

for (const type of ['Classic', 'NLB'] as const) {
  const { spec } = types[type]

  story(
    `${type}: an External load balancer becomes Internal when the Service is deleted, and External again`,
    async ({ cluster, cloud }) => {
      const router = await cluster.publish('edge', { scope: 'External', ...spec })
      await cloud.has(router, { type, ...external, targets: 'all', sourceRanges: ['0.0.0.0/0'] })

      for (const [scope, claim] of [
        ['Internal', internal],
        ['External', external],
      ] as const) {
        const { uid } = (await router.service()).metadata
        await router.change({ scope })
        const progressing = await router.reports('Progressing', { status: 'True', reason: 'ScopeChanged' })
        await cloud.has(router, { type, ...(scope === 'Internal' ? external : internal) })
        const [remove = ''] = commandsIn(progressing)
        await cluster.run(remove)
        await router.serviceAfter(uid)
        await router.isProvided()
        await router.reports('Progressing', { status: 'False' })
        await cloud.has(router, { type, ...claim, targets: 'all' })
      }
      expect(cluster.journal.count('delete Service')).toBe(0)
    },
  )

  story(
    `${type}: a scope change that is reverted leaves everything as it was`,
    async ({ cluster, cloud, real }) => {
      const router = await cluster.publish('edge', { scope: 'External', ...spec })
      const before = [await router.service(), await real?.loadBalancer(router)]
      const asked = await real?.callsAbout(router)
      await router.change({ scope: 'Internal' })
      const progressing = await router.reports('Progressing', { status: 'True', reason: 'ScopeChanged' })
      const [, revert = ''] = commandsIn(progressing)
      await cluster.run(revert)
      await router.reports('Progressing', { status: 'False' })
      await router.everythingIsSeen()
      expect([await router.service(), await real?.loadBalancer(router)]).toEqual(before)
      expect(await real?.callsAbout(router), 'calls of the cloud').toEqual(asked)
      await cloud.has(router, { type, ...external })
    },
  )

  story(
    `${type}: the operator changes the scope there and back where the annotation consents`,
    async ({ cluster, cloud }) => {
      const router = await cluster.publish('edge', { scope: 'Internal', ...spec })
      await cloud.has(router, { type, ...internal })
      await router.annotate(letItBeDeleted)
      for (const [scope, claim] of [
        ['External', external],
        ['Internal', internal],
      ] as const) {
        const { uid } = (await router.service()).metadata
        await router.change({ scope })
        await router.serviceAfter(uid)
        await router.isProvided()
        await router.reports('Progressing', { status: 'False' })
        await cloud.has(router, { type, ...claim })
      }
      expect(cluster.journal.count('delete Service')).toBe(2)
    },
  )
}

story(
  'A Classic load balancer becomes an NLB when the Service is deleted, and Classic again by the annotation',
  async ({ cluster, cloud }) => {
    const router = await cluster.publish('edge', { scope: 'Internal' })
    const first = (await router.service()).metadata.uid
    await cloud.has(router, { type: 'Classic', ...internal })
    await router.change(types.NLB.spec)
    await router.reports('Progressing', { status: 'True', reason: 'LoadBalancerTypeChanged' })
    await router.deleteService()
    const second = (await router.serviceAfter(first)).metadata.uid
    await router.isProvided()
    await cloud.has(router, { type: 'NLB', ...internal })
    await router.annotate(letItBeDeleted)
    await router.change(types.Classic.spec)
    await router.serviceAfter(second)
    await router.isProvided()
    await cloud.has(router, { type: 'Classic', ...internal })
  },
)
