import { isEqualJson } from './json.ts'
import type { Schema } from './schema.ts'
import { fieldSchema, isObject } from './structure.ts'

/**
 * A value and what it was before the update, as far as that can be determined: fields by name, items of lists of type map
 * by their keys. What has not changed is forgiven (ratcheting).
 */
export class Correlation {
  readonly value: unknown
  readonly old: unknown
  readonly schema: Schema
  #unchanged: boolean | undefined

  constructor(value: unknown, old: unknown, schema: Schema) {
    this.value = value
    this.old = old
    this.schema = schema
  }

  get unchanged(): boolean {
    this.#unchanged ??= isEqualJson(this.value, this.old)
    return this.#unchanged
  }

  field(name: string): Correlation | undefined {
    if (!isObject(this.value) || !isObject(this.old)) return undefined
    if (!Object.hasOwn(this.value, name) || !Object.hasOwn(this.old, name)) return undefined
    const schema = fieldSchema(this.schema, name)
    return schema === undefined ? undefined : new Correlation(this.value[name], this.old[name], schema)
  }

  item(index: number): Correlation | undefined {
    const { items } = this.schema
    if (!Array.isArray(this.value) || !Array.isArray(this.old) || items === undefined) return undefined
    const old = itemByKeys(this.schema, this.old, this.value[index])
    return old === undefined ? undefined : new Correlation(this.value[index], old, items)
  }
}

/** The item of an earlier list with the same keys; only lists of type map have any. */
export function itemByKeys(schema: Schema, list: readonly unknown[], like: unknown): unknown {
  const keys = schema['x-kubernetes-list-map-keys'] ?? []
  if (schema['x-kubernetes-list-type'] !== 'map' || keys.length === 0 || !isObject(like)) return undefined
  const keyOf = (item: Record<string, unknown>) =>
    keys.map((key) => (Object.hasOwn(item, key) ? item[key] : schema.items?.properties?.[key]?.default))
  const wanted = keyOf(like)
  return list.find((item) => isObject(item) && isEqualJson(keyOf(item), wanted))
}
