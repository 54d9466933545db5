import { type Cached, type KubeObject, keyOf, sanitizeUntrusted } from '@portcullis/kube'
import { type ContestedField, isOfLoadBalancer } from '../contested-fields.ts'
import { fieldManager, ownerLabel } from '../names.ts'
import type { Snapshot } from '../snapshot.ts'
import { type ConditionDraft, conditionDraft } from './condition-draft.ts'

/**
 * Whether all objects of an IngressController are in place: no object of another owner has their names, and no write was
 * rejected.
 */
export function operandsManaged(
  unowned: readonly Cached<KubeObject>[],
  contested: readonly ContestedField[],
  snapshot: Snapshot,
): ConditionDraft {
  const type = 'OperandsManaged'
  const { problems, controller } = snapshot
  if (unowned.length > 0) {
    const names = unowned.map(({ kind, metadata }) => `${kind} ${keyOf(metadata)}`)
    return conditionDraft(
      type,
      'False',
      'ConflictingObjects',
      `${names.join(', ')} already exist${names.length === 1 ? 's' : ''} without the label ${ownerLabel}=${controller.metadata.name}, so the operator leaves ${names.length === 1 ? 'it' : 'them'} alone. Delete ${names.length === 1 ? 'it' : 'them'}, or add the label to hand ${names.length === 1 ? 'it' : 'them'} over to the operator.`,
    )
  }
  if (problems.length > 0)
    return conditionDraft(type, 'False', 'WriteFailed', problems.map(sanitizeUntrusted).join(' '))
  if (contested.length > 0)
    return conditionDraft(type, 'False', 'Contested', contestedText(contested, snapshot))
  return conditionDraft(type, 'True', 'AsExpected', 'All objects of the IngressController are in place.')
}

/** Only the user can decide which of the clients manages the field. */
function contestedText(contested: readonly ContestedField[], snapshot: Snapshot): string {
  const lines = contested.map(({ kind, ref, path, isRemoved, manager }) => {
    const object = `${kind.kind} ${sanitizeUntrusted(keyOf(ref))}`
    if (path.length === 0) return `Another client keeps deleting ${object}.`
    if (isRemoved) return `Another client keeps removing ${fieldText(path)} from ${object}.`
    const who =
      manager === undefined
        ? `A mutating webhook or another instance of Portcullis (field manager "${fieldManager}")`
        : `"${sanitizeUntrusted(manager)}"`
    return `${who} keeps changing ${fieldText(path)} of ${object}.`
  })
  const isExposed = contested.some((field) => field.path.length > 0 && isOfLoadBalancer(field, snapshot))
  return [
    ...lines.toSorted(),
    ...(isExposed
      ? ['Until this is resolved, the load balancer may accept traffic that the spec does not allow.']
      : []),
    'The operator accepts this for now and retries every few minutes: make sure that only one client manages each of these. Changes of the spec are applied immediately.',
  ].join(' ')
}

/** `spec.replicas`, `metadata.annotations["example.com/key"]`: as people write it. */
function fieldText(path: readonly string[]): string {
  return path
    .map((field, at) =>
      /^[a-z]+$/i.test(field) ? `${at === 0 ? '' : '.'}${field}` : `["${sanitizeUntrusted(field)}"]`,
    )
    .join('')
}
