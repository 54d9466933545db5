import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { eventually } from '../clusters/eventually.ts'
import { parseEchoedRequest } from '../clusters/load/echoed-request.ts'
import { request, startLoad } from '../clusters/load/load.ts'
import { Cloud } from '../clusters/real-nodes/cloud/cloud.ts'
import { healthCheckTiming } from '../clusters/real-nodes/cloud/wanted-load-balancers.ts'
import type { Scope } from '../clusters/real-nodes/layout.ts'
import { clientNetworks } from '../clusters/real-nodes/layout.ts'
import { sharedNodes } from '../clusters/real-nodes/shared-nodes.ts'

const { bed, images } = sharedNodes()
let cloud: Cloud

beforeAll(async () => {
  cloud = await Cloud.start(bed, 'AWS')
})
afterAll(() => cloud?.stop())

const internal = { 'service.beta.kubernetes.io/aws-load-balancer-internal': 'true' }
const network = { 'service.beta.kubernetes.io/aws-load-balancer-type': 'nlb' }
const proxied = { 'service.beta.kubernetes.io/aws-load-balancer-proxy-protocol': '*' }

interface Wanted {
  readonly annotations?: Readonly<Record<string, string>>
  readonly policy?: 'Local' | 'Cluster'
  readonly env?: readonly object[]
  readonly nodes?: readonly string[]
}

/** A router on the nodes named, behind a Service of type LoadBalancer, until the test is over. Gives the address in the status. */
async function publish(
  name: string,
  { annotations = {}, policy = 'Local', env = [], nodes = bed.nodes.map((node) => node.name) }: Wanted,
): Promise<string> {
  const labels = { app: name }
  const items = [
    {
      apiVersion: 'apps/v1',
      kind: 'DaemonSet',
      metadata: { name },
      spec: {
        selector: { matchLabels: labels },
        template: {
          metadata: { labels },
          spec: {
            affinity: {
              nodeAffinity: {
                requiredDuringSchedulingIgnoredDuringExecution: {
                  nodeSelectorTerms: [
                    { matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In', values: nodes }] },
                  ],
                },
              },
            },
            containers: [
              {
                name: 'router',
                image: images.router.name,
                env: [{ name: 'LEAVE_AFTER', value: '0' }, ...env],
                readinessProbe: { httpGet: { path: '/healthz/ready', port: 1936 }, periodSeconds: 1 },
              },
            ],
          },
        },
      },
    },
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name, annotations },
      spec: {
        type: 'LoadBalancer',
        externalTrafficPolicy: policy,
        ipFamilyPolicy: 'RequireDualStack',
        selector: labels,
        ports: [{ name: 'http', port: 80 }],
      },
    },
  ]
  onTestFinished(async () => {
    await bed.kubectl(['delete', 'daemonset,service', name, '--wait=true'])
  })
  const { code, stderr } = await bed.kubectl(['apply', '-f', '-'], {
    input: JSON.stringify({ apiVersion: 'v1', kind: 'List', items }),
  })
  expect(code, stderr).toBe(0)
  return eventually(async () => {
    const path = '{.status.loadBalancer.ingress[0].hostname}'
    const { stdout } = await bed.kubectl(['get', 'service', name, `--output=jsonpath=${path}`])
    expect(stdout).not.toBe('')
    return stdout
  })
}

function sendRequest(scope: Scope, ip: string) {
  const host = ip.includes(':') ? `[${ip}]` : ip
  return request({ inside: bed.insideClient(scope), url: `http://${host}/`, timeoutMs: 2_000 })
}

test('A network load balancer answers clients of both families, whose addresses the router sees', async () => {
  const hostname = await publish('nlb', { annotations: network })
  const ips = await eventually(() => {
    expect(cloud.resolve(hostname)).toHaveLength(2)
    return cloud.resolve(hostname)
  })
  for (const ip of ips) {
    const { body = '' } = await eventually(async () => {
      const reply = await sendRequest('External', ip)
      expect(reply.status).toBe(200)
      return reply
    })
    const { clientIpv4, clientIpv6 } = clientNetworks.External
    expect(parseEchoedRequest(body).client).toBe(ip.includes(':') ? clientIpv6 : clientIpv4)
  }
})

