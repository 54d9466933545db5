import type { EnvVar } from 'kubernetes-types/core/v1'
import type { LabelSelector } from 'kubernetes-types/meta/v1'
import type { DeepReadonly } from '../../kube/objects.ts'
import { routerName } from '../names.ts'
import type { RouterDeploymentInput } from './router-deployment.ts'

const forwardedHeaders = { Append: 'append', Replace: 'replace', IfNone: 'if-none', Never: 'never' } as const

/** What the routers are told, in the variables that OpenShift's router reads. */
export function routerEnvironment(input: RouterDeploymentInput, certificateDirectory: string): EnvVar[] {
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
    DEFAULT_CERTIFICATE_DIR: defaultCertificate?.name ? certificateDirectory : undefined,
  })
}

function expectsProxyProtocol({ strategy, loadBalancerSendsProxyHeader }: RouterDeploymentInput): boolean {
  const { hostNetwork, nodePort, private: hidden } = strategy
  const protocol = hostNetwork?.protocol ?? nodePort?.protocol ?? hidden?.protocol
  return protocol === 'PROXY' || loadBalancerSendsProxyHeader
}

function variables(values: Readonly<Record<string, string | undefined>>): EnvVar[] {
  return Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [{ name, value }]))
}

/** As `kubectl -l` writes it; undefined where everything is selected. */
export function selectorText(selector: DeepReadonly<LabelSelector> | undefined): string | undefined {
  const equal = Object.entries(selector?.matchLabels ?? {}).map(([key, value]) => `${key}=${value}`)
  const others = (selector?.matchExpressions ?? []).map(({ key, operator, values = [] }) => {
    if (operator === 'Exists') return key
    if (operator === 'DoesNotExist') return `!${key}`
    return `${key} ${operator === 'In' ? 'in' : 'notin'} (${values.join(',')})`
  })
  return [...equal, ...others].join(',') || undefined
}
