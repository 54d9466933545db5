import { goJson, goKind } from './go-text.ts'
import type { FieldValidation, Patched } from './json-patch.ts'
import { isObject, type Json, type JsonObject, setValue, valueAt, withSortedKeys } from './json-value.ts'
import { badRequest } from './patch-refused.ts'

/** RFC 7386 as the API server does it. */
export function applyMergePatch(
  object: JsonObject,
  patch: unknown,
  { fieldValidation = 'Warn' }: { readonly fieldValidation?: FieldValidation } = {},
): Patched {
  if (isObject(patch)) return asPatched(merged(object, patch))
  if (fieldValidation !== 'Ignore' && patch !== null) {
    throw badRequest(
      `error decoding patch: json: cannot unmarshal ${goKind(patch)} into Go value of type map[string]interface {}`,
    )
  }
  if (!Array.isArray(patch)) throw badRequest('Invalid JSON Patch')
  return asPatched(withoutNulls(patch as Json[]))
}

function asPatched(patched: Json): Patched {
  return { patched, strictErrors: [], shown: () => goJson(patched, { keys: 'as they are' }) }
}

function merged(object: JsonObject, patch: JsonObject): JsonObject {
  const result = { ...object }
  for (const [key, value] of Object.entries(patch)) {
    const current = valueAt(object, key)
    if (value === null) delete result[key]
    else if (!isObject(current)) {
      setValue(result, key, withoutNulls(value))
    } else {
      // A list in the place of an object keeps the nulls of its items: only what follows nothing or no object loses them.
      setValue(result, key, isObject(value) ? merged(current, value) : value)
    }
  }
  return withSortedKeys(result)
}

/** Nulls in lists stay: they hold a place. */
function withoutNulls(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutNulls)
  if (!isObject(value)) return value
  const result: JsonObject = {}
  for (const [key, child] of Object.entries(value)) {
    if (child !== null) setValue(result, key, withoutNulls(child))
  }
  return withSortedKeys(result)
}
