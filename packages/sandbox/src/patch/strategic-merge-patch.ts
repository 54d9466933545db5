import type { Schema } from '@portcullis/schema'
import { goFormat, goKind } from './go-text.ts'
import type { Patched } from './json-patch.ts'
import { copyOfObject, isObject, type Json, type JsonObject, setValue, valueAt } from './json-value.ts'
import { badRequest, internalError, PatchRefused, unprocessable } from './patch-refused.ts'
import { isMap, mergeMaps, mergeScalars, type Order, ordered, partition } from './strategic-lists.ts'

const directive = '$patch'
const retainKeys = '$retainKeys'
const elementOrder = '$setElementOrder'
const primitiveDeletion = '$deleteFromPrimitiveList'

/** Kubernetes' own kind of patch: lists are merged by the key that the schema names for them. */
export function applyStrategicMergePatch(object: JsonObject, patch: unknown, schema: Schema): Patched {
  if (patch === null) return { patched: object, strictErrors: [], shown: () => 'map[]' }
  if (!isObject(patch)) {
    throw badRequest(`json: cannot unmarshal ${goKind(patch)} into Go value of type map[string]interface {}`)
  }
  const rest = copyOfObject(patch)
  const patched = mergeObjects(copyOfObject(object), rest, schema)
  return { patched, strictErrors: [], shown: () => goFormat(rest) }
}

/** Both are the caller's to give away: the result is made of their parts. */
function mergeObjects(object: JsonObject, patch: JsonObject, schema: Schema | undefined): JsonObject {
  const asked = valueAt(patch, directive)
  if (asked !== undefined) return replaceOrDelete(asked, patch)
  keepOnlyRetained(object, patch)
  mergeOrderedLists(object, patch, schema)
  for (const [patchKey, value] of Object.entries(patch)) {
    const deletes = patchKey.startsWith(primitiveDeletion)
    const key = deletes ? listNamed(patchKey, primitiveDeletion) : patchKey
    if (value === null) {
      delete object[key]
      continue
    }
    const current = valueAt(object, key)
    if (isObject(current) && isObject(value)) {
      const child = childSchema(schema, key)
      const merged = strategyOf(child) === 'replace' ? value : mergeObjects(current, value, child)
      setValue(object, key, merged)
    } else if (Array.isArray(current) && Array.isArray(value)) {
      setValue(object, key, mergeLists(current, value, childSchema(schema, key), deletes))
    } else if (!deletes) {
      const isNew = goKind(current) !== goKind(value)
      const given = isNew ? withoutNulls(value) : value
      setValue(patch, patchKey, given)
      const kept = withoutDirectives(given)
      if (kept === undefined) delete object[key]
      else setValue(object, key, kept)
    }
  }
  return object
}

function replaceOrDelete(asked: Json, patch: JsonObject): JsonObject {
  if (asked === 'delete') return {}
  if (asked !== 'replace') throw unknownDirective(asked, patch)
  delete patch[directive]
  return patch
}

function unknownDirective(asked: Json, patch: JsonObject): PatchRefused {
  return internalError(`unknown patch type: ${asText(asked)} in map: ${goFormat(patch)}`)
}

/** What `%s` makes of a value: it complains of what is no string. */
function asText(value: Json): string {
  if (value === null) return '%!s(<nil>)'
  if (typeof value === 'number') return `%!s(${Number.isInteger(value) ? 'int64' : 'float64'}=${value})`
  return typeof value === 'boolean' ? `%!s(bool=${value})` : goFormat(value)
}

function keepOnlyRetained(object: JsonObject, patch: JsonObject): void {
  const retained = valueAt(patch, retainKeys)
  if (retained === undefined) return
  delete patch[retainKeys]
  if (!Array.isArray(retained)) throw badRequest('invalid patch format of retainKeys')
  for (const [key, value] of Object.entries(patch)) {
    if (value === null || key.startsWith(primitiveDeletion) || key.startsWith(elementOrder)) continue
    if (!retained.includes(key)) throw badRequest('invalid patch format of retainKeys')
  }
  for (const key of Object.keys(object)) if (!retained.includes(key)) delete object[key]
}

