import type { Cached, ObjectRef } from '@portcullis/kube'
import type { IngressClass } from 'kubernetes-types/networking/v1'
import { ingressControllerName } from '../../addresses/ingress-class.ts'
import { ingressClassName, ownerLabel } from '../names.ts'
import type { Snapshot } from '../snapshot.ts'

/** Classes have no namespace, so that another operator's controller of the same name may have made one. */
export function isClassOf(
  controller: { readonly metadata: ObjectRef },
  { metadata, spec }: Cached<IngressClass>,
): boolean {
  const { namespace, name } = controller.metadata
  return metadata.labels?.[ownerLabel] === name && spec?.parameters?.namespace === namespace
}

/** The class by which Ingresses choose a controller. */
export function ingressClass({ controller }: Pick<Snapshot, 'controller'>): IngressClass & {
  metadata: { name: string }
} {
  const { namespace, name } = controller.metadata
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'IngressClass',
    metadata: { name: ingressClassName(name), labels: { [ownerLabel]: name } },
    spec: {
      controller: ingressControllerName,
      parameters: {
        apiGroup: 'operator.openshift.io',
        kind: 'IngressController',
        scope: 'Namespace',
        ...(namespace && { namespace }),
        name,
      },
    },
  }
}
