/** What a load balancer in front of a cluster serves: four ports. */
export type ServiceName = 'api' | 'machine-config' | 'https' | 'http'

/** Whom a load balancer asks whether a member is ready. */
export type HealthCheckName = 'api' | 'machine-config' | 'router'

export interface Service {
  /** As people call it. */
  readonly title: string
  readonly port: number
  /** Which of the virtual IPs it is at, and which nodes are behind it. */
  readonly use: 'api' | 'ingress'
  readonly isTls: boolean
  readonly check: HealthCheckName
  /** What is asked of it to see that it answers. */
  readonly path: string
}

export const services = {
  api: {
    title: 'Kubernetes API',
    port: 6443,
    use: 'api',
    isTls: true,
    check: 'api',
    path: '/version',
  },
  'machine-config': {
    title: 'machine configuration',
    port: 22_623,
    use: 'api',
    isTls: true,
    check: 'machine-config',
    path: '/healthz',
  },
  https: { title: 'ingress, HTTPS', port: 443, use: 'ingress', isTls: true, check: 'router', path: '/' },
  http: { title: 'ingress, HTTP', port: 80, use: 'ingress', isTls: false, check: 'router', path: '/' },
} as const satisfies Record<ServiceName, Service>

export const serviceNames = Object.keys(services) as readonly ServiceName[]

export interface Check {
  readonly port: number
  readonly isTls: boolean
  readonly path: string
  /** How long a member that is not ready may still be sent connections: after that it does not answer them. */
  readonly limitMs: number
}

export const healthChecks = {
  api: { port: 6443, isTls: true, path: '/readyz', limitMs: 30_000 },
  'machine-config': { port: 22_623, isTls: true, path: '/healthz', limitMs: 30_000 },
  router: { port: 1936, isTls: false, path: '/healthz/ready', limitMs: 45_000 },
} as const satisfies Record<HealthCheckName, Check>

/** The ports of members, those of checks included: what routers listen on can be moved, and a rehearsal moves everything. */
export type MemberPorts = Readonly<Record<ServiceName | 'router', number>>

/** Ports of routers that differ from the usual ones, as in `spec.endpointPublishingStrategy.hostNetwork`. */
export interface RouterPorts {
  readonly httpPort?: number | undefined
  readonly httpsPort?: number | undefined
  readonly statsPort?: number | undefined
}

/** @throws a sentence if one of them would be none */
export function memberPorts(
  offset: number,
  { httpPort, httpsPort, statsPort }: RouterPorts = {},
): MemberPorts {
  return {
    api: movedPort(services.api.port, offset),
    'machine-config': movedPort(services['machine-config'].port, offset),
    https: movedPort(httpsPort || services.https.port, offset),
    http: movedPort(httpPort || services.http.port, offset),
    router: movedPort(statsPort || healthChecks.router.port, offset),
  }
}

/** @throws a sentence if there is no such port */
export function movedPort(port: number, offset: number): number {
  if (port + offset <= 65_535) return port + offset
  throw new Error(
    `Port ${port} with --port-offset ${offset} would be ${port + offset}, and ports end at 65535; choose a smaller --port-offset, or another port.`,
  )
}
