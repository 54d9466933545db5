import { findCondition, Service } from '@portcullis/kube'
import type { StrategyType } from '@portcullis/operator/internal/api/endpoint-publishing-strategy.ts'
import { expect } from 'vitest'
import { eventually } from '../clusters/eventually.ts'
import type { Inside } from '../clusters/inside.ts'
import { type Load, type LoadOptions, startLoad } from '../clusters/load/load.ts'
import type { HealthCheck } from '../clusters/real-nodes/cloud/load-balancer.ts'
import type { Router } from '../e2e/router.ts'
import { type Installation, operandNamespace } from './installation.ts'

/** Where a client sends its requests to. */
export interface WayIn {
  readonly name: string
  readonly inside: Inside
  readonly ip: string
  readonly port: number
}

/** How often, and how patiently, a load balancer of one's own is to ask: what the guide says. */
export const documentedHealthCheck: Omit<HealthCheck, 'port'> = {
  path: '/healthz/ready',
  intervalMs: 5_000,
  timeoutMs: 5_000,
  healthyAfter: 2,
  unhealthyAfter: 2,
}

/** Waits until a client can come in by the strategy that the controller has; a client outside, but for `Private`. */
export function openWayIn(
  installation: Installation,
  router: Router,
  strategy: StrategyType,
): Promise<WayIn> {
  const ways = {
    LoadBalancerService: () => byLoadBalancer(installation, router),
    HostNetwork: () => byOwnLoadBalancer(installation, router, 'host', hostPorts),
    NodePortService: () => byOwnLoadBalancer(installation, router, 'node', nodePorts),
    Private: () => byClusterIp(installation, router),
  } as const satisfies Record<StrategyType, () => Promise<WayIn>>
  return ways[strategy]()
}

async function byLoadBalancer({ bed, cloud }: Installation, router: Router): Promise<WayIn> {
  const { ip, scope } = await eventually(async () => {
    const address = await router.address()
    expect(await publishedAddressOf(router)).toBe(address)
    const [ip = ''] = cloud.resolve(address ?? '')
    const name = `${operandNamespace}/${router.operandRef.name}`
    const { scope } = cloud.loadBalancers.find((each) => each.name === name) ?? {}
    expect(Object.values(cloud.health[name] ?? {})).toContain('healthy')
    return { ip, scope: scope ?? 'External' }
  }, 120_000)
  return { name: `load balancer of ${router.name}`, inside: bed.insideClient(scope), ip, port: 80 }
}

interface Ports {
  readonly http: number
  readonly stats: number
}

/** The customer's own load balancer, in front of ports of all nodes. */
async function byOwnLoadBalancer(
  installation: Installation,
  router: Router,
  kind: 'host' | 'node',
  portsOf: (router: Router, installation: Installation) => Promise<Ports>,
): Promise<WayIn> {
  const { bed, cloud } = installation
  const { http, stats } = await portsOf(router, installation)
  // Other ports make another load balancer: the one before goes on.
  const name = `${kind} port ${http} of ${router.name}`
  const [ip = ''] = cloud.setOwnLoadBalancer(name, {
    scope: 'External',
    ports: [{ port: 80, targetPort: http }],
    healthCheck: { ...documentedHealthCheck, port: stats },
  })
  await eventually(async () => {
    expect(await publishedAddressOf(router)).toContain('198.51.100.')
    expect(Object.values(cloud.health[name] ?? {})).toContain('healthy')
  }, 120_000)
  return { name, inside: bed.insideClient('External'), ip, port: 80 }
}

async function hostPorts(router: Router): Promise<Ports> {
  const { hostNetwork } = (await router.isAnswered()).spec?.endpointPublishingStrategy ?? {}
  return { http: hostNetwork?.httpPort ?? 80, stats: hostNetwork?.statsPort ?? 1936 }
}

function nodePorts(router: Router, { client }: Installation): Promise<Ports> {
  return eventually(async () => {
    const name = `router-nodeport-${router.name}`
    const { spec } = await client.get(Service, { namespace: operandNamespace, name })
    const portNamed = (name: string) => spec?.ports?.find((port) => port.name === name)?.nodePort ?? 0
    return { http: portNamed('http'), stats: portNamed('metrics') }
  }, 60_000)
}

/** From a node, where addresses of the cluster lead to pods. */
export async function byClusterIp({ bed, client }: Installation, router: Router): Promise<WayIn> {
  const name = `router-internal-${router.name}`
  const service = await eventually(() => client.get(Service, { namespace: operandNamespace, name }), 60_000)
  const inside = await bed.node('node-a').inside()
  return { name, inside, ip: service.spec?.clusterIP ?? '', port: 80 }
}

/** What the controller says where it is reached. */
export async function publishedAddressOf(router: Router): Promise<string> {
  const published = findCondition((await router.read()).status?.conditions, 'Published')
  return published?.status === 'True' ? (published.message ?? '') : ''
}

/** Steady requests by this way, each on a connection of its own. */
export function loadOn(way: WayIn, options: Partial<LoadOptions> = {}): Promise<Load> {
  const { name, inside, ip, port } = way
  const url = `http://${ip}:${port}/`
  return startLoad({
    inside,
    targets: [{ name, url }],
    ratePerSecond: 10,
    timeoutMs: 4_000,
    connection: 'new',
    ...options,
  })
}
