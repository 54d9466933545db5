import { isObject, type Json, type JsonObject, valueAt } from './json-value.ts'
import type { PatchRefused } from './patch-refused.ts'

/** By what the items of a merged list are put in order. */
export interface Order {
  /** The order of the patch. */
  readonly wanted: readonly Json[]
  /** The order of the list as it is stored. */
  readonly live: readonly Json[]
  /** The merge key of maps; empty for scalars. */
  readonly mergeKey: string
  readonly maps: boolean
}

export function isMap(items: readonly Json[]): items is JsonObject[] {
  return isObject(items[0])
}

/** The items that a list names, and the others. */
export function partition(
  items: readonly Json[],
  named: readonly Json[],
  mergeKey: string,
): { named: Json[]; others: Json[] } {
  const isNamed = (item: Json) =>
    named.some((other) => identity(other, mergeKey) === identity(item, mergeKey))
  return { named: items.filter(isNamed), others: items.filter((item) => !isNamed(item)) }
}

/**
 * The patch's items in the patch's order, the server's own in theirs; one of the server's own goes in front of the
 * first of the patch's that it stood in front of before.
 */
export function ordered({ named, others, ...order }: Order & { named: Json[]; others: Json[] }): Json[] {
  const patch = sortedBy(named, order.wanted, order)
  const server = sortedBy(others, order.live, order)
  const place = (item: Json) => indexIn(order.live, item, order)
  const merged: Json[] = []
  let next = 0
  for (const item of patch) {
    while (next < server.length && standsBefore(place(server[next] ?? null), place(item))) {
      merged.push(server[next++] ?? null)
    }
    merged.push(item)
  }
  return [...merged, ...server.slice(next)]
}

function standsBefore(a: number, b: number): boolean {
  return a >= 0 && b >= 0 && a < b
}

/** By insertion, since what has no place in the order counts as smaller than everything, on either side. */
function sortedBy(items: readonly Json[], wanted: readonly Json[], order: Order): Json[] {
  const sorted: Json[] = []
  const places: number[] = []
  for (const item of items) {
    const place = indexIn(wanted, item, order)
    let at = sorted.length
    while (at > 0 && isLess(place, places[at - 1] ?? -1)) at--
    sorted.splice(at, 0, item)
    places.splice(at, 0, place)
  }
  return sorted
}

function isLess(a: number, b: number): boolean {
  return a < 0 || b < 0 || a < b
}

function indexIn(list: readonly Json[], item: Json, { mergeKey, maps }: Order): number {
  const key = maps ? mergeKey : ''
  return list.findIndex((other) => identity(other, key) === identity(item, key))
}

function identity(item: Json, mergeKey: string): Json | undefined {
  return mergeKey === '' || !isObject(item) ? item : valueAt(item, mergeKey)
}

/** Both lists without repetition: the last item takes the place of one that repeats an earlier one. */
export function mergeScalars(current: readonly Json[], changes: readonly Json[]): Json[] {
  const all = [...current, ...changes]
  for (let i = 0; i < all.length - 1; i++) {
    for (let j = i + 1; j < all.length; j++) {
      if (all[i] !== all[j]) continue
      const last = all.pop()
      if (j < all.length) all[j] = last ?? null
      j--
    }
  }
  return all
}

/** Changes go into the item with the same key, or behind all others. */
export function mergeMaps(
  current: readonly JsonObject[],
  changes: readonly JsonObject[],
  by: {
    readonly mergeKey: string
    merge(item: JsonObject, change: JsonObject): JsonObject
    missingKey(item: JsonObject, mergeKey: string): PatchRefused
  },
): JsonObject[] {
  const merged = [...current]
  for (const change of changes) {
    const key = valueAt(change, by.mergeKey)
    if (key === undefined) throw by.missingKey(change, by.mergeKey)
    const index = merged.findIndex((item) => valueAt(item, by.mergeKey) === key)
    const item = merged[index]
    if (item === undefined) merged.push(change)
    else merged[index] = by.merge(item, change)
  }
  return merged
}