/** Merges the lists whose order the patch sets, and takes them out of the patch. */
function mergeOrderedLists(object: JsonObject, patch: JsonObject, schema: Schema | undefined): void {
  for (const [patchKey, wantedOrder] of Object.entries(patch)) {
    if (!patchKey.startsWith(elementOrder)) continue
    delete patch[patchKey]
    const order = asList(wantedOrder)
    const key = listNamed(patchKey, elementOrder)
    const currentValue = valueAt(object, key)
    const patchValue = valueAt(patch, key)
    const current = currentValue === undefined ? undefined : asList(currentValue)
    const changes = patchValue === undefined ? undefined : asList(patchValue)
    const list = childSchema(schema, key)
    if (schema !== undefined) checkIsList(list, key, schema)
    const mergeKey = list?.['x-kubernetes-patch-merge-key'] ?? ''
    checkOrder(changes ?? [], order, mergeKey)
    if (current === undefined && changes === undefined) continue
    const merged = mergedInAnyOrder(current, changes, list)
    const { named, others } = partition(merged, order, mergeKey)
    const ofMaps = [...(current ?? []), ...(changes ?? [])]
    if (ofMaps.length === 0) throw internalError('no elements in any of the given slices')
    setValue(
      object,
      key,
      ordered({ named, others, wanted: order, live: current ?? [], mergeKey, maps: isMap(ofMaps) }),
    )
    delete patch[key]
  }
}

function mergedInAnyOrder(
  current: Json[] | undefined,
  changes: Json[] | undefined,
  list: Schema | undefined,
): Json[] {
  if (current !== undefined && changes !== undefined) return mergeLists(current, changes, list, false)
  if (current !== undefined) return current
  return keptItems(changes ?? [])
}

/** The items of the patch stand in the wanted order, and all of them are in it. */
function checkOrder(changes: readonly Json[], order: readonly Json[], mergeKey: string): void {
  if (order.length === 0 || changes.length === 0) return
  const kept = changes.filter((item) => !(mergeKey !== '' && isDeletion(item)))
  let next = 0
  for (const wanted of order) {
    while (isObject(kept[next]) && Object.hasOwn(kept[next] as JsonObject, directive)) next++
    const item = kept[next]
    if (item === undefined) return
    if (identity(item, mergeKey) === identity(wanted, mergeKey)) next++
  }
  if (next >= kept.length) return
  throw internalError(
    `The order in patch list:\n${goFormat([...changes])}\n doesn't match ${elementOrder} list:\n${goFormat([...order])}\n`,
  )
}

function isDeletion(item: Json): boolean {
  if (!isObject(item)) throw internalError(wrongType('map[string]interface {}', item))
  return valueAt(item, directive) === 'delete'
}

function identity(item: Json, mergeKey: string): Json {
  if (mergeKey === '') return item
  if (!isObject(item)) throw internalError(wrongType('map[string]interface {}', item))
  return keyOf(item, mergeKey)
}

function keyOf(item: JsonObject, mergeKey: string): Json {
  const key = valueAt(item, mergeKey)
  if (key === undefined) throw missingKey(item, mergeKey)
  return key
}

function missingKey(item: JsonObject, mergeKey: string): PatchRefused {
  return internalError(`map: ${goFormat(item)} does not contain declared merge key: ${mergeKey}`)
}

function mergeLists(current: Json[], changes: Json[], list: Schema | undefined, deletes: boolean): Json[] {
  if (strategyOf(list) !== 'merge' && !deletes) return changes
  if (current.length === 0 && changes.length === 0) return current
  const all = [...current, ...changes]
  checkItems(current, changes)
  const mergeKey = list?.['x-kubernetes-patch-merge-key'] ?? ''
  if (!isMap(all)) {
    if (deletes) return current.filter((item) => !changes.includes(item))
    const order: Order = { wanted: changes, live: current, mergeKey, maps: false }
    return ordered({ ...partition(mergeScalars(current, changes), changes, mergeKey), ...order })
  }
  if (mergeKey === '')
    throw internalError(`cannot merge lists without merge key for ${list?.items?.type ?? 'struct'}`)
  const { items, rest } = obeyDirectives(current as JsonObject[], changes as JsonObject[], mergeKey)
  const merged = mergeMaps(items, rest, {
    mergeKey,
    merge: (item, change) => mergeObjects(item, change, list?.items),
    missingKey,
  })
  for (const item of merged) keyOf(item, mergeKey)
  return ordered({ ...partition(merged, rest, mergeKey), wanted: rest, live: items, mergeKey, maps: true })
}

