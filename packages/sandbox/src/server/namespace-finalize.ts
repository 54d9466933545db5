import type { AnyObject } from '@portcullis/schema'
import { validateNamespaceFinalize } from '../kinds/namespace.ts'
import { invalid } from './api-status.ts'

/** A namespace whose finalizers have been changed through `finalize`: the only way to take the last one away. */
export function finalizedNamespace(old: AnyObject, body: string): AnyObject {
  const { spec } = JSON.parse(body) as AnyObject
  const object = { ...old, spec }
  const errors = validateNamespaceFinalize(object, old)
  const about = { group: '', plural: 'namespaces', kind: 'Namespace' }
  if (errors.length > 0) throw invalid(about, old.metadata.name ?? '', errors)
  return object
}
