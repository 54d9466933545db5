import { formatIp, type Ip } from '../ip.ts'
import type { Node } from './node.ts'

/**
 * The balancer that each node of the control plane runs in front of all API servers. One that is not ready is left
 * alone after 15 seconds, well within the 30 that it goes on serving; one that is ready again is used at once.
 */
export function haproxyConfiguration({ controlPlane, ports }: Node): string {
  return `# Written by portcullis render.
global
  log stdout format raw local0 notice
  maxconn 40000

defaults
  mode tcp
  log global
  option dontlognull
  retries 3
  maxconn 40000
  timeout connect 10s
  timeout check 5s
  timeout client 1m
  timeout client-fin 1s
  timeout server 1m
  timeout server-fin 1s
  timeout tunnel 1h
  timeout http-request 30s

frontend api
${binds(ports.balancer, ports.balancerAddresses)}
  default_backend control-plane

backend control-plane
  balance roundrobin
  option httpchk GET /readyz
  http-check expect status 200
  option log-health-checks
  default-server check check-ssl verify none inter 5s fall 3 rise 1
${controlPlane.map((ip) => `  server ${formatIp(ip)} ${endpoint(ip, ports.api)}`).join('\n')}

frontend ready
${binds(ports.balancerReady, ports.balancerAddresses)}
  mode http
  monitor-uri /haproxy_ready

frontend statistics
${binds(ports.balancerStatistics, [ports.balancerAddresses[0] ?? loopback])}
  mode http
  stats enable
  stats uri /
`
}

const loopback: Ip = { family: 4, number: 0x7f000001n }

/** On every address of both families where none are listed. */
function binds(port: number, addresses: readonly Ip[]): string {
  if (addresses.length === 0) return `  bind [::]:${port} v4v6`
  return addresses.map((ip) => `  bind ${endpoint(ip, port)}`).join('\n')
}

function endpoint(ip: Ip, port: number): string {
  return `${ip.family === 6 ? `[${formatIp(ip)}]` : formatIp(ip)}:${port}`
}
