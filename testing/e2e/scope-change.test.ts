import { setTimeout as pause } from 'node:timers/promises'
import { lastWriteBy } from '@portcullis/kube'
import { expect } from 'vitest'
import { eventually } from '../clusters/eventually.ts'
import { expectedClouds } from '../conformance/controllers/expected-clouds.ts'
import { commandsIn } from './router.ts'
import { stories } from './story.ts'

const { story } = stories()

const internalOnAws = 'service.beta.kubernetes.io/aws-load-balancer-internal'

story(
  'The message of a scope change says what was changed, what to do, what it interrupts and how to revert it',
  async (cluster) => {
    const router = await cluster.on('AWS').publish('edge', { scope: 'External' }, { replicas: 1 })
    await router.isUp()
    const { operatorNamespace, operandNamespace } = cluster.settings
    await router.change({ scope: 'Internal' })
    const { message = '' } = await router.reports('Progressing', { status: 'True', reason: 'ScopeChanged' })
    expect(message).toContain('scope was changed from "External" to "Internal".')
    expect(message).toContain(
      `you must delete the service: \`kubectl -n ${operandNamespace} delete svc/router-${router.name}\``,
    )
    expect(message).toMatch(/This is disruptive: ingress traffic is interrupted .* address/)
    expect(message).toContain(
      `you can revert the change to the IngressController: \`kubectl -n ${operatorNamespace} patch ingresscontrollers/${router.name} --type=merge --patch='{"spec":{"endpointPublishingStrategy":{"type":"LoadBalancerService","loadBalancer":{"scope":"External"}}}}'\``,
    )
    await router.reports('LoadBalancerProgressing', { status: 'True', reason: 'ScopeChanged', message })
    await router.reports('LoadBalancerReady', { status: 'True' })
    await router.reports('Available', { status: 'True' })
    await router.reports('Degraded', { status: 'False' })
  },
)

story('The first command of the message effects the new scope', async (cluster) => {
  const router = await cluster.on('AWS').publish('edge', { scope: 'External' })
  const { uid } = (await router.service()).metadata
  await router.change({ scope: 'Internal' })
  const [remove = ''] = commandsIn(
    await router.reports('Progressing', { status: 'True', reason: 'ScopeChanged' }),
  )
  await cluster.run(remove)
  await router.serviceAfter(uid)
  await router.isProvided()
  await router.reports('Progressing', { status: 'False' })
  expect(await router.annotations()).toMatchObject(expectedClouds.AWS.Internal.annotations)
  expect(await router.address()).toMatch(/^internal-/)
  await router.recordsEvents('ScopeRequested', 'WaitingForUser', 'ServiceCreated', 'ChangeCompleted')
  expect(cluster.journal.count('delete Service')).toBe(0)
})

story('The second command of the message reverts everything', async (cluster) => {
  const router = await cluster.on('AWS').publish('edge', { scope: 'External' })
  const [before, spec] = [await router.service(), (await router.read()).spec]
  await router.change({ scope: 'Internal' })
  const [, revert = ''] = commandsIn(
    await router.reports('Progressing', { status: 'True', reason: 'ScopeChanged' }),
  )
  await cluster.run(revert)
  await router.reports('Progressing', { status: 'False' })
  expect(await router.service()).toEqual(before)
  expect((await router.read()).spec).toEqual(spec)
  await router.recordsEvents('ScopeRequested', 'WaitingForUser', 'ChangeReverted')
})

story('The commands of messages are for oc on OpenShift', async (cluster) => {
  const router = await cluster.on('IBMCloud', { commandLine: 'oc' }).publish('edge', { scope: 'External' })
  await router.change({ scope: 'Internal' })
  const progressing = await router.reports('Progressing', { status: 'True', reason: 'ScopeChanged' })
  const commands = commandsIn(progressing)
  expect(commands).toEqual([expect.stringMatching(/^oc -n /), expect.stringMatching(/^oc -n /)])
  await cluster.run(commands[1] ?? '')
  await router.reports('Progressing', { status: 'False' })
})

