import { cutToBytes, maxUntrustedBytes, OwnedFields, type Persisted } from '@portcullis/kube'
import type { ManagedFieldsEntry } from 'kubernetes-types/meta/v1'
import type { Ingress } from 'kubernetes-types/networking/v1'
import { classAnnotation } from './ingress-class.ts'
import { keptLabels } from './shard.ts'

/** All that matters here of an Ingress: its class, labels and address, and who wrote that. Ten thousand of these are small. */
export function projectIngress({ metadata, spec, status }: Persisted<Ingress>): Persisted<Ingress> {
  const {
    namespace,
    name,
    uid,
    resourceVersion,
    creationTimestamp,
    annotations,
    labels,
    managedFields = [],
  } = metadata
  const annotation = annotations?.[classAnnotation]
  const writers = addressWriters(managedFields)
  const kept = keptLabels('Ingress', labels)
  const addresses = status?.loadBalancer?.ingress
  return {
    metadata: {
      ...(namespace && { namespace }),
      name,
      uid,
      resourceVersion,
      ...(creationTimestamp && { creationTimestamp }),
      ...(annotation !== undefined && {
        annotations: { [classAnnotation]: cutToBytes(annotation, maxUntrustedBytes) },
      }),
      ...(kept && { labels: { ...kept } }),
      ...(writers.length > 0 && { managedFields: writers }),
    },
    ...(spec?.ingressClassName !== undefined && { spec: { ingressClassName: spec.ingressClassName } }),
    ...(addresses?.length && { status: { loadBalancer: { ingress: addresses } } }),
  }
}

const theAddress = { 'f:status': { 'f:loadBalancer': { 'f:ingress': {} } } }

/** More than the API server keeps of its own accord. */
const mostWriters = 20

/**
 * Who wrote the address, and nothing else of what the server knows about writers: an Ingress brings as much of that as its
 * owner likes.
 */
function addressWriters(managedFields: readonly ManagedFieldsEntry[]): ManagedFieldsEntry[] {
  return managedFields
    .flatMap(({ manager, subresource, fieldsV1 }) => {
      if (manager === undefined || subresource !== 'status' || !ownsAddress(fieldsV1)) return []
      return [{ manager, subresource, fieldsV1: theAddress }]
    })
    .slice(0, mostWriters)
}

function ownsAddress(fieldsV1: unknown): boolean {
  return new OwnedFields(() => [fieldsV1]).in('status').in('loadBalancer').has('ingress')
}
