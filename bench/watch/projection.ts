import type { Persisted } from '@portcullis/kube'
import type { Ingress } from 'kubernetes-types/networking/v1'

/** What an address writer needs of an Ingress: its class, its hosts and its status. */
export function projected({
  apiVersion,
  kind,
  metadata,
  spec,
  status,
}: Persisted<Ingress>): Persisted<Ingress> {
  const { name, namespace, uid, resourceVersion, annotations } = metadata
  const classAnnotation = annotations?.['kubernetes.io/ingress.class']
  return {
    ...(apiVersion !== undefined && { apiVersion }),
    ...(kind !== undefined && { kind }),
    metadata: {
      name,
      ...(namespace !== undefined && { namespace }),
      uid,
      resourceVersion,
      ...(classAnnotation !== undefined && {
        annotations: { 'kubernetes.io/ingress.class': classAnnotation },
      }),
    },
    spec: {
      ...(spec?.ingressClassName !== undefined && { ingressClassName: spec.ingressClassName }),
      rules: (spec?.rules ?? []).map(({ host }) => (host === undefined ? {} : { host })),
    },
    ...(status !== undefined && { status }),
  }
}
