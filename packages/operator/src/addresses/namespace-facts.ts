import type { Persisted } from '@portcullis/kube'
import type { Namespace } from 'kubernetes-types/core/v1'
import { keptLabels } from './shard.ts'

/** All that matters here of a Namespace: its labels. */
export function onlyLabels({
  metadata: { name, uid, resourceVersion, labels },
}: Persisted<Namespace>): Persisted<Namespace> {
  const kept = keptLabels('Namespace', labels)
  return { metadata: { name, uid, resourceVersion, ...(kept && { labels: { ...kept } }) } }
}
