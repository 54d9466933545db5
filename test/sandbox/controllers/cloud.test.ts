import type { Service as CoreService, Event } from 'kubernetes-types/core/v1'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CoreEvent, Node, Service } from '../../../src/kube/kinds.ts'
import { registerCloud } from '../../../src/sandbox/controllers/cloud/cloud.ts'
import { CloudFaults } from '../../../src/sandbox/controllers/cloud/faults.ts'
import { eventually } from '../../kube/cluster.ts'
import { type Bed, startBed } from './bed.ts'

const faults = new CloudFaults()
let bed: Bed

beforeAll(async () => {
  bed = await startBed((surroundings) =>
    registerCloud({
      ...surroundings,
      platform: 'Azure',
      timing: { provisioningMs: 50, deletionMs: 50, retryBaseMs: 100 },
      faults,
    }),
  )
})
afterAll(() => bed.stop())

const internal = 'service.beta.kubernetes.io/azure-load-balancer-internal'

function aService(name: string, annotations: Record<string, string> = {}) {
  return bed.client.create(Service, {
    metadata: { namespace: 'default', name, annotations },
    spec: { type: 'LoadBalancer', ports: [{ port: 80 }], selector: { app: name } },
  })
}

const read = (name: string) => bed.client.get(Service, { namespace: 'default', name })

const addressOf = ({ status }: CoreService) => status?.loadBalancer?.ingress?.[0]

const addressed = (name: string) =>
  eventually(async () => {
    const service = await read(name)
    expect(addressOf(service)).toBeDefined()
    return service
  })

async function eventsOf(name: string): Promise<Event[]> {
  const { items } = await bed.client.list(CoreEvent, { namespace: 'default' })
  return items.filter(({ involvedObject }) => involvedObject.name === name)
}

describe('on the real API server, the cloud', () => {
  it('gives a Service a finalizer, an address and events, with a warning while there are no nodes', async () => {
    await aService('plain')
    const service = await addressed('plain')
    expect(service.metadata.finalizers).toEqual(['service.kubernetes.io/load-balancer-cleanup'])
    expect(addressOf(service)).toEqual({
      ip: expect.stringMatching(/^(203\.0\.113|198\.51\.100)\./),
      ipMode: 'VIP',
    })
    await eventually(async () => {
      expect(
        (await eventsOf('plain')).map(({ reason, message, source }) => [source?.component, reason, message]),
      ).toEqual([
        ['service-controller', 'EnsuringLoadBalancer', 'Ensuring load balancer'],
        ['service-controller', 'UnAvailableLoadBalancer', 'There are no available nodes for LoadBalancer'],
        ['service-controller', 'EnsuredLoadBalancer', 'Ensured load balancer'],
      ])
    })
  })

  it('changes the scope in place and gives a new address', async () => {
    await aService('scoped', { [internal]: 'true' })
    const before = await addressed('scoped')
    expect(addressOf(before)?.ip).toMatch(/^10\./)
    await bed.client.patch(Service, before.metadata, {
      type: 'merge',
      body: { metadata: { annotations: { [internal]: null } } },
    })
    await eventually(async () => expect(addressOf(await read('scoped'))?.ip).toMatch(/^(203|198)/))
  })

  it('takes the load balancer away when the type changes, and when the Service goes', async () => {
    await aService('typed')
    const { metadata } = await addressed('typed')
    await bed.client.patch(Service, metadata, { type: 'merge', body: { spec: { type: 'ClusterIP' } } })
    await eventually(async () => {
      const service = await read('typed')
      expect(service.metadata.finalizers).toBeUndefined()
      expect(service.status?.loadBalancer).toEqual({})
    })
    await bed.client.patch(Service, metadata, { type: 'merge', body: { spec: { type: 'LoadBalancer' } } })
    await addressed('typed')
    await bed.client.delete(Service, metadata)
    await eventually(() => expect(read('typed')).rejects.toThrow(/NotFound/))
  })

  it('fails by annotation, tries again with a count on one event, and recovers when it is removed', async () => {
    const { metadata } = await aService('poor', { 'sandbox.portcullis.dev/cloud-fault': 'quota' })
    await eventually(async () => {
      const failed = (await eventsOf('poor')).filter(({ reason }) => reason === 'SyncLoadBalancerFailed')
      expect(failed).toHaveLength(1)
      expect(failed[0]?.message).toMatch(
        /^Error syncing load balancer: failed to ensure load balancer: .*Limit/,
      )
      expect(failed[0]?.count).toBeGreaterThanOrEqual(2)
    })
    await bed.client.patch(Service, metadata, {
      type: 'merge',
      body: { metadata: { annotations: { 'sandbox.portcullis.dev/cloud-fault': null } } },
    })
    await addressed('poor')
  })

  it('keeps the finalizer while deletion is denied', async () => {
    const { metadata } = await aService('stuck')
    await addressed('stuck')
    faults.inject('denied', { service: 'default/stuck' })
    await bed.client.delete(Service, metadata)
    await eventually(async () => {
      const reasons = (await eventsOf('stuck')).map(({ message }) => message)
      expect(reasons).toContainEqual(
        expect.stringMatching(/^Error syncing load balancer: failed to delete load balancer: /),
      )
    })
    expect((await read('stuck')).metadata.finalizers).toHaveLength(1)
    faults.repairAll()
    await eventually(() => expect(read('stuck')).rejects.toThrow(/NotFound/))
  })

  it('changes nothing when it is started anew, and goes on with what was under way', async () => {
    await aService('steady')
    const before = await addressed('steady')
    faults.inject('quota', { service: 'default/halfway' })
    await aService('halfway')
    await eventually(async () => expect((await read('halfway')).metadata.finalizers).toHaveLength(1))
    faults.repairAll()
    await bed.restart()
    await addressed('halfway')
    await eventually(async () => {
      const ensured = (await eventsOf('steady')).filter(({ reason }) => reason === 'EnsuredLoadBalancer')
      expect(ensured).toHaveLength(2)
    })
    expect((await read('steady')).metadata.resourceVersion).toBe(before.metadata.resourceVersion)
  })

  it('tells when the nodes behind a load balancer change', async () => {
    await aService('served')
    await addressed('served')
    const { metadata } = await bed.client.create(Node, { metadata: { name: 'worker-1' } })
    const conditions = [{ type: 'Ready', status: 'True' }]
    const body = { status: { conditions } }
    await bed.client.patch(Node, metadata, { type: 'merge', body }, { subresource: 'status' })
    await eventually(async () => {
      expect((await eventsOf('served')).map(({ message }) => message)).toContain(
        'Updated load balancer with new hosts',
      )
    })
  })

  it('leaves Services with a class alone, and logs no error', async () => {
    await bed.client.create(Service, {
      metadata: { namespace: 'default', name: 'classy' },
      spec: { type: 'LoadBalancer', loadBalancerClass: 'example.com/other', ports: [{ port: 80 }] },
    })
    await aService('last')
    await addressed('last')
    const { metadata, status } = await read('classy')
    expect([metadata.finalizers, status]).toEqual([undefined, { loadBalancer: {} }])
    expect(bed.errors).toEqual([])
  })
})