test('An internal load balancer answers clients inside, and none outside', async () => {
  const hostname = await publish('inside', { annotations: { ...network, ...internal } })
  const [ip = ''] = await eventually(() => {
    expect(cloud.resolve(hostname)).toHaveLength(2)
    return cloud.resolve(hostname)
  })
  await eventually(async () => expect((await sendRequest('Internal', ip)).status).toBe(200))
  expect((await sendRequest('External', ip)).error).toBe('timeout (connecting)')
})

test('A classic load balancer with the PROXY protocol names the client to the router', async () => {
  const env = [{ name: 'ROUTER_USE_PROXY_PROTOCOL', value: 'true' }]
  const hostname = await publish('proxied', { annotations: proxied, env })
  const { body = '' } = await eventually(async () => {
    const reply = await sendRequest('External', cloud.resolve(hostname)[0] ?? '127.0.0.1')
    expect(reply.status).toBe(200)
    return reply
  })
  expect(parseEchoedRequest(body)).toMatchObject({ client: clientNetworks.External.clientIpv4 })
  expect(parseEchoedRequest(body).peer).not.toBe(clientNetworks.External.clientIpv4)
})

test('Requests go only to nodes with a router where the policy is Local, and leave a node that dies within seconds', async () => {
  const hostname = await publish('some', { annotations: network, nodes: ['node-a', 'node-b'] })
  await eventually(() => {
    expect(cloud.health['default/some']).toEqual({
      'node-a': 'healthy',
      'node-b': 'healthy',
      'node-c': 'unhealthy',
    })
  })
  const [ip = ''] = cloud.resolve(hostname)
  const node = bed.node('node-b')
  await node.cutOff()
  try {
    await eventually(() => expect(cloud.health['default/some']?.['node-b']).toBe('unhealthy'), 3_000)
    for (let turn = 0; turn < 4; turn++) {
      const { body = '' } = await sendRequest('External', ip)
      expect(parseEchoedRequest(body).node).toBe('node-a')
    }
  } finally {
    await node.heal()
  }
})

test("A customer's own load balancer sends to the nodes whose router is ready", async () => {
  const program = await bed
    .node('node-c')
    .startProcess('python3', '-m', 'http.server', '8085', '--directory', '/etc/cni')
  onTestFinished(() => program.stop())
  const [ip = ''] = cloud.setOwnLoadBalancer('own', {
    scope: 'Internal',
    ports: [{ port: 80, targetPort: 8085 }],
    healthCheck: { ...healthCheckTiming, path: '/', port: 8085 },
  })
  onTestFinished(() => cloud.removeOwnLoadBalancer('own'))
  await eventually(async () => expect((await sendRequest('Internal', ip)).status).toBe(200))
  expect(cloud.health['own']).toMatchObject({ 'node-c': 'healthy', 'node-a': 'unhealthy' })
})

test('Packets that are lost on the way make requests slow, and none of them fail', async () => {
  const node = bed.node('node-a')
  const hostname = await publish('lossy', { annotations: network, nodes: [node.name] })
  await eventually(() => expect(cloud.health['default/lossy']?.[node.name]).toBe('healthy'))
  await node.losePackets(20)
  onTestFinished(() => node.loseNoPackets())
  const load = await startLoad({
    inside: bed.insideClient('External'),
    targets: [{ name: 'lossy', url: `http://${cloud.resolve(hostname)[0]}/` }],
    ratePerSecond: 20,
    timeoutMs: 30_000,
    connection: 'new',
    maxRequests: 60,
  })
  await eventually(() => expect(load.snapshot().targets['lossy']?.sent).toBe(60))
  const { targets, lost } = await load.stop()
  expect(lost).toBe(0)
  // The kernel sends the first packet of a connection again after a second.
  expect(targets['lossy']?.latencyMs.max).toBeGreaterThan(900)
})
