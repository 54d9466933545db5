import { formatIp, type Ip, sameIp } from '../ip.ts'
import type { Node } from './node.ts'

/** A virtual IP that this node may hold. */
interface Instance {
  readonly name: string
  readonly ip: Ip
  readonly routerId: number
  /** The highest of those that can be reached holds the address. */
  readonly priority: number
  readonly checks: readonly Check[]
  /** The others that may hold it. */
  readonly others: readonly Ip[]
}

/** Something that makes a node a better holder while it is right. */
interface Check {
  readonly name: string
  readonly url: string
  readonly weight: number
}

/** Which node holds the virtual IPs: bootstrap as long as it is there, then a node that serves what is behind them. */
export function keepalivedConfiguration(node: Node): string {
  const instances = instancesOf(node)
  const checks = [
    ...new Map(instances.flatMap((each) => each.checks).map((check) => [check.name, check])).values(),
  ]
  return [
    '# Written by portcullis render.',
    'global_defs {',
    '  enable_script_security',
    '  script_user root',
    '  vrrp_garp_master_refresh 60',
    '}',
    ...checks.flatMap(scriptOf),
    ...instances.flatMap((instance) => blockOf(instance, node)),
    '',
  ].join('\n')
}

function instancesOf(node: Node): readonly Instance[] {
  const { role, vips, domain, controlPlane, workers, ports } = node
  const apiId = routerIdOf(domain)
  const balancer = { name: 'balancer', url: `https://localhost:${ports.balancer}/readyz`, weight: 20 }
  const apiServer = { name: 'api_server', url: `https://localhost:${ports.api}/readyz`, weight: 5 }
  const router = { name: 'router', url: `http://localhost:${ports.routerReady}/healthz/ready`, weight: 50 }
  const api = vips.api.map((ip, i) => ({
    name: `api_${i}`,
    ip,
    routerId: apiId,
    // Until bootstrap is gone it has the only API server that is sure to answer: more than 40 and both weights.
    priority: role === 'bootstrap' ? 70 : 40,
    checks: role === 'bootstrap' ? [] : [balancer, apiServer],
    others: controlPlane,
  }))
  const ingress = vips.ingress.map((ip, i) => ({
    name: `ingress_${i}`,
    ip,
    routerId: apiId + 1,
    priority: 20,
    checks: [router],
    others: [...controlPlane, ...workers],
  }))
  if (role === 'bootstrap') return api
  return role === 'master' ? [...api, ...ingress] : ingress
}

/** Two clusters in one network must differ: an odd number from 1 to 253 for the API, and the next for ingress. */
function routerIdOf(domain: string): number {
  let hash = 0x811c9dc5
  for (const byte of Buffer.from(domain)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0
  return (hash % 127) * 2 + 1
}

function scriptOf({ name, url, weight }: Check): string[] {
  return [
    '',
    `vrrp_script ${name} {`,
    `  script "/usr/bin/curl --output /dev/null --silent --fail --insecure --max-time 3 ${url}"`,
    '  interval 2',
    '  timeout 5',
    '  rise 2',
    '  fall 3',
    `  weight ${weight}`,
    '}',
  ]
}

function blockOf(instance: Instance, node: Node): string[] {
  const { name, ip, routerId, priority, checks } = instance
  return [
    '',
    `vrrp_instance ${name} {`,
    '  state BACKUP',
    `  interface ${node.interface}`,
    `  virtual_router_id ${routerId}`,
    `  priority ${priority}`,
    '  advert_int 1',
    ...(node.vrrp === 'unicast' ? peersOf(instance, node) : []),
    '  virtual_ipaddress {',
    `    ${formatIp(ip)}/${ip.family === 4 ? 32 : 128}`,
    '  }',
    ...(checks.length === 0
      ? []
      : ['  track_script {', ...checks.map((check) => `    ${check.name}`), '  }']),
    '}',
  ]
}

/** Nodes speak with each other in the family of the address that they share. */
function peersOf({ ip, others }: Instance, { own }: Node): string[] {
  const self = own.find(({ family }) => family === ip.family)
  const peers = others.filter((each) => each.family === ip.family && !(self && sameIp(each, self)))
  const kind = `IPv${ip.family}`
  if (self === undefined)
    throw new Error(
      `${formatIp(ip)} cannot be held with unicast: the node's own ${kind} address is not known; give it as --node-ip.`,
    )
  if (peers.length === 0)
    throw new Error(
      `${formatIp(ip)} cannot be held with unicast: no ${kind} address of another node is known; give them as --control-plane and --workers.`,
    )
  return [
    `  unicast_src_ip ${formatIp(self)}`,
    '  unicast_peer {',
    ...peers.map((peer) => `    ${formatIp(peer)}`),
    '  }',
  ]
}
