import { endpoint } from '../endpoint.ts'
import type { Balancer, FrontEnd, HealthCheck } from './balancer.ts'

/** A whole haproxy.cfg. */
export function toHaproxy({ domain, frontEnds }: Balancer): string {
  return `${[head(domain), ...frontEnds.map((each) => section(each, domain))].join('\n\n')}\n`
}

function head(domain: string): string {
  return `# Load balancer of the OpenShift cluster ${domain}, for HAProxy 2.2 and newer.
# TLS goes through untouched to the nodes: clients and nodes must see their certificates.
# With SELinux, HAProxy may use these ports after: setsebool -P haproxy_connect_any=1

# How many connections there may be follows from the limit of open files: two for each connection (LimitNOFILE).

defaults
  mode tcp
  option redispatch
  retries 3
  timeout connect 10s
  timeout client 1m
  timeout server 1m
  # Once data has flowed, a connection may be silent for this long: oc exec, logs -f and port-forward live on it.
  timeout tunnel 1h
  timeout client-fin 30s
  timeout server-fin 30s`
}

function section(frontEnd: FrontEnd, domain: string): string {
  const { service, title, addresses, port, members, check, staysWithMember, sources } = frontEnd
  const temporary = members.some(({ isTemporary }) => isTemporary)
  const lines = [
    `# ${title}`,
    `frontend ${service}`,
    ...addresses.map((address) => `  bind ${endpoint(address, port)}`),
    ...(sources === undefined
      ? []
      : [
          '  # It hands out secrets, to nodes alone.',
          `  tcp-request connection reject if !{ src ${sources.join(' ')} }`,
        ]),
    `  default_backend ${service}`,
    '',
    `backend ${service}`,
    staysWithMember ? '  balance source' : '  balance roundrobin',
    ...checking(check, domain),
    ...(temporary
      ? ['  # Remove the bootstrap machine when "bootstrap complete" is reported, and reload.']
      : []),
    ...members.map((member) => `  server ${member.name} ${endpoint(member.address, member.port)}`),
  ]
  return lines.join('\n')
}

function checking({ path, port, isTls, intervalMs, timeoutMs, fall, rise }: HealthCheck, domain: string) {
  const tls = isTls ? ' check-ssl verify none' : ''
  return [
    '  option httpchk',
    `  http-check send meth GET uri ${path} ver HTTP/1.1 hdr Host ${domain}`,
    '  http-check expect status 200',
    `  timeout check ${inUnits(timeoutMs)}`,
    `  default-server check port ${port}${tls} inter ${inUnits(intervalMs)} fall ${fall} rise ${rise}`,
  ]
}

function inUnits(milliseconds: number): string {
  return milliseconds % 1000 === 0 ? `${milliseconds / 1000}s` : `${milliseconds}ms`
}
