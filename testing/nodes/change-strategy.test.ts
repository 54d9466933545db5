import { setTimeout as pause } from 'node:timers/promises'
import type { StrategyType } from '@portcullis/operator/internal/api/endpoint-publishing-strategy.ts'
import { afterAll, expect, test, vi } from 'vitest'
import { lostIn, requestsIn } from '../clusters/load/report.ts'
import { printFigures } from './figures.ts'
import { createController, isSettled, sharedInstallation } from './installation.ts'
import { byClusterIp, loadOn, openWayIn } from './way-in.ts'

const installation = sharedInstallation()
const strategies = ['LoadBalancerService', 'HostNetwork', 'NodePortService', 'Private'] as const
/** Each to each other, and from ports of the nodes to other ports. */
const changes = strategies.flatMap((from) =>
  strategies
    .filter((to) => to !== from || to === 'HostNetwork')
    .map((to) => ({ from, to, title: to === from ? 'other ports of the nodes' : to })),
)

vi.setConfig({ maxConcurrency: 4 })

/** A member of another type is refused, so it is taken away. */
function strategyOf(type: StrategyType, firstPort: number): object {
  const hostNetwork = { httpPort: firstPort, httpsPort: firstPort + 1, statsPort: firstPort + 2 }
  // A classic load balancer wants the PROXY protocol of routers, which clients inside do not speak.
  const loadBalancer = { scope: 'External', providerParameters: { type: 'AWS', aws: { type: 'NLB' } } }
  return {
    type,
    hostNetwork: type === 'HostNetwork' ? hostNetwork : null,
    loadBalancer: type === 'LoadBalancerService' ? loadBalancer : null,
  }
}

const shortNames = {
  LoadBalancerService: 'lb',
  HostNetwork: 'host',
  NodePortService: 'port',
  Private: 'private',
}

/** Less than the TTL of 30 seconds of OpenShift's DNS records, because host ports are left as soon as their routers are replaced. */
const clientsFollowMs = 20_000

const total = { requests: 0, lost: 0 }
afterAll(() =>
  printFigures(
    'Every strategy becomes every other, and host ports become others',
    `${total.requests} requests`,
    `${total.lost} lost`,
  ),
)

test.concurrent.for(changes)(
  'No request is lost when $from becomes $title',
  {
    retry: 0,
  },
  async (change, context) => {
    const all = installation()
    const { from, to } = change
    // Controllers share the nodes, each with ports of its own.
    const firstPort = 8100 + 20 * changes.indexOf(change)
    const name = `${shortNames[from]}-to-${shortNames[to]}`
    const router = await createController(all, name, strategyOf(from, firstPort), {}, context)
    await isSettled(router)
    const inside = await loadOn(await byClusterIp(all, router))
    const before = await loadOn(await openWayIn(all, router, from))
    // Who makes it private wants nobody outside to come in any more: their requests end before.
    const untilPrivate = to === 'Private' ? [await before.stop()] : []

    await router.changeSpec({ endpointPublishingStrategy: strategyOf(to, firstPort + 10) })
    await router.isAnswered()
    await router.reports('Admitted', { status: 'True' })
    // A client goes over to the new way as soon as that is published, and open; others know the old one for a while longer.
    const after = await loadOn(await openWayIn(all, router, to))
    const untilClientsMoved = to === 'Private' ? [] : [await pause(clientsFollowMs).then(() => before.stop())]
    await router.reports('DeploymentRollingOut', { status: 'False' }, 240_000)
    await router.reports('Available', { status: 'True' })
    const reports = [...untilPrivate, ...untilClientsMoved, await after.stop(), await inside.stop()]
    total.requests += requestsIn(reports)
    total.lost += lostIn(reports)
    expect(
      reports.map(({ lost }) => lost),
      JSON.stringify(reports, null, 1),
    ).toEqual([0, 0, 0])
  },
)
