import { isNotFound, Node, Service } from '@portcullis/kube'
import { expect } from 'vitest'
import { eventually } from '../clusters/eventually.ts'
import { stories } from './story.ts'
import { onNodes } from './story-nodes.ts'

const { story } = stories()

const toHostNetwork = {
  endpointPublishingStrategy: { type: 'HostNetwork', loadBalancer: null, private: null },
}
const autoDelete = { 'ingress.operator.openshift.io/auto-delete-load-balancer': '' }

for (const from of ['Private', 'LoadBalancerService'] as const) {
  story(
    `A change from ${from} to HostNetwork with fewer nodes than routers leaves nothing of the old way behind`,
    onNodes(3, async (nodes, cluster) => {
      cluster.on('Azure')
      const strategy = { type: from, ...(from !== 'Private' && { loadBalancer: { scope: 'External' } }) }
      const router = await nodes.publish('edge', undefined, {
        replicas: 3,
        endpointPublishingStrategy: strategy,
      })
      if (from === 'LoadBalancerService') await router.isProvided()
      await router.isUp()
      await router.annotate(autoDelete)
      const [closed = '', ...open] = nodes.names
      await cluster.client.patch(
        Node,
        { name: closed },
        { type: 'merge', body: { spec: { unschedulable: true } } },
      )
      await router.changeSpec(toHostNetwork)
      await eventually(async () => {
        await router.ageRouters()
        const there = await nodes.routers(router)
        const places = there.map(({ spec }) => `${spec?.hostNetwork === true} ${spec?.nodeName ?? 'none'}`)
        expect(places.sort()).toEqual([...open, 'none'].map((name) => `true ${name}`).sort())
      }, 20_000)
      await router.reports('PodsScheduled', { status: 'False', reason: 'TooFewNodes' })
      const ref = { namespace: cluster.settings.operandNamespace, name: `router-${router.name}` }
      await eventually(async () => {
        const found = await cluster.client.get(Service, ref).catch((error: unknown) => {
          if (!isNotFound(error)) throw error
        })
        expect(found).toBeUndefined()
      }, 10_000)
    }),
  )
}
