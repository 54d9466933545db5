import { microTime } from '@portcullis/kube'
import { Ingress, Lease } from '@portcullis/kube/internal/objects/kinds.ts'
import { expect } from 'vitest'
import { eventually } from '../clusters/eventually.ts'
import type { Cluster } from './cluster.ts'
import { aNamespace, anIngress, classOf, whileRecording } from './ingresses.ts'
import { stories } from './story.ts'

const { alone } = stories()

const count = 20

const write = ({ client, lease }: Cluster, spec: object) =>
  client.patch(Lease, lease, { type: 'merge', body: { spec } })

/** Another process holds the lease from now on. */
const depose = (cluster: Cluster) =>
  write(cluster, { holderIdentity: 'rival', renewTime: microTime(new Date()), leaseDurationSeconds: 3600 })

/** As a holder leaves it that gave it back. */
const free = { holderIdentity: '', renewTime: '2020-01-01T00:00:00.000000Z' }

// Alone, because it counts.
alone('An operator that leads again writes only what has changed meanwhile', async (cluster) => {
  cluster.on('Azure').elected()
  await cluster.prepare()
  await cluster.client.create(Lease, { metadata: cluster.lease, spec: free })
  const router = await cluster.publish('edge', { scope: 'External' })
  const namespace = await aNamespace(cluster)
  const create = (prefix: string) =>
    Promise.all(
      Array.from({ length: count }, (_, number) =>
        cluster.client.create(Ingress, anIngress(namespace, `${prefix}-${number}`, classOf(router))),
      ),
    )
  await whileRecording(cluster, namespace, async (seen) => {
    const address = await router.address()
    const settled = () => [...seen.values()].filter((each) => each.at(-1) === address)
    await create('old')
    await eventually(() => expect(settled()).toHaveLength(count))

    await depose(cluster)
    await eventually(() => expect(cluster.log).toContain('No longer leading'))
    cluster.journal.turnPage()
    // Not even events are written by who does not lead, and nothing piles up that would be written later.
    await create('new')
    await eventually(() => expect(seen.size).toBe(2 * count))
    expect(cluster.journal.lines).toEqual([])

    await write(cluster, free)
    await eventually(() => expect(settled()).toHaveLength(2 * count))
    await router.everythingIsSeen()
    for (const addresses of seen.values()) expect(addresses).toEqual(['', address])
    expect(cluster.journal.count('patch Ingress/status')).toBe(count)
  })
})
