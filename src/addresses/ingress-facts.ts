import type { Ingress } from 'kubernetes-types/networking/v1'
import type { Live } from '../kube/objects.ts'
import { classAnnotation } from './ingress-class.ts'

/** All that matters here of an Ingress: its class, its address, and who wrote that. Ten thousand of these are small. */
export function onlyAddressFacts({ metadata, spec, status }: Live<Ingress>): Live<Ingress> {
  const {
    namespace,
    name,
    uid,
    resourceVersion,
    creationTimestamp,
    annotations,
    managedFields = [],
  } = metadata
  const annotation = annotations?.[classAnnotation]
  const writers = managedFields.filter(({ subresource }) => subresource === 'status')
  const addresses = status?.loadBalancer?.ingress
  return {
    metadata: {
      ...(namespace && { namespace }),
      name,
      uid,
      resourceVersion,
      ...(creationTimestamp && { creationTimestamp }),
      ...(annotation !== undefined && { annotations: { [classAnnotation]: annotation } }),
      ...(writers.length > 0 && { managedFields: writers }),
    },
    ...(spec?.ingressClassName !== undefined && { spec: { ingressClassName: spec.ingressClassName } }),
    ...(addresses?.length && { status: { loadBalancer: { ingress: addresses } } }),
  }
}
