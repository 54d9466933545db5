import { type Cached, type KubeObject, keyOf, sanitizeUntrusted } from '@portcullis/kube'
import { type ContestedField, isOfLoadBalancer } from '../contested-fields.ts'
import { fieldManager, ownerLabel } from '../names.ts'
import type { Snapshot } from '../snapshot.ts'
import { type Statement, statement } from './statement.ts'

/** Whether everything that belongs to a controller could be made: nothing of others in the way, nothing refused. */
export function operandsManaged(
  foreign: readonly Cached<KubeObject>[],
  contested: readonly ContestedField[],
  snapshot: Snapshot,
): Statement {
  const type = 'OperandsManaged'
  const { problems, controller } = snapshot
  if (foreign.length > 0) {
    const names = foreign.map(({ kind, metadata }) => `${kind} ${keyOf(metadata)}`)
    return statement(
      type,
      'False',
      'ConflictingObjects',
      `${names.join(', ')}: not ours, since the label ${ownerLabel}=${controller.metadata.name} is not there, and therefore left alone. Rename or delete what is in the way, or label it to hand it over.`,
    )
  }
  if (problems.length > 0)
    return statement(type, 'False', 'WriteFailed', problems.map(sanitizeUntrusted).join(' '))
  if (contested.length > 0) return statement(type, 'False', 'Contested', contestedText(contested, snapshot))
  return statement(
    type,
    'True',
    'AsExpected',
    'Everything that belongs to the IngressController is in place.',
  )
}

/** Whoever it is that wants something else, a person must tell one of us to leave it alone. */
function contestedText(contested: readonly ContestedField[], snapshot: Snapshot): string {
  const lines = contested.map(({ kind, ref, path, isRemoved, rival }) => {
    const object = `${kind.kind} ${sanitizeUntrusted(keyOf(ref))}`
    if (path.length === 0) return `Somebody keeps deleting ${object}.`
    if (isRemoved) return `Somebody keeps removing ${fieldText(path)} from ${object}.`
    const who =
      rival === undefined
        ? `Somebody who writes as "${fieldManager}" (a mutating webhook, or another Portcullis)`
        : `"${sanitizeUntrusted(rival)}"`
    return `${who} keeps changing ${fieldText(path)} of ${object}.`
  })
  const isExposed = contested.some((field) => field.path.length > 0 && isOfLoadBalancer(field, snapshot))
  return [
    ...lines.toSorted(),
    ...(isExposed
      ? ['Until that ends, the load balancer may be open to others than the spec asks for.']
      : []),
    'This is left as it is for now, and tried again every few minutes: let only one of us say it. What is changed in the spec is carried out at once.',
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