story('A Service that a user deletes without a change is recreated as it was', async (cluster) => {
  const router = await cluster.on('OpenStack').publish('edge', { scope: 'Internal' })
  const { uid, annotations } = (await router.service()).metadata
  await router.deleteService()
  expect((await router.serviceAfter(uid)).metadata.annotations).toEqual(annotations)
  await router.isProvided()
  await router.reports('Progressing', { status: 'False' })
})

story('A scope change made while no operator runs is announced at its start', async (cluster) => {
  const router = await cluster.on('AWS').publish('edge', { scope: 'External' })
  const before = await router.service()
  await cluster.stopOperator()
  await router.change({ scope: 'Internal' })
  await cluster.startOperator()
  await router.reports('Progressing', { status: 'True', reason: 'ScopeChanged' })
  expect(await router.service()).toEqual(before)
})

story(
  'A scope change made while no operator runs is carried out at its start, where it needs no consent',
  async (cluster) => {
    const router = await cluster.on('Azure').publish('edge', { scope: 'External' })
    const { uid } = (await router.service()).metadata
    await cluster.stopOperator()
    await router.change({ scope: 'Internal' })
    await cluster.startOperator()
    await eventually(async () => expect(await router.address()).toMatch(/^10\./))
    await router.reports('Progressing', { status: 'False' })
    expect((await router.service()).metadata.uid).toBe(uid)
  },
)

for (const platform of ['Azure', 'GCP'] as const) {
  story(`The API server dates every change of scope in place on ${platform}`, async (cluster) => {
    const router = await cluster.on(platform).publish('edge', { scope: 'External' })
    const writtenAt = async () => lastWriteBy('portcullis', await router.service())?.getTime() ?? 0
    let before = await writtenAt()
    for (const scope of ['Internal', 'External']) {
      await pause(1_100) // Its times have whole seconds.
      const address = await router.address()
      await router.change({ scope })
      await eventually(async () => expect(await router.address()).not.toBe(address))
      const after = await writtenAt()
      expect(after).toBeGreaterThan(before)
      before = after
    }
  })
}

story(
  'A Service deleted while no operator runs comes back with the scope that is wanted by then',
  async (cluster) => {
    const router = await cluster.on('PowerVS').publish('edge', { scope: 'External' })
    const { uid } = (await router.service()).metadata
    await cluster.stopOperator()
    await router.change({ scope: 'Internal' })
    await router.deleteService()
    await cluster.startOperator()
    expect((await router.serviceAfter(uid)).metadata.annotations).toMatchObject(
      expectedClouds.PowerVS.Internal.annotations,
    )
    await router.isProvided()
  },
)

story('An edited annotation that the cloud ignores is reported as an edit', async (cluster) => {
  const router = await cluster.on('AWS').publish('edge', { scope: 'External' })
  const { uid } = (await router.service()).metadata
  await router.editService({ metadata: { annotations: { [internalOnAws]: 'true' } } })
  const edited = await router.reports('Progressing', {
    status: 'True',
    reason: 'ServiceEdited',
    message: /The annotation .*-internal of the service .* was edited .* is still "External"/,
  })
  const [undo = '', wish = ''] = commandsIn(edited)

  await cluster.run(undo)
  await router.reports('Progressing', { status: 'False' })
  expect(await router.annotations()).not.toHaveProperty([internalOnAws])

  await router.editService({ metadata: { annotations: { [internalOnAws]: 'true' } } })
  await router.reports('Progressing', { status: 'True', reason: 'ServiceEdited' })
  await cluster.run(wish)
  const message = 'already request "Internal", but the load balancer is still "External"'
  await router.reports('Progressing', { status: 'True', reason: 'ScopeChanged', message })
  expect((await router.service()).metadata.uid).toBe(uid)
})

story('Several scope changes in a row end where the spec is', async (cluster) => {
  const router = await cluster.on('GCP').publish('edge', { scope: 'External' })
  for (const scope of ['Internal', 'External', 'Internal', 'External', 'Internal'])
    await router.change({ scope })
  await eventually(async () => {
    expect(await router.address()).toMatch(/^10\./)
    expect(await router.wantedScope()).toBe('Internal')
  })
  await router.reports('Progressing', { status: 'False' })
})
