import { expect } from 'vitest'
import { commandsIn } from '../e2e/router.ts'
import { awsStories } from './story.ts'

const { story } = awsStories()

const internal = 'service.beta.kubernetes.io/aws-load-balancer-internal'
const typeAnnotation = 'service.beta.kubernetes.io/aws-load-balancer-type'
const ofType = (type: 'Classic' | 'NLB') => ({ providerParameters: { type: 'AWS', aws: { type } } })

for (const type of ['Classic', 'NLB'] as const) {
  for (const [scope, edit, scheme, subnets, other, others] of [
    ['External', 'true', 'internet-facing', 'public', 'Internal', 'private'],
    ['Internal', null, 'internal', 'private', 'External', 'public'],
  ] as const) {
    story(
      `${type}: the status of an ${scope} load balancer stays true when its scope annotation is edited`,
      async (aws) => {
        const { cluster, cloud } = aws
        const router = await cluster.publish('edge', { scope, ...ofType(type) })
        const address = await router.address()
        await router.editService({ metadata: { annotations: { [internal]: edit } } })
        const progressing = await router.reports('Progressing', {
          status: 'True',
          reason: 'ServiceEdited',
          message: `was edited and requests scope "${other}", but on this platform an existing load balancer cannot change its scope: it is still "${scope}"`,
        })
        await router.everythingIsSeen()
        // A classic one is moved to the subnets of the other scheme: that is all that comes of the edit.
        await cloud.has(router, { type, scheme, subnets: type === 'Classic' ? others : subnets })
        expect(await router.address()).toBe(address)

        const [takeBack = ''] = commandsIn(progressing)
        await cluster.run(takeBack)
        await router.reports('Progressing', { status: 'False' })
        await cloud.has(router, { type, scheme, subnets })
      },
    )
  }

  story(`${type}: the status stays true when the type annotation is edited`, async ({ cluster, cloud }) => {
    const router = await cluster.publish('edge', { scope: 'External', ...ofType(type) })
    const address = await router.address()
    const edit = type === 'NLB' ? null : 'nlb'
    await router.editService({ metadata: { annotations: { [typeAnnotation]: edit } } })
    const progressing = await router.reports('Progressing', { status: 'True', reason: 'ServiceEdited' })
    await router.reports('LoadBalancerReady', {
      status: 'False',
      reason: 'SyncLoadBalancerFailed',
      message: /cannot update Load Balancer Type annotation .* after creation/,
    })
    await cloud.has(router, { type, scheme: 'internet-facing' })
    expect(await router.address()).toBe(address)

    const [takeBack = ''] = commandsIn(progressing)
    await cluster.run(takeBack)
    await router.reports('Progressing', { status: 'False' })
    await router.isProvided()
  })
}
