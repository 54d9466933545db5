import { Deployment, type Kind, Pod, PodDisruptionBudget, Service } from '@portcullis/kube'
import { ownerLabel } from '@portcullis/operator/internal/ingress/names.ts'
import { expect } from 'vitest'
import { eventually } from '../clusters/eventually.ts'
import type { Cluster } from './cluster.ts'
import type { Router } from './router.ts'
import { stories } from './story.ts'

const { story } = stories()

/** `Service/router-edge`: all that belongs to a controller. */
async function belongings({ client }: Cluster, { name, operandRef }: Router): Promise<string[]> {
  const options = { namespace: operandRef.namespace, labelSelector: `${ownerLabel}=${name}` }
  const kinds: readonly Kind[] = [Deployment, Pod, PodDisruptionBudget, Service]
  const lists = await Promise.all(kinds.map((kind) => client.list(kind, options)))
  return kinds.flatMap(({ kind }, index) =>
    (lists[index]?.items ?? []).map(({ metadata }) => `${kind}/${metadata.name}`),
  )
}

story('The second of two controllers with one domain reports who holds it, and waits', async (cluster) => {
  const domain = 'apps.example'
  const first = await cluster.on('AWS').publish('first', { scope: 'External' }, { domain })
  const second = await cluster.create('second', { scope: 'External' }, { domain })
  const message = `spec.domain is "apps.example", which is already used by the IngressController "${first.name}"`
  await second.reports('Admitted', { status: 'False', message })
  await expect(second.service()).rejects.toThrow('NotFound')
  await first.reports('Admitted', { status: 'True' })

  await first.delete()
  await first.isGone()
  await second.reports('Admitted', { status: 'True' })
  await second.isProvided()
})

story(
  'A refused controller is admitted when the other changes its domain, or it does so itself',
  async (cluster) => {
    const domain = 'apps.example'
    const first = await cluster.on('AWS').publish('first', { scope: 'External' }, { domain })
    const second = await cluster.create('second', { scope: 'External' }, { domain })
    const third = await cluster.create('third', { scope: 'External' }, { domain })
    for (const each of [second, third]) await each.reports('Admitted', { status: 'False' })
    await third.changeSpec({ domain: 'third.example' })
    await third.reports('Admitted', { status: 'True' })
    await first.changeSpec({ domain: 'first.example' })
    await second.reports('Admitted', { status: 'True' })
    await first.reports('Admitted', { status: 'True' })
  },
)

story(
  'A deleted controller goes after its load balancer and its routers, and leaves nothing behind',
  async (cluster) => {
    const router = await cluster.on('AWS').publish('edge', { scope: 'External' }, { replicas: 1 })
    const { name } = router
    await eventually(async () =>
      expect(await belongings(cluster, router)).toEqual([
        `Deployment/router-${name}`,
        expect.stringMatching(`^Pod/router-${name}-`),
        `PodDisruptionBudget/router-${name}`,
        `Service/router-${name}`,
        `Service/router-internal-${name}`,
      ]),
    )
    expect((await router.read()).metadata.finalizers).toEqual([
      'ingresscontroller.operator.openshift.io/finalizer-ingresscontroller',
    ])

    cluster.faults.inject('slowDeletion')
    cluster.journal.turnPage()
    await router.delete()
    await eventually(async () => expect((await router.service()).metadata.deletionTimestamp).toBeDefined())
    expect(await belongings(cluster, router)).toContain(`Deployment/router-${name}`)
    expect(cluster.journal.lines).not.toContain('delete Deployment')

    await router.isGone()
    expect(await belongings(cluster, router)).toEqual([])
    const deletions = cluster.journal.lines.filter((line) => line.startsWith('delete '))
    expect(deletions.slice(0, 2)).toEqual(['delete Service', 'delete Deployment'])
    expect(deletions.filter((line) => line === 'delete Service')).toHaveLength(2)
  },
)

story('A controller recreated under the same name starts from scratch', async (cluster) => {
  const router = await cluster.on('AWS').publish('edge', { scope: 'Internal' })
  await router.delete()
  await router.isGone()
  const again = await cluster.publish('edge', { scope: 'External' })
  expect(await again.address()).not.toMatch(/^internal-/)
  await again.reports('Progressing', { status: 'False' })
})

story('A controller that was never admitted is deleted at once', async (cluster) => {
  const router = await cluster.on('BareMetal').create('edge', { scope: 'Internal' })
  await router.reports('Admitted', { status: 'False' })
  await router.delete()
  await router.isGone()
})

story('Operands that a user deletes or edits are restored', async (cluster) => {
  const router = await cluster.on('AWS').publish('edge', { scope: 'External' })
  const { client } = cluster
  const before = (await router.deployment()).spec?.template
  await client.delete(Deployment, router.operandRef)
  await eventually(async () => expect((await router.deployment()).spec?.template).toEqual(before))
  const body = {
    spec: { template: { spec: { containers: [{ name: 'router', image: 'example.com/other' }] } } },
  }
  await client.patch(Deployment, router.operandRef, { type: 'strategic', body })
  await eventually(async () => expect((await router.deployment()).spec?.template).toEqual(before))
})
