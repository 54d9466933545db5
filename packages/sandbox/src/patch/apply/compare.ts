import { isSameJson } from '@portcullis/kube'
import { isObject, type Json, type JsonObject, valueAt } from '../json-value.ts'
import { type FieldSet, FieldSetBuilder, recursiveDifference } from './field-set.ts'
import { elementsOf } from './list-item.ts'
import { field, type Path, type PathElement, serialise } from './path-element.ts'
import {
  type FieldType,
  isSameType,
  type ListType,
  type MapType,
  narrowed,
  shapeOf,
  typeOfField,
} from './typed-schema.ts'

/** What has become of each field; none is in more than one of the three. */
export interface Comparison {
  readonly removed: FieldSet
  readonly modified: FieldSet
  readonly added: FieldSet
}

export function compare(before: Json, after: Json, type: FieldType): Comparison {
  const found = {
    removed: new FieldSetBuilder(),
    modified: new FieldSetBuilder(),
    added: new FieldSetBuilder(),
  }
  new Walk(found).compare(before, after, type, [])
  return {
    removed: found.removed.finished(),
    modified: found.modified.finished(),
    added: found.added.finished(),
  }
}

export function withoutFields({ removed, modified, added }: Comparison, fields: FieldSet): Comparison {
  return {
    removed: recursiveDifference(removed, fields),
    modified: recursiveDifference(modified, fields),
    added: recursiveDifference(added, fields),
  }
}

type Value = Json | undefined

class Walk {
  readonly #found: Readonly<Record<keyof Comparison, FieldSetBuilder>>

  constructor(found: Readonly<Record<keyof Comparison, FieldSetBuilder>>) {
    this.#found = found
  }

  /** One of the two may be missing; null is a value that is there. */
  compare(before: Value, after: Value, type: FieldType, path: Path): void {
    const typeBefore = narrowed(type, before)
    const typeAfter = narrowed(type, after)
    let isLeaf: boolean
    if (after === undefined) isLeaf = this.#inside(before, after, typeBefore, path)
    else if (before === undefined || isSameType(typeBefore, typeAfter)) {
      isLeaf = this.#inside(before, after, typeAfter, path)
    } else {
      this.#inside(before, after, typeBefore, path)
      isLeaf = this.#inside(before, after, typeAfter, path)
    }
    if (isLeaf) return
    if (before === undefined) this.#found.added.insert(path)
    else if (after === undefined) this.#found.removed.insert(path)
  }

  /** Says whether the value has been compared as a whole. */
  #inside(before: Value, after: Value, type: FieldType, path: Path): boolean {
    const shape = shapeOf(type)
    if (shape.kind === 'scalar') return this.#asWhole(before, after, path)
    if (shape.kind === 'list') {
      const items = Array.isArray(before) ? before : []
      const newItems = Array.isArray(after) ? after : []
      const isBare = items.length === 0 && newItems.length === 0
      if (shape.list.relationship === 'atomic' || isBare) return this.#asWhole(before, after, path)
      this.#items(items, newItems, shape.list, path)
      return false
    }
    const fields = isObject(before) ? before : {}
    const newFields = isObject(after) ? after : {}
    const isBare = Object.keys(fields).length === 0 && Object.keys(newFields).length === 0
    if (shape.map.atomic || isBare) return this.#asWhole(before, after, path)
    this.#fields(fields, newFields, shape.map, path)
    return false
  }

  #asWhole(before: Value, after: Value, path: Path): true {
    if (before === undefined) this.#found.added.insert(path)
    else if (after === undefined) this.#found.removed.insert(path)
    else if (!isSameJson(before, after)) this.#found.modified.insert(path)
    return true
  }

  #fields(before: JsonObject, after: JsonObject, map: MapType, path: Path): void {
    for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
      this.compare(valueAt(before, name), valueAt(after, name), typeOfField(map, name), [
        ...path,
        field(name),
      ])
    }
  }

  #items(before: readonly Json[], after: readonly Json[], list: ListType, path: Path): void {
    const all = new Map<string, Alike>()
    const alike = (element: PathElement): Alike => {
      const name = serialise(element)
      let entry = all.get(name)
      if (entry === undefined) {
        entry = { element, before: [], after: [] }
        all.set(name, entry)
      }
      return entry
    }
    for (const { element, item } of elementsOf(list, before)) alike(element).before.push(item)
    for (const { element, item } of elementsOf(list, after)) alike(element).after.push(item)
    for (const entry of all.values()) this.#alike(entry, list, [...path, entry.element])
  }

  /** Items with equal keys are one thing, which is added and removed as a whole. */
  #alike({ before, after }: Alike, list: ListType, path: Path): void {
    if (before.length <= 1 && after.length <= 1) this.compare(before[0], after[0], list.items(), path)
    else if (before.length > 1 && after.length > 1) {
      if (!isSameJson(before, after)) this.#found.modified.insert(path)
    } else if (before.length > 1) {
      if (after.length > 0) this.compare(undefined, after[0], list.items(), path)
      this.#found.removed.insert(path)
    } else {
      if (before.length > 0) this.compare(before[0], undefined, list.items(), path)
      this.#found.added.insert(path)
    }
  }
}

interface Alike {
  readonly element: PathElement
  readonly before: Json[]
  readonly after: Json[]
}
