import { expect } from 'vitest'
import { eventually } from '../clusters/eventually.ts'
import { stories } from './story.ts'

const { story } = stories()

const letItBeDeleted = { 'ingress.operator.openshift.io/auto-delete-load-balancer': '' }
const internalOnAws = 'service.beta.kubernetes.io/aws-load-balancer-internal'

story('The operator replaces an annotated Service once the cloud has released it', async (cluster) => {
  const router = await cluster.on('AWS').publish('edge', { scope: 'External' })
  const { uid } = (await router.service()).metadata
  cluster.faults.inject('slowDeletion')
  cluster.journal.turnPage()
  await router.annotate(letItBeDeleted)
  await router.change({ scope: 'Internal' })

  const waiting = /is being deleted; waiting for the cloud to remove the load balancer/
  await router.reports('Progressing', { status: 'True', reason: 'ReplacingLoadBalancer', message: waiting })
  await router.reports('LoadBalancerReady', { status: 'False', reason: 'ServiceBeingDeleted' })
  expect((await router.service()).metadata.uid).toBe(uid)

  await router.serviceAfter(uid)
  await router.isProvided()
  await router.reports('Progressing', { status: 'False' })
  expect(await router.address()).toMatch(/^internal-/)
  expect(cluster.journal.count('delete Service')).toBe(1)
  expect(cluster.journal.count('create Service')).toBe(1)
  await router.recordsEvents('ServiceDeleted', 'ServiceCreated', 'ChangeCompleted')
  const [deleted] = (await router.events()).filter(({ reason }) => reason === 'ServiceDeleted')
  expect(deleted?.message).toMatch(
    /from External to Internal, because .* annotation .*auto-delete-load-balancer/,
  )
})

story('The annotation may come after the change', async (cluster) => {
  const router = await cluster.on('OpenStack').publish('edge', { scope: 'Internal' })
  const { uid } = (await router.service()).metadata
  await router.change({ scope: 'External' })
  await router.reports('Progressing', { status: 'True', reason: 'ScopeChanged' })
  await router.annotate(letItBeDeleted)
  await router.serviceAfter(uid)
  await router.isProvided()
  await router.reports('Progressing', { status: 'False' })
  expect(cluster.journal.count('delete Service')).toBe(1)
})

story('The annotation does nothing where there is nothing to change', async (cluster) => {
  const router = await cluster.on('AWS').publish('edge', { scope: 'External' })
  const before = await router.service()
  await router.annotate(letItBeDeleted)
  await router.everythingIsSeen()
  expect(await router.service()).toEqual(before)
})

story('Nothing is deleted where the scope changes in place', async (cluster) => {
  const router = await cluster.on('Azure').publish('edge', { scope: 'External' })
  const { uid } = (await router.service()).metadata
  await router.annotate(letItBeDeleted)
  await router.change({ scope: 'Internal' })
  await eventually(async () => expect(await router.address()).toMatch(/^10\./))
  expect((await router.service()).metadata.uid).toBe(uid)
  expect(cluster.journal.count('delete Service')).toBe(0)
})

story('The annotation does not make an edit of the Service a reason to delete it', async (cluster) => {
  const router = await cluster.on('AWS').publish('edge', { scope: 'External' })
  const { uid } = (await router.service()).metadata
  await router.annotate(letItBeDeleted)
  await router.editService({ metadata: { annotations: { [internalOnAws]: 'true' } } })
  await router.reports('Progressing', {
    status: 'True',
    reason: 'ServiceEdited',
    message: 'was edited and requests',
  })
  await router.everythingIsSeen()
  await router.reports('Progressing', { status: 'True', reason: 'ServiceEdited' })
  expect((await router.service()).metadata.uid).toBe(uid)
  expect(cluster.journal.count('delete Service')).toBe(0)
})

story('An edited Service is not deleted either where addresses do not show the scope', async (cluster) => {
  const scope = 'service.kubernetes.io/ibm-load-balancer-cloud-provider-ip-type'
  const router = await cluster.on('IBMCloud').publish('edge', { scope: 'External' })
  const { uid } = (await router.service()).metadata
  await router.annotate(letItBeDeleted)
  await router.editService({ metadata: { annotations: { [scope]: 'private' } } })
  await router.reports('Progressing', { status: 'True', reason: 'ServiceEdited' })
  expect((await router.service()).metadata.uid).toBe(uid)
  expect(cluster.journal.count('delete Service')).toBe(0)
})

story('The next change waits for the user again once the annotation is removed', async (cluster) => {
  const router = await cluster.on('AWS').publish('edge', { scope: 'External' })
  const { uid } = (await router.service()).metadata
  await router.annotate(letItBeDeleted)
  await router.change({ scope: 'Internal' })
  const after = await router.serviceAfter(uid)
  await router.isProvided()
  await router.annotate({ 'ingress.operator.openshift.io/auto-delete-load-balancer': null })
  await router.change({ scope: 'External' })
  await router.reports('Progressing', { status: 'True', reason: 'ScopeChanged' })
  expect((await router.service()).metadata.uid).toBe(after.metadata.uid)
})

story('An annotation that says "false" is a no, and the message says so', async (cluster) => {
  const router = await cluster.on('AWS').publish('edge', { scope: 'External' })
  const { uid } = (await router.service()).metadata
  await router.annotate({ 'ingress.operator.openshift.io/auto-delete-load-balancer': 'false' })
  await router.change({ scope: 'Internal' })
  await router.reports('Progressing', {
    status: 'True',
    reason: 'ScopeChanged',
    message: 'auto-delete-load-balancer is "false", so the operator does not delete the service itself',
  })
  expect((await router.service()).metadata).toMatchObject({ uid })
  expect(cluster.journal.count('delete Service')).toBe(0)
})
