import { isObject, type Json, type JsonObject, setValue, valueAt } from '../json-value.ts'
import type { FieldSet } from './field-set.ts'
import { elementOf } from './list-item.ts'
import { field, serialise } from './path-element.ts'
import {
  type FieldType,
  type ListType,
  type MapType,
  narrowed,
  shapeOf,
  typeOfField,
} from './typed-schema.ts'

/** The value without the fields and items of a set. What becomes empty is null, as is a list or map that was empty. */
export function removeFields(value: Json, fields: FieldSet, type: FieldType): Json {
  const shape = shapeOf(narrowed(type, value))
  if (shape.kind === 'scalar') return value
  if (shape.kind === 'list') return Array.isArray(value) ? withoutItems(value, fields, shape.list) : null
  return isObject(value) ? withoutFields(value, fields, shape.map) : null
}

function withoutItems(items: readonly Json[], fields: FieldSet, list: ListType): Json {
  if (items.length === 0 || list.relationship === 'atomic') return null
  const kept: Json[] = []
  for (const item of items) {
    const element = elementOf(list, item)
    const node = typeof element === 'string' ? undefined : fields.nodes.get(serialise(element))
    if (node?.member === true) continue
    kept.push(node?.below === undefined ? item : removeFields(item, node.below, list.items()))
  }
  return kept.length > 0 ? kept : null
}

function withoutFields(value: JsonObject, fields: FieldSet, map: MapType): Json {
  if (Object.keys(value).length === 0 || map.atomic) return null
  const kept: JsonObject = {}
  for (const name of Object.keys(value)) {
    const child = valueAt(value, name) ?? null
    const node = fields.nodes.get(serialise(field(name)))
    if (node?.member === true) continue
    setValue(
      kept,
      name,
      node?.below === undefined ? child : removeFields(child, node.below, typeOfField(map, name)),
    )
  }
  return Object.keys(kept).length > 0 ? kept : null
}
