import { setTimeout as pause } from 'node:timers/promises'
import { Ingress, Service } from '@portcullis/kube'
import { IngressController } from '@portcullis/operator'
import { expect } from 'vitest'
import { eventually } from '../clusters/eventually.ts'
import type { Cluster } from './cluster.ts'
import { aClassOf, addressOf, aNamespace, anIngress, classOf, whileRecording } from './ingresses.ts'
import type { Router } from './router.ts'
import { stories } from './story.ts'

const { story } = stories()

const graceMs = 3000
/** A condition reports in whole seconds since when there is no address. */
const roundingMs = 1000
const count = 10

/** A controller, and Ingresses that say its address. */
async function aPublished(cluster: Cluster): Promise<{ router: Router; namespace: string; address: string }> {
  const router = await cluster.publish('edge', { scope: 'External' })
  const namespace = await aNamespace(cluster)
  const ingresses = Array.from({ length: count }, (_, number) =>
    anIngress(namespace, `app-${number}`, classOf(router)),
  )
  await Promise.all(ingresses.map((ingress) => cluster.client.create(Ingress, ingress)))
  const address = (await router.address()) ?? ''
  await allSay(cluster, namespace, address)
  return { router, namespace, address }
}

const allSay = ({ client }: Cluster, namespace: string, address: string) =>
  eventually(async () => {
    const { items } = await client.list(Ingress, { namespace })
    expect(new Set(items.map(addressOf))).toEqual(new Set([address]))
  })

/** The cloud takes the address away, or gives one. */
function giveService({ client }: Cluster, { operandRef }: Router, ip?: string) {
  const body = { status: { loadBalancer: { ingress: ip === undefined ? null : [{ ip }] } } }
  return client.patch(Service, operandRef, { type: 'merge', body }, { subresource: 'status' })
}

story(
  'A lost address stays for the grace period, then goes everywhere in one pass, with an Event',
  async (cluster) => {
    cluster.on('GCP').withAddressSettings({ lostAddressGraceMs: graceMs })
    const { router, namespace, address } = await aPublished(cluster)
    await cluster.stopCloud()
    await whileRecording(cluster, namespace, async (seen) => {
      const lostAt = performance.now()
      await giveService(cluster, router)
      await router.reports('Published', { status: 'False' })
      expect(seen.size).toBe(0)
      await eventually(() => expect(seen.size).toBeGreaterThan(0))
      expect(performance.now() - lostAt).toBeGreaterThan(graceMs - roundingMs)
      await allSay(cluster, namespace, '')
      for (const addresses of seen.values()) expect(addresses).toEqual([''])
    })
    await router.recordsEvents('AddressesRemoved')
    await giveService(cluster, router, address)
    await allSay(cluster, namespace, address)
  },
)

story(
  'An address that comes back within the grace period is kept, and another one replaces it',
  async (cluster) => {
    cluster.on('GCP').withAddressSettings({ lostAddressGraceMs: graceMs })
    const { router, namespace, address } = await aPublished(cluster)
    await cluster.stopCloud()
    await whileRecording(cluster, namespace, async (seen) => {
      for (const next of [address, '192.0.2.77']) {
        await giveService(cluster, router)
        await router.reports('Published', { status: 'False' })
        await giveService(cluster, router, next)
        await router.reports('Published', { status: 'True', message: next })
      }
      await allSay(cluster, namespace, '192.0.2.77')
      await pause(graceMs)
      for (const addresses of seen.values()) expect(addresses).toEqual(['192.0.2.77'])
    })
  },
)

story('A lost address stays with a grace period of "never"', async (cluster) => {
  cluster.on('GCP').withAddressSettings({ lostAddressGraceMs: Number.POSITIVE_INFINITY })
  const { router, namespace, address } = await aPublished(cluster)
  await cluster.stopCloud()
  await whileRecording(cluster, namespace, async (seen) => {
    await giveService(cluster, router)
    await router.reports('Published', { status: 'False' })
    await router.everythingIsSeen()
    await pause(1000)
    expect(seen.size).toBe(0)
  })
  await allSay(cluster, namespace, address)
})

story(
  'A controller deleted while no operator leads leaves no address behind, whatever class led to it',
  async (cluster) => {
    cluster.on('Azure').withAddressSettings({ lostAddressGraceMs: 1000 })
    const router = await cluster.publish('edge', { scope: 'External' })
    const { client } = cluster
    const namespace = await aNamespace(cluster)
    const own = await aClassOf(cluster, router, `own-${namespace}`)
    await client.create(Ingress, anIngress(namespace, 'ours', own))
    await client.create(Ingress, anIngress(namespace, 'theirs', own))
    const address = (await router.address()) ?? ''
    await allSay(cluster, namespace, address)
    await cluster.stopOperator()
    const theirs = { status: { loadBalancer: { ingress: [{ ip: '192.0.2.7' }] } } }
    const options = { subresource: 'status', fieldManager: 'other' } as const
    await client.patch(Ingress, { namespace, name: 'theirs' }, { type: 'merge', body: theirs }, options)
    await router.patch({ metadata: { finalizers: null } })
    await client.delete(IngressController, router.ref)
    await router.isGone()
    await cluster.startOperator()
    const read = async (name: string) => addressOf(await client.get(Ingress, { namespace, name }))
    await eventually(async () => expect(await read('ours')).toBe(''))
    expect(await read('theirs')).toBe('192.0.2.7')
  },
)

story(
  'The addresses of a named Service are followed, and go after the grace period when it is deleted',
  async (cluster) => {
    const namespace = await aNamespace(cluster)
    cluster.on('None').withAddressSettings({
      publishService: `${namespace}/front`,
      lostAddressGraceMs: 1000,
      classNames: [namespace],
    })
    const ref = { namespace, name: 'front' }
    await cluster.startOperator()
    await cluster.client.create(Ingress, anIngress(namespace, 'web', namespace))
    await whileRecording(cluster, namespace, async (seen) => {
      await cluster.client.create(Service, {
        metadata: ref,
        spec: { type: 'ExternalName', externalName: 'lb.example.com.' },
      })
      await eventually(() => expect(seen.get('web')).toEqual(['lb.example.com']))
      await cluster.client.patch(Service, ref, {
        type: 'merge',
        body: { spec: { externalName: 'other.example.com' } },
      })
      await eventually(() => expect(seen.get('web')).toEqual(['lb.example.com', 'other.example.com']))
      const lostAt = performance.now()
      await cluster.client.delete(Service, ref)
      await eventually(() => expect(seen.get('web')).toEqual(['lb.example.com', 'other.example.com', '']))
      expect(performance.now() - lostAt).toBeGreaterThan(1000)
    })
  },
)
