import type { FieldError } from './field-error.ts'
import type { Schema } from './schema.ts'
import { additional, isObject } from './structure.ts'
import { duplicate, goJson, invalid } from './wording.ts'

/** What is in a list twice that must not be: items of sets, keys of lists of type map. */
export function validateListTypes(value: unknown, schema: Schema | undefined, path = ''): FieldError[] {
  if (schema === undefined) return []
  if (Array.isArray(value)) {
    const errors = ofList(value, schema, path)
    for (const [i, item] of value.entries())
      errors.push(...validateListTypes(item, schema.items, `${path}[${i}]`))
    return errors
  }
  if (!isObject(value)) return []
  const rest = additional(schema)
  return Object.entries(value).flatMap(([key, part]) => {
    const property = schema.properties?.[key]
    if (property !== undefined) return validateListTypes(part, property, path === '' ? key : `${path}.${key}`)
    return rest === undefined ? [] : validateListTypes(part, rest, `${path}[${key}]`)
  })
}

function ofList(list: readonly unknown[], schema: Schema, path: string): FieldError[] {
  switch (schema['x-kubernetes-list-type']) {
    case 'set':
      return repeated(list).map((i) => duplicate(`${path}[${i}]`, list[i]))
    case 'map': {
      const odd = list.findIndex((item) => item !== null && !isObject(item))
      if (odd >= 0)
        return [invalid(`${path}[${odd}]`, list[odd], 'must be an object for an array of list-type map')]
      const names = schema['x-kubernetes-list-map-keys'] ?? []
      const keys = list.map((item) =>
        Object.fromEntries(
          names.flatMap((name) => (isObject(item) && Object.hasOwn(item, name) ? [[name, item[name]]] : [])),
        ),
      )
      return repeated(keys).map((i) => duplicate(`${path}[${i}]`, keys[i]))
    }
    case 'atomic':
    case undefined:
    default:
      return []
  }
}

/** The second of everything that is there more than once; the third and later ones are not mentioned. */
function repeated(list: readonly unknown[]): number[] {
  const seen = new Map<string, number>()
  return list.flatMap((item, i) => {
    const key = goJson(item)
    const times = (seen.get(key) ?? 0) + 1
    seen.set(key, times)
    return times === 2 ? [i] : []
  })
}
