import { healthPort, labelsOf, type Manifest, type ManifestOptions } from './options.ts'

/**
 * Nobody needs to reach the operator but who scrapes its metrics. Probes come from the node, which network policies let in
 * anyway. What it reaches is the API server, wherever that is.
 */
export function networkPolicy(options: ManifestOptions): Manifest {
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: { name: options.name, namespace: options.operatorNamespace, labels: labelsOf(options) },
    spec: {
      podSelector: { matchLabels: labelsOf(options) },
      policyTypes: ['Ingress'],
      ingress: noMetricsClients(options)
        ? []
        : [
            {
              from: options.metricsNamespaces.map((name) => ({
                namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': name } },
              })),
              ports: [{ protocol: 'TCP', port: healthPort }],
            },
          ],
    },
  }
}

/** To a policy an empty list of sources means all of them. */
function noMetricsClients({ metricsNamespaces }: ManifestOptions): boolean {
  return metricsNamespaces.length === 0
}
