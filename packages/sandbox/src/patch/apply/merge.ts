import { isObject, type Json, type JsonObject, setValue, valueAt } from '../json-value.ts'
import { elementsOf } from './list-item.ts'
import { serialise } from './path-element.ts'
import {
  type FieldType,
  type ListType,
  type MapType,
  narrowed,
  shapeOf,
  typeOfField,
} from './typed-schema.ts'

type Value = Json | undefined

/** A live value with an applied one laid over it. Nothing is taken away; where both say something, the applied one counts. */
export function merge(live: Value, applied: Value, type: FieldType): Value {
  const shape = shapeOf(narrowed(type, applied === undefined ? live : applied))
  if (shape.kind === 'scalar') return kept(live, applied)
  if (shape.kind === 'list') {
    const items = Array.isArray(live) ? live : []
    const newItems = Array.isArray(applied) ? applied : []
    const isBare = items.length === 0 && newItems.length === 0
    return shape.list.relationship === 'atomic' || isBare
      ? kept(live, applied)
      : mergeItems(items, newItems, shape.list)
  }
  const fields = isObject(live) ? live : {}
  const newFields = isObject(applied) ? applied : {}
  const isBare = Object.keys(fields).length === 0 && Object.keys(newFields).length === 0
  return shape.map.atomic || isBare ? kept(live, applied) : mergeFields(fields, newFields, shape.map)
}

function kept(live: Value, applied: Value): Value {
  return applied === undefined ? live : applied
}

function mergeFields(live: JsonObject, applied: JsonObject, map: MapType): Value {
  const merged: JsonObject = {}
  for (const name of new Set([...Object.keys(live), ...Object.keys(applied)])) {
    const value = merge(valueAt(live, name), valueAt(applied, name), typeOfField(map, name))
    if (value !== undefined) setValue(merged, name, value)
  }
  return Object.keys(merged).length > 0 ? merged : undefined
}

interface Item {
  readonly name: string
  readonly item: Json
}

/**
 * Items that are in both lists come in the order of the applied one; an item that only one of them has stays behind the
 * neighbour that it had there.
 */
function mergeItems(live: readonly Json[], applied: readonly Json[], list: ListType): Value {
  const liveItems = named(list, live)
  const newItems = named(list, applied)
  const liveByName = new Map<string, Value>()
  for (const { name, item } of liveItems) liveByName.set(name, liveByName.has(name) ? null : item)
  const newByName = new Map(newItems.map(({ name, item }) => [name, item]))
  const shared = newItems.map(({ name }) => name).filter((name) => liveByName.has(name))
  let nextShared = shared.shift()
  const taken = new Set<string>()
  const merged: Json[] = []
  const take = (liveItem: Value, newItem: Value) => {
    const item = merge(liveItem, newItem, list.items())
    if (item !== undefined) merged.push(item)
  }

  let l = 0
  let n = 0
  for (;;) {
    const ours = liveItems[l]
    const theirs = newItems[n]
    if (ours === undefined && theirs === undefined) break
    if (ours !== undefined && theirs !== undefined) {
      if (ours.name === theirs.name) {
        taken.add(ours.name)
        take(liveByName.get(ours.name), theirs.item)
        l++
        n++
        nextShared = shared.shift()
        continue
      }
      if (newByName.has(ours.name) && nextShared !== undefined && nextShared !== ours.name) {
        l++
        continue
      }
    }
    if (ours !== undefined) {
      if (!newByName.has(ours.name)) {
        take(ours.item, undefined)
        l++
        continue
      }
      if (taken.has(ours.name)) l++
    }
    if (theirs !== undefined) {
      taken.add(theirs.name)
      take(liveByName.get(theirs.name), theirs.item)
      n++
      if (nextShared === theirs.name) nextShared = shared.shift()
    }
  }
  return merged.length > 0 ? merged : undefined
}

function named(list: ListType, items: readonly Json[]): Item[] {
  return [...elementsOf(list, items)].map(({ element, item }) => ({ name: serialise(element), item }))
}
