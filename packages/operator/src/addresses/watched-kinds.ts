import { type CachesOf, Ingress, IngressClass, Namespace, watchedKind } from '@portcullis/kube'
import { classOf } from './ingress-class.ts'
import { onlyLabels } from './namespace-facts.ts'
import { projectIngress } from './project-ingress.ts'

/** What the address writer watches, of the whole cluster. */
export const watchedKinds = {
  ingresses: watchedKind(Ingress, {
    project: projectIngress,
    indexes: {
      class: (ingress) => [classOf(ingress) ?? ''],
      namespace: ({ metadata }) => [metadata.namespace ?? ''],
    },
  }),
  classes: watchedKind(IngressClass),
  /** An operator upgraded without the right to watch Namespaces works, except for namespaceSelectors. */
  namespaces: watchedKind(Namespace, { project: onlyLabels, isOptional: true }),
}

/** The informer caches of what is watched: all that the address writer reads of the cluster. */
export type Caches = CachesOf<typeof watchedKinds>
