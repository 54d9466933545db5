import type { Service } from 'kubernetes-types/core/v1'
import { ownerLabel, routerLabel } from '../names.ts'
import type { Snapshot } from '../snapshot.ts'

/**
 * A Service that leads to all ports of the routers. It names the ports rather than numbering them, so that metrics
 * survive another stats port (OCPBUGS-4573).
 */
export function routerService(
  { controller, settings }: Pick<Snapshot, 'controller' | 'settings'>,
  name: string,
  spec: NonNullable<Service['spec']>,
): Service & { metadata: { namespace: string; name: string } } {
  const { name: owner } = controller.metadata
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { namespace: settings.operandNamespace, name, labels: { [ownerLabel]: owner } },
    spec: {
      ...spec,
      selector: { [routerLabel]: owner },
      ports: [
        { name: 'http', protocol: 'TCP', port: 80, targetPort: 'http' },
        { name: 'https', protocol: 'TCP', port: 443, targetPort: 'https' },
        { name: 'metrics', protocol: 'TCP', port: 1936, targetPort: 'metrics' },
      ],
    },
  }
}
