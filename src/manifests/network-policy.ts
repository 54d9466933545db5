import { healthPort, labelsOf, type Manifest, type ManifestOptions } from './options.ts'

/** Nobody needs to reach the operator but for its health and metrics. What it reaches is the API server, wherever that is. */
export function networkPolicy(options: ManifestOptions): Manifest {
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: { name: options.name, namespace: options.operatorNamespace, labels: labelsOf(options) },
    spec: {
      podSelector: { matchLabels: labelsOf(options) },
      policyTypes: ['Ingress'],
      ingress: [{ ports: [{ protocol: 'TCP', port: healthPort }] }],
    },
  }
}
