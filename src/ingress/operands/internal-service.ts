import type { Service } from 'kubernetes-types/core/v1'
import { internalServiceName, ownerLabel, routerLabel } from '../names.ts'
import type { Snapshot } from '../snapshot.ts'

/**
 * How the cluster itself reaches the routers, for traffic and metrics. It names the ports of the routers rather than
 * numbering them, so that metrics survive another stats port (OCPBUGS-4573).
 */
export function internalService({
  controller,
  settings,
}: Pick<Snapshot, 'controller' | 'settings'>): Service & {
  metadata: { namespace: string; name: string }
} {
  const { name } = controller.metadata
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: {
      namespace: settings.operandNamespace,
      name: internalServiceName(name),
      labels: { [ownerLabel]: name },
    },
    spec: {
      type: 'ClusterIP',
      selector: { [routerLabel]: name },
      ports: [
        { name: 'http', protocol: 'TCP', port: 80, targetPort: 'http' },
        { name: 'https', protocol: 'TCP', port: 443, targetPort: 'https' },
        { name: 'metrics', protocol: 'TCP', port: 1936, targetPort: 'metrics' },
      ],
    },
  }
}
