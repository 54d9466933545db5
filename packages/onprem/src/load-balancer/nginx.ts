import { endpoint } from '../endpoint.ts'
import type { Balancer, FrontEnd } from './balancer.ts'

/** A whole nginx.conf. */
export function toNginx({ domain, frontEnds }: Balancer): string {
  return `${head(domain)}\n\nstream {\n${frontEnds.map(section).join('\n\n')}\n}\n`
}

function head(domain: string): string {
  return `# Load balancer of the OpenShift cluster ${domain}, for nginx with its stream module.
# TLS goes through untouched to the nodes: clients and nodes must see their certificates.
#
# This nginx asks no member whether it is ready: only NGINX Plus has health checks. A member is left out for a while
# after it refused a connection or did not take it in time, and that is all. While a node drains (its /readyz fails,
# but it still takes connections) some requests will fail that a load balancer with health checks would have sent
# elsewhere. "portcullis preflight" says so, unless it is run with --accept no-health-checks

include /etc/nginx/modules-enabled/*.conf;
include /usr/share/nginx/modules/*.conf;

worker_processes auto;

events {
  worker_connections 8192;
}`
}

function section(frontEnd: FrontEnd): string {
  const { service, title, addresses, port, members, staysWithMember, sources, check } = frontEnd
  const lines = [
    `# ${title}`,
    `upstream ${service} {`,
    // Shared between the worker processes, so that what one learned of a member is known to all.
    `  zone ${service} 256k;`,
    ...(staysWithMember ? ['  hash $remote_addr consistent;'] : []),
    ...members.map(({ name, address, port, isTemporary }) => {
      const end = isTemporary ? ' Remove it when "bootstrap complete" is reported, and reload.' : ''
      return `  server ${endpoint(address, port)} max_fails=1 fail_timeout=${Math.ceil((check.intervalMs * check.rise) / 1000)}s; # ${name}.${end}`
    }),
    '}',
    '',
    'server {',
    ...addresses.map((address) => `  listen ${endpoint(address, port)};`),
    ...(sources === undefined
      ? []
      : [
          '  # It hands out secrets, to nodes alone.',
          ...sources.map((network) => `  allow ${network};`),
          '  deny all;',
        ]),
    `  proxy_pass ${service};`,
    `  proxy_connect_timeout ${Math.ceil(check.timeoutMs / 1000)}s;`,
    '  # A connection may be silent for this long: oc exec, logs -f and port-forward live on it.',
    '  proxy_timeout 1h;',
    '}',
  ]
  return lines.map((line) => (line === '' ? '' : `  ${line}`)).join('\n')
}
