import { expect } from 'vitest'
import { commandsIn } from './router.ts'
import { stories } from './story.ts'

const { story } = stories()

const ofType = (type: string) => ({ providerParameters: { type: 'AWS', aws: { type } } })
const typeAnnotation = 'service.beta.kubernetes.io/aws-load-balancer-type'
const network = /\.elb\.us-east-1\.amazonaws\.com$/

story(
  'A change of the load balancer type waits for the user, and a revert leaves everything as it was',
  async (cluster) => {
    const router = await cluster.on('AWS').publish('edge', { scope: 'External', ...ofType('Classic') })
    const before = await router.service()
    await router.change(ofType('NLB'))
    const progressing = await router.reports('Progressing', {
      status: 'True',
      reason: 'LoadBalancerTypeChanged',
      message: /type of the IngressController's load balancer was changed from "Classic" to "NLB"/,
    })
    await router.reports('LoadBalancerReady', { status: 'True' })
    expect(await router.service()).toEqual(before)

    const [, revert = ''] = commandsIn(progressing)
    await cluster.run(revert)
    await router.reports('Progressing', { status: 'False' })
    expect(await router.service()).toEqual(before)
  },
)

story('Deleting the Service makes the load balancer a network load balancer', async (cluster) => {
  const router = await cluster.on('AWS').publish('edge', { scope: 'External' })
  const { uid } = (await router.service()).metadata
  await router.change(ofType('NLB'))
  const progressing = await router.reports('Progressing', {
    status: 'True',
    reason: 'LoadBalancerTypeChanged',
  })
  const [remove = ''] = commandsIn(progressing)
  await cluster.run(remove)
  await router.serviceAfter(uid)
  await router.isProvided()
  await router.reports('Progressing', { status: 'False' })
  expect(await router.annotations()).toMatchObject({ [typeAnnotation]: 'nlb' })
  expect(await router.annotations()).not.toHaveProperty([
    'service.beta.kubernetes.io/aws-load-balancer-proxy-protocol',
  ])
  expect(await router.address()).toMatch(network)
})

story('Scope and type changed at once are both reported, and both carried out', async (cluster) => {
  const router = await cluster.on('AWS').publish('edge', { scope: 'External' })
  const { uid } = (await router.service()).metadata
  await router.change({ scope: 'Internal', ...ofType('NLB') })
  const both = /scope was changed from "External" to "Internal".* type .* from "Classic" to "NLB"/
  await router.reports('Progressing', { status: 'True', reason: 'ScopeChanged', message: both })
  await router.deleteService()
  await router.serviceAfter(uid)
  await router.isProvided()
  await router.reports('Progressing', { status: 'False' })
  expect(await router.address()).toMatch(network)
})

story('The operator replaces the Service once where the auto-delete annotation consents', async (cluster) => {
  const router = await cluster.on('AWS').publish('edge', { scope: 'External', ...ofType('NLB') })
  expect(await router.address()).toMatch(network)
  const { uid } = (await router.service()).metadata
  await router.annotate({ 'ingress.operator.openshift.io/auto-delete-load-balancer': '' })
  await router.change(ofType('Classic'))
  await router.serviceAfter(uid)
  await router.isProvided()
  await router.reports('Progressing', { status: 'False' })
  expect(await router.address()).not.toMatch(network)
  expect(cluster.journal.count('delete Service')).toBe(1)
})

story('A type that is removed from the spec stays what it is', async (cluster) => {
  const router = await cluster.on('AWS').publish('edge', { scope: 'External', ...ofType('NLB') })
  const before = await router.service()
  await router.annotate({ 'ingress.operator.openshift.io/auto-delete-load-balancer': '' })
  await router.change({ providerParameters: null })
  await router.isAnswered()
  await router.reports('Progressing', { status: 'False' })
  expect(await router.service()).toEqual(before)
})

story('The type has no effect on other platforms, and is reported as ignored', async (cluster) => {
  const router = await cluster.on('Azure').publish('edge', { scope: 'External', ...ofType('NLB') })
  await router.reports('AllFieldsSupported', { status: 'False', message: 'aws.type (only on AWS)' })
  expect(await router.annotations()).not.toHaveProperty([typeAnnotation])
})
