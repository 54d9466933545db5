import { formatEndpoint, formatIp, type Ip } from '../ip.ts'
import type { Node } from './node.ts'

/**
 * The balancer that each node of the control plane runs in front of all API servers. One that is not ready is left
 * alone after 15 seconds, well within the 30 that it goes on serving; one that is ready again is used at once. One that
 * does not even answer costs no request: the next one is tried.
 */
export function haproxyConfiguration({ controlPlane, vips, ports }: Node): string {
  const everywhere = vips.api.some(({ family }) => family === 6) ? bothFamilies : ipv4Alone
  return `# Written by portcullis render.
global
  log stdout format raw local0 notice
  maxconn 40000
  # With fewer file descriptors than that, better fewer connections than no API at all.
  no strict-limits

defaults
  mode tcp
  log global
  option dontlognull
  retries 3
  option redispatch 1
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
${binds(ports.balancer, ports.balancerAddresses, everywhere)}
  default_backend control-plane

backend control-plane
  balance roundrobin
  option httpchk GET /readyz
  http-check expect status 200
  option log-health-checks
  default-server check check-ssl verify none inter 5s fall 3 rise 1
${controlPlane.map((ip) => `  server ${formatIp(ip)} ${formatEndpoint(ip, ports.api)}`).join('\n')}

frontend ready
${binds(ports.balancerReady, ports.balancerAddresses, everywhere)}
  mode http
  monitor-uri /haproxy_ready

frontend statistics
${binds(ports.balancerStatistics, ports.balancerAddresses, loopback)}
  mode http
  stats enable
  stats uri /
`
}

const bothFamilies = (port: number) => `bind [::]:${port} v4v6`
/** A node may have no IPv6 at all, where HAProxy could not start with it. */
const ipv4Alone = (port: number) => `bind 0.0.0.0:${port}`
const loopback = (port: number) => `bind 127.0.0.1:${port}`

function binds(port: number, addresses: readonly Ip[], otherwise: (port: number) => string): string {
  const lines = addresses.map((ip) => `bind ${formatEndpoint(ip, port)}`)
  return (lines.length === 0 ? [otherwise(port)] : lines).map((line) => `  ${line}`).join('\n')
}
