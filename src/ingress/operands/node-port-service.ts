import type { Service } from 'kubernetes-types/core/v1'
import { nodePortServiceName, ownerLabel, routerLabel } from '../names.ts'
import type { Snapshot } from '../snapshot.ts'

/** The same ports on every node lead to the routers. Which ports, the cluster chooses; those that a user fixed stay. */
export function nodePortService({
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
      name: nodePortServiceName(name),
      labels: { [ownerLabel]: name },
    },
    spec: {
      type: 'NodePort',
      externalTrafficPolicy: 'Local',
      selector: { [routerLabel]: name },
      ports: [
        { name: 'http', protocol: 'TCP', port: 80, targetPort: 'http' },
        { name: 'https', protocol: 'TCP', port: 443, targetPort: 'https' },
        // A load balancer before the nodes asks here whether a node has a router that is ready (BZ1881210).
        { name: 'metrics', protocol: 'TCP', port: 1936, targetPort: 'metrics' },
      ],
    },
  }
}
