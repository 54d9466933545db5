import { healthPort, labelsOf, type Manifest, type ManifestOptions } from './options.ts'

interface Alert {
  readonly name: string
  readonly expression: string
  /** For how long it has to hold before the alert fires. */
  readonly for: string
  readonly severity: 'warning' | 'critical'
  readonly summary: string
  readonly description: string
}

const alerts: readonly Alert[] = [
  {
    name: 'PortcullisChangePending',
    expression: 'max by (name) (portcullis_ingress_controller_pending_change_seconds) > 3600',
    for: '1m',
    severity: 'warning',
    summary: 'A change of a load balancer has been waiting for the user for an hour.',
    description:
      'IngressController {{ $labels.name }} needs a new load balancer for a change of its spec. The message of its condition Progressing contains the commands: one to proceed, the other to revert the change.',
  },
  {
    name: 'PortcullisLoadBalancerFailed',
    expression: 'min by (name) (portcullis_ingress_controller_condition{condition="LoadBalancerReady"}) == 0',
    for: '10m',
    severity: 'critical',
    summary: 'A load balancer is not ready.',
    description:
      'The load balancer of IngressController {{ $labels.name }} has not been ready for ten minutes. Its condition LoadBalancerReady contains the error of the cloud.',
  },
  {
    name: 'PortcullisPortsInConflict',
    expression: 'max by (name) (portcullis_ingress_controller_unplaced_routers{cause="PortConflict"}) > 0',
    for: '5m',
    severity: 'critical',
    summary: 'Routers cannot be scheduled because their ports are in use.',
    description:
      '{{ $value }} routers of IngressController {{ $labels.name }} have no node on which their ports are free. Its condition PodsScheduled names the ports, the nodes and the pods that use them.',
  },
  {
    name: 'PortcullisAddressesLagging',
    expression: 'max(portcullis_queue_oldest_seconds{queue="addresses"}) > 60',
    for: '5m',
    severity: 'warning',
    summary: 'Addresses of Ingresses are written late.',
    description:
      'The oldest Ingress in the queue has been waiting for {{ $value | humanizeDuration }}. DNS records that are derived from Ingresses are outdated for as long.',
  },
  {
    name: 'PortcullisWithoutLeader',
    expression: 'sum(portcullis_leader) == 0 or absent(portcullis_leader)',
    for: '5m',
    severity: 'critical',
    summary: 'No operator is leading.',
    description:
      'No operator has been the leader for five minutes: published addresses and load balancers stay as they are, and changes are not applied.',
  },
]

/** The Service by which metrics are found, and with the Prometheus operator all that it needs to find them. */
export function monitoring(options: ManifestOptions): Manifest[] {
  const metadata = { name: options.name, namespace: options.operatorNamespace, labels: labelsOf(options) }
  const selector = { matchLabels: labelsOf(options) }
  const service: Manifest = {
    apiVersion: 'v1',
    kind: 'Service',
    metadata,
    spec: {
      selector: labelsOf(options),
      ports: [{ name: 'metrics', port: healthPort, targetPort: 'health' }],
    },
  }
  if (!options.monitoring) return [service]
  return [
    service,
    {
      apiVersion: 'monitoring.coreos.com/v1',
      kind: 'ServiceMonitor',
      metadata,
      spec: { selector, endpoints: [{ port: 'metrics', interval: '30s', ...credentials(options) }] },
    },
    {
      apiVersion: 'monitoring.coreos.com/v1',
      kind: 'PrometheusRule',
      metadata,
      spec: { groups: [{ name: 'portcullis', rules: alerts.map(ruleOf) }] },
    },
  ]
}

/** Who has to show who they are sends the token of Prometheus' own account; no other service receives it. */
function credentials({ metricsAuthentication }: ManifestOptions) {
  return metricsAuthentication
    ? { bearerTokenFile: '/var/run/secrets/kubernetes.io/serviceaccount/token' }
    : {}
}

function ruleOf({ name, expression, severity, summary, description, for: duration }: Alert) {
  return {
    alert: name,
    expr: expression,
    for: duration,
    labels: { severity },
    annotations: { summary, description },
  }
}
