import { labelsOf, type Manifest, type ManifestOptions } from './options.ts'

/**
 * The two namespaces. Routers may take ports of their node, which a cluster has to be told, unless no controller is to have the
 * strategy HostNetwork; the operator needs nothing.
 */
export function namespaces(options: ManifestOptions): Manifest[] {
  return [
    namespace(options, options.operatorNamespace, 'restricted'),
    namespace(options, options.operandNamespace, options.hostNetwork ? 'privileged' : 'baseline'),
  ]
}

function namespace(
  options: ManifestOptions,
  name: string,
  security: 'restricted' | 'baseline' | 'privileged',
): Manifest {
  return {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: {
      name,
      labels: {
        ...labelsOf(options),
        'pod-security.kubernetes.io/enforce': security,
        ...(options.openshift && { 'openshift.io/cluster-monitoring': 'true' }),
      },
    },
  }
}
