import { isObject, type Json, valueAt } from '../json-value.ts'
import { type KeyField, key, type PathElement } from './path-element.ts'
import type { ListType } from './typed-schema.ts'

/** The key of an item of an associative list; a string says why it has none. */
export function elementOf(list: ListType, item: Json): PathElement | string {
  return list.keys.length > 0 ? keyedElement(list, item) : setElement(item)
}

function keyedElement(list: ListType, item: Json): PathElement | string {
  if (item === null) return 'associative list with keys may not have a null element'
  if (!isObject(item)) return 'associative list with keys may not have non-map elements'
  const fields: KeyField[] = []
  const { map } = list.items()
  for (const name of list.keys) {
    const value = valueAt(item, name)
    if (value === undefined && map === undefined) {
      return `couldn't find default value for ${name}: associative list may not have non-map types`
    }
    const given = value === undefined ? (map?.default(name) ?? undefined) : value
    if (given !== undefined) fields.push({ name, value: given })
  }
  if (fields.length === 0) {
    const names = list.keys.map((name) => JSON.stringify(name)).join(' ')
    return `associative list with keys has an element that omits all key fields [${names}] (and doesn't have default values for any key fields)`
  }
  return key(fields)
}

function setElement(item: Json): PathElement | string {
  if (item === null) return "associative list without keys has an element that's an explicit null"
  if (Array.isArray(item)) return 'not supported: associative list with lists as elements'
  if (isObject(item)) return "associative list without keys has an element that's a map type"
  return { kind: 'value', value: item }
}

/** For lists that have been validated before: items with equal keys are skipped. */
export function* elementsOf(
  list: ListType,
  items: readonly Json[],
): Generator<{ element: PathElement; item: Json }> {
  for (const item of items) {
    const element = elementOf(list, item)
    if (typeof element !== 'string') yield { element, item }
  }
}
