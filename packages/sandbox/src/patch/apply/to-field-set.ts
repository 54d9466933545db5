import { isObject, type Json, type JsonObject, valueAt } from '../json-value.ts'
import { type FieldSet, FieldSetBuilder } from './field-set.ts'
import { elementsOf } from './list-item.ts'
import { field, type Path, serialise } from './path-element.ts'
import {
  type FieldType,
  type ListType,
  type MapType,
  narrowed,
  shapeOf,
  typeOfField,
} from './typed-schema.ts'

/** Every field and item that a value mentions. */
export function toFieldSet(value: Json, type: FieldType): FieldSet {
  const builder = new FieldSetBuilder()
  collect(value, type, [], builder)
  return builder.finished()
}

function collect(value: Json, type: FieldType, path: Path, builder: FieldSetBuilder): void {
  const shape = shapeOf(narrowed(type, value))
  switch (shape.kind) {
    case 'scalar':
      return builder.insert(path)
    case 'list':
      if (shape.list.relationship === 'atomic') builder.insert(path)
      else if (Array.isArray(value)) collectItems(value, shape.list, path, builder)
      return
    case 'map':
      if (shape.map.atomic) builder.insert(path)
      else if (isObject(value)) collectFields(value, shape.map, path, builder)
  }
}

/** Items with equal keys are owned as one, and as a whole. */
function collectItems(items: readonly Json[], list: ListType, path: Path, builder: FieldSetBuilder): void {
  const counts = new Map<string, number>()
  const all = [...elementsOf(list, items)].map(({ element, item }) => ({
    element,
    item,
    name: serialise(element),
  }))
  for (const { name } of all) counts.set(name, (counts.get(name) ?? 0) + 1)
  for (const { element, item, name } of all) {
    const inside = [...path, element]
    builder.insert(inside)
    if (counts.get(name) === 1) collect(item, list.items(), inside, builder)
  }
}

/** A field that the schema names is owned only through what is in it, unless there is nothing in it. */
function collectFields(value: JsonObject, map: MapType, path: Path, builder: FieldSetBuilder): void {
  for (const name of Object.keys(value)) {
    const child = valueAt(value, name) ?? null
    const inside = [...path, field(name)]
    collect(child, typeOfField(map, name), inside, builder)
    const isNothing = child === null || (isObject(child) && Object.keys(child).length === 0)
    if (isNothing || map.field(name) === undefined) builder.insert(inside)
  }
}
