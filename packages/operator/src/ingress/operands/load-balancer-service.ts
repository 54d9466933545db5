import type { DeepReadonly } from '@portcullis/kube'
import type { Service } from 'kubernetes-types/core/v1'
import type { LoadBalancerStrategy } from '../../api/endpoint-publishing-strategy.ts'
import { ownerLabel, routerLabel, routerName } from '../names.ts'
import { clientAccessAnnotation, gcp } from '../platforms/gcp.ts'
import { annotationsFor, type Platform } from '../platforms/platform.ts'
import type { Snapshot } from '../snapshot.ts'
import { writeProvenance } from '../strategies/provenance.ts'
import { keptSourceRanges } from './router-deployment.ts'

/** Lets a node without a router pass traffic on while its router is replaced; OpenShift's network knows it. */
const localWithFallback = { 'traffic-policy.network.alpha.openshift.io/local-with-fallback': '' }

/** A new Service for a load balancer. Most of it is the user's to change from then on. */
export function loadBalancerService(
  { controller, settings, operands }: Pick<Snapshot, 'controller' | 'settings' | 'operands'>,
  {
    strategy,
    platform,
    type,
  }: {
    readonly strategy: DeepReadonly<LoadBalancerStrategy>
    readonly platform: Platform
    readonly type: string | undefined
  },
): Service & { metadata: { namespace: string; name: string } } {
  const { name } = controller.metadata
  const { scope, providerParameters } = strategy
  const { externalTrafficPolicy } = platform
  // Without them the new one would admit all clients.
  const kept = keptSourceRanges(operands.deployment)
  const keeps = !strategy.allowedSourceRanges?.length && kept.length > 0
  const ranges = keeps ? kept : (strategy.allowedSourceRanges ?? [])
  const clientAccess = providerParameters?.gcp?.clientAccess
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: {
      namespace: settings.operandNamespace,
      name: routerName(name),
      labels: { app: 'router', router: routerName(name), [ownerLabel]: name },
      annotations: {
        ...writeProvenance({
          scope,
          ...(type !== undefined && { type }),
          ...(keeps && { keptSourceRanges: true }),
        }),
        ...platform.initialAnnotations?.(type),
        ...annotationsFor(platform, { scope, type }),
        ...(platform.name === gcp.name &&
          scope === 'Internal' &&
          clientAccess !== undefined && {
            [clientAccessAnnotation.key]: clientAccessAnnotation[clientAccess],
          }),
        ...(settings.commandLine === 'oc' && externalTrafficPolicy === 'Local' && localWithFallback),
      },
    },
    spec: {
      type: 'LoadBalancer',
      externalTrafficPolicy,
      selector: { [routerLabel]: name },
      ports: [
        { name: 'http', protocol: 'TCP', port: 80, targetPort: 'http' },
        { name: 'https', protocol: 'TCP', port: 443, targetPort: 'https' },
      ],
      ...(ranges.length > 0 && { loadBalancerSourceRanges: [...ranges] }),
    },
  }
}
