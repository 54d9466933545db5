import { healthPort, labelsOf, type Manifest, type ManifestOptions } from './options.ts'

/**
 * Nobody needs to reach the operator but who scrapes its metrics. Probes come from the node, which network policies let in
 * anyway. What it reaches is the API server, wherever that is: a policy can name it by its port alone. That must be said
 * here, for a namespace may have a policy that lets nothing out.
 */
export function networkPolicy(options: ManifestOptions): Manifest {
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: { name: options.name, namespace: options.operatorNamespace, labels: labelsOf(options) },
    spec: {
      podSelector: { matchLabels: labelsOf(options) },
      policyTypes: ['Ingress', 'Egress'],
      ...(options.metricsNamespaces.length > 0 && { ingress: [metricsRule(options)] }),
      egress: [{ ports: [...options.apiServerPorts.map(tcp), ...dnsPorts(options)] }],
    },
  }
}

/** Not for an empty list of sources, which would mean all of them. */
function metricsRule({ metricsNamespaces }: ManifestOptions) {
  return {
    from: metricsNamespaces.map((name) => ({
      namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': name } },
    })),
    ports: [tcp(healthPort)],
  }
}

/** For an API server, or a proxy before it, that has a name. DNS of OpenShift listens on a port of its own behind its Service. */
function dnsPorts({ openshift }: ManifestOptions) {
  const ports = openshift ? [53, 5353] : [53]
  return ports.flatMap((port) => [{ protocol: 'UDP', port }, tcp(port)])
}

function tcp(port: number) {
  return { protocol: 'TCP', port }
}
