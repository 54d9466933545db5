import { selectorText } from '@portcullis/kube'
import type { EnvVar } from 'kubernetes-types/core/v1'
import { routerName } from '../names.ts'
import type { RouterDeploymentInput } from './router-deployment.ts'
import { certificateMount } from './router-security.ts'

const forwardedHeaders = { Append: 'append', Replace: 'replace', IfNone: 'if-none', Never: 'never' } as const

const dnsName = '[A-Za-z0-9._-]*'
const number = '[0-9]+'
const duration = '[0-9]+(us|ms|s|m|h|d)'
const labelSelector = '[A-Za-z0-9 _./,=!()-]*'

/**
 * All environment variables of routers, with the values that they may have, in regular expressions. Some become part of
 * HAProxy's configuration as they are, where a line break would begin a line that a user has written: the admission
 * policy holds the operator to these.
 */
export const routerVariables = {
  ROUTER_SERVICE_NAME: dnsName,
  ROUTER_SERVICE_NAMESPACE: dnsName,
  ROUTER_DOMAIN: dnsName,
  ROUTER_CANONICAL_HOSTNAME: dnsName,
  STATS_PORT: number,
  ROUTER_SERVICE_HTTP_PORT: number,
  ROUTER_SERVICE_HTTPS_PORT: number,
  ROUTER_METRICS_TYPE: 'haproxy',
  ROUTER_THREADS: number,
  RELOAD_INTERVAL: duration,
  ROUTER_SET_FORWARDED_HEADERS: Object.values(forwardedHeaders).join('|'),
  ROUTER_USE_PROXY_PROTOCOL: 'true',
  ROUTER_DEFAULT_TUNNEL_TIMEOUT: duration,
  NAMESPACE_LABELS: labelSelector,
  ROUTE_LABELS: labelSelector,
  DEFAULT_CERTIFICATE_DIR: certificateMount.mountPath,
} as const satisfies Readonly<Record<string, string>>

/** The environment of the routers: the variables that OpenShift's router reads. */
export function routerEnvironment(input: RouterDeploymentInput): EnvVar[] {
  const { controller, settings, domain, strategy } = input
  const { name } = controller.metadata
  const { httpHeaders, namespaceSelector, routeSelector, defaultCertificate } = controller.spec ?? {}
  const { httpPort = 80, httpsPort = 443, statsPort = 1936 } = strategy.hostNetwork ?? {}
  const onHost = strategy.type === 'HostNetwork'
  return variables({
    ROUTER_SERVICE_NAME: name,
    ROUTER_SERVICE_NAMESPACE: settings.operandNamespace,
    ROUTER_DOMAIN: domain,
    ROUTER_CANONICAL_HOSTNAME: `${routerName(name)}.${domain}`,
    STATS_PORT: String(statsPort),
    ROUTER_SERVICE_HTTP_PORT: onHost ? String(httpPort) : undefined,
    ROUTER_SERVICE_HTTPS_PORT: onHost ? String(httpsPort) : undefined,
    ROUTER_METRICS_TYPE: 'haproxy',
    ROUTER_THREADS: '4',
    RELOAD_INTERVAL: '5s',
    ROUTER_SET_FORWARDED_HEADERS: forwardedHeaders[httpHeaders?.forwardedHeaderPolicy ?? 'Append'],
    ROUTER_USE_PROXY_PROTOCOL: expectsProxyProtocol(input) ? 'true' : undefined,
    // A network load balancer drops connections that are idle for 350 seconds, without a word.
    ROUTER_DEFAULT_TUNNEL_TIMEOUT: input.loadBalancerType === 'NLB' ? '349s' : undefined,
    NAMESPACE_LABELS: selectorText(namespaceSelector),
    ROUTE_LABELS: selectorText(routeSelector),
    DEFAULT_CERTIFICATE_DIR: defaultCertificate?.name ? certificateMount.mountPath : undefined,
  })
}

function expectsProxyProtocol({ strategy, loadBalancerSendsProxyHeader }: RouterDeploymentInput): boolean {
  const { hostNetwork, nodePort, private: hidden } = strategy
  const protocol = hostNetwork?.protocol ?? nodePort?.protocol ?? hidden?.protocol
  return protocol === 'PROXY' || loadBalancerSendsProxyHeader
}

function variables(values: Readonly<Record<keyof typeof routerVariables, string | undefined>>): EnvVar[] {
  return Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [{ name, value }]))
}
