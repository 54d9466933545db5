import { isObject, type Persisted } from '@portcullis/kube'
import { fieldManager } from '@portcullis/operator/internal/ingress/names.ts'

/** The fields of an object that the API server says are ours, although none of our writes named them. */
export function fieldsBeyond(written: readonly object[], { metadata }: Persisted): string[] {
  const named = written.flatMap((body) => [...pathsIn(body)])
  const owned = (metadata.managedFields ?? [])
    .filter(({ manager }) => manager === fieldManager)
    .flatMap(({ fieldsV1 }) => [...ownedIn(fieldsV1)])
  // What is named may lie below: the server counts some lists and maps as one field.
  return owned.filter((path) => !named.some((name) => name === path || name.startsWith(`${path}.`)))
}

/** `spec.ports.[].port`: every field in an object. */
function* pathsIn(value: unknown, path: readonly string[] = []): Iterable<string> {
  if (path.length > 0) yield path.join('.')
  if (Array.isArray(value)) for (const item of value) yield* pathsIn(item, [...path, '[]'])
  else if (isObject(value)) {
    for (const [field, child] of Object.entries(value)) yield* pathsIn(child, [...path, field])
  }
}

/** The same for `fieldsV1`, where `f:` stands before a field and `k:` or `v:` before an item of a list. */
function* ownedIn(tree: unknown, path: readonly string[] = []): Iterable<string> {
  for (const [key, child] of isObject(tree) ? Object.entries(tree) : []) {
    if (key === '.') continue
    const here = [...path, key.startsWith('f:') ? key.slice(2) : '[]']
    if (isObject(child) && Object.keys(child).some((each) => each !== '.')) yield* ownedIn(child, here)
    else yield here.join('.')
  }
}
