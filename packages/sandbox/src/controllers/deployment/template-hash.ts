import { createHash } from 'node:crypto'
import type { DeepReadonly } from '@portcullis/kube'
import type { PodTemplateSpec } from 'kubernetes-types/core/v1'

export const templateHashLabel = 'pod-template-hash'

type Template = DeepReadonly<PodTemplateSpec>

/** The signs that Kubernetes' hashes come out with. */
const alphabet = '456789bcdf'

/** Distinguishes the templates of one Deployment. Not the number that Kubernetes computes, but of its form. */
export function templateHash(template: Template | undefined, collisionCount = 0): string {
  const digest = createHash('sha256')
    .update(`${canonical(template)}/${collisionCount}`)
    .digest()
  return [...digest.subarray(0, 10)].map((byte) => alphabet[byte % alphabet.length]).join('')
}

/** Whether a ReplicaSet's template is the Deployment's, apart from the hash that was added to it. */
export function sameTemplate(a: Template | undefined, b: Template | undefined): boolean {
  return canonical(withoutHash(a)) === canonical(withoutHash(b))
}

function withoutHash(template: Template | undefined): unknown {
  const labels = Object.entries(template?.metadata?.labels ?? {}).filter(([key]) => key !== templateHashLabel)
  return { ...template, metadata: { ...template?.metadata, labels: Object.fromEntries(labels) } }
}

/** The same text for the same value, whatever the order of its fields; what is empty is as if it were not there. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) => {
    if (inner === null || typeof inner !== 'object' || Array.isArray(inner)) return inner ?? undefined
    const entries = Object.entries(inner).filter(([, field]) => field !== null && field !== undefined)
    return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)))
  })
}