/** What is left of both lists when the items that carry a directive have had their say. */
function obeyDirectives(
  current: JsonObject[],
  changes: JsonObject[],
  mergeKey: string,
): { items: JsonObject[]; rest: JsonObject[] } {
  let items = current
  let replaces = false
  const rest: JsonObject[] = []
  for (const change of changes) {
    const asked = valueAt(change, directive)
    if (asked === undefined) rest.push(change)
    else if (asked === 'replace') replaces = true
    else if (asked === 'merge') throw internalError('merging lists cannot yet be specified in the patch')
    else if (asked !== 'delete') throw unknownDirective(asked, change)
    else {
      const key = keyOf(change, mergeKey)
      items = items.filter((item) => valueAt(item, mergeKey) !== key)
    }
  }
  return replaces ? { items: rest, rest: [] } : { items, rest }
}

/** Items are all maps or all scalars of one type. */
function checkItems(...lists: readonly Json[][]): void {
  const items = lists.flat()
  const kind = goKind(items[0])
  if (kind === 'array') throw unprocessable()
  if (items.some((item) => goKind(item) !== kind)) {
    throw internalError(`list element types are not identical: ${goFormat([...lists])}`)
  }
}

function childSchema(schema: Schema | undefined, key: string): Schema | undefined {
  if (schema === undefined) return undefined
  if (schema.properties !== undefined && Object.hasOwn(schema.properties, key)) return schema.properties[key]
  return typeof schema.additionalProperties === 'object' ? schema.additionalProperties : undefined
}

/** How a field is merged; that it keeps named keys only is the patch's own affair. */
function strategyOf(schema: Schema | undefined): string | undefined {
  return schema?.['x-kubernetes-patch-strategy']?.split(',').find((strategy) => strategy !== 'retainKeys')
}

function listNamed(patchKey: string, prefix: string): string {
  const slash = patchKey.indexOf('/')
  if (slash >= 0 && patchKey.slice(0, slash) === prefix) return patchKey.slice(slash + 1)
  const what = prefix === primitiveDeletion ? 'primitive list' : 'setElementOrder list'
  throw badRequest(`invalid patch format of ${what}`)
}

function asList(value: Json): Json[] {
  if (Array.isArray(value)) return value
  throw internalError(wrongType('[]interface {}', value))
}

const goTypes: Readonly<Record<string, string>> = {
  object: 'map[string]interface {}',
  array: '[]interface {}',
}

function wrongType(expected: string, value: Json): string {
  const kind = goKind(value)
  const number = Number.isInteger(value) ? 'int64' : 'float64'
  const received = value === null ? '%!s(<nil>)' : kind === 'number' ? number : (goTypes[kind] ?? kind)
  return `expected a ${expected}, but received a ${received}`
}

function checkIsList(list: Schema | undefined, key: string, schema: Schema): void {
  if (list === undefined) {
    const struct = schema['x-go']?.type?.split('.').at(-1) ?? ''
    throw internalError(`unable to find api field in struct ${struct} for the json field "${key}"`)
  }
  if (list.type !== 'array' && list['x-go']?.pointer !== true) {
    const kind = schema.properties === undefined ? 'map' : 'struct'
    throw internalError(`expected slice or array type, but got: ${kind}`)
  }
}

/** What is left of a value that had nothing to be merged with; undefined where the whole of it is a directive. */
function withoutDirectives(value: Json): Json | undefined {
  if (Array.isArray(value)) return keptItems(value)
  if (!isObject(value)) return value
  if (Object.hasOwn(value, directive)) return undefined
  const kept: JsonObject = {}
  for (const [key, child] of Object.entries(value)) {
    const rest = withoutDirectives(child)
    if (rest !== undefined) setValue(kept, key, rest)
  }
  return kept
}

function keptItems(list: readonly Json[]): Json[] {
  return list.map(withoutDirectives).filter((item) => item !== undefined)
}

function withoutNulls(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutNulls)
  if (!isObject(value)) return value
  const kept: JsonObject = {}
  for (const [key, child] of Object.entries(value))
    if (child !== null) setValue(kept, key, withoutNulls(child))
  return kept
}
