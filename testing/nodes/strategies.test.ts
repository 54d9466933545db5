import { expect, type TestContext, test } from 'vitest'
import { parseEchoedRequest } from '../clusters/load/echoed-request.ts'
import { request } from '../clusters/load/load.ts'
import { clientNetworks } from '../clusters/real-nodes/layout.ts'
import type { Router } from '../e2e/router.ts'
import { createController, isSettled, sharedInstallation } from './installation.ts'
import { openWayIn, publishedAddressOf, type WayIn } from './way-in.ts'

const installation = sharedInstallation()
const { clientIpv4, clientIpv6 } = clientNetworks.External

function create(context: TestContext, name: string, strategy: object): Promise<Router> {
  return createController(installation(), name, strategy, {}, context)
}

/** What the router that answers says of itself and of the client. */
async function answerBy({ inside, ip, port }: WayIn) {
  const url = `http://${ip.includes(':') ? `[${ip}]` : ip}:${port}/`
  const reply = await request({ inside, url })
  expect(reply, url).toMatchObject({ status: 200 })
  return parseEchoedRequest(reply.body ?? '')
}

test.concurrent('A network load balancer brings requests in, with the address of the client', async (context) => {
  const providerParameters = { type: 'AWS', aws: { type: 'NLB' } }
  const router = await create(context, 'nlb', {
    type: 'LoadBalancerService',
    loadBalancer: { scope: 'External', providerParameters },
  })
  const way = await openWayIn(installation(), router, 'LoadBalancerService')
  expect(await answerBy(way)).toMatchObject({ client: clientIpv4, peer: clientIpv4 })
})

test.concurrent('A classic load balancer names the client by the PROXY protocol', async (context) => {
  const router = await create(context, 'classic', { type: 'LoadBalancerService' })
  const answer = await answerBy(await openWayIn(installation(), router, 'LoadBalancerService'))
  expect(answer.client).toBe(clientIpv4)
  expect(answer.peer).not.toBe(clientIpv4)
})

test.concurrent('An internal load balancer brings in requests from inside alone', async (context) => {
  const router = await create(context, 'inside', {
    type: 'LoadBalancerService',
    loadBalancer: { scope: 'Internal' },
  })
  const way = await openWayIn(installation(), router, 'LoadBalancerService')
  expect((await answerBy(way)).client).toBe(clientNetworks.Internal.clientIpv4)
  const outside = installation().bed.insideClient('External')
  const reply = await request({ inside: outside, url: `http://${way.ip}/`, timeoutMs: 2_000 })
  expect(reply.error).toBe('timeout (connecting)')
})

test.concurrent('Ports of the nodes bring requests in, of both families, with the address of the client', async (context) => {
  const { bed } = installation()
  const hostNetwork = { httpPort: 8010, httpsPort: 8011, statsPort: 8012 }
  const router = await create(context, 'host', { type: 'HostNetwork', hostNetwork })
  const way = await openWayIn(installation(), router, 'HostNetwork')
  expect(await answerBy(way)).toMatchObject({ client: clientIpv4, peer: clientIpv4 })
  const addresses = (await publishedAddressOf(router)).split(',')
  const node = bed.nodes.find(({ ipv6 }) => addresses.includes(ipv6))
  const answer = await answerBy({ ...way, ip: node?.ipv6 ?? '', port: hostNetwork.httpPort })
  expect(answer).toMatchObject({ client: clientIpv6, node: node?.name })
})

test.concurrent('Node ports bring requests in, with the address of the client', async (context) => {
  const router = await create(context, 'port', { type: 'NodePortService' })
  const way = await openWayIn(installation(), router, 'NodePortService')
  expect(await answerBy(way)).toMatchObject({ client: clientIpv4, peer: clientIpv4 })
})

test.concurrent('A private controller is reached inside the cluster, and not from outside', async (context) => {
  const router = await create(context, 'private', { type: 'Private' })
  await isSettled(router)
  const way = await openWayIn(installation(), router, 'Private')
  await answerBy(way)
  const reply = await request({
    inside: installation().bed.insideClient('External'),
    url: `http://${way.ip}/`,
    timeoutMs: 2_000,
  })
  expect(reply.status).toBeUndefined()
})
