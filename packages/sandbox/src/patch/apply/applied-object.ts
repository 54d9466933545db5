import { goKind } from '../go-text.ts'
import { isObject, type JsonObject } from '../json-value.ts'
import { badRequest } from '../patch-refused.ts'

/** The configuration of an apply, once its YAML has been read. */
export function appliedObject(body: unknown): JsonObject {
  if (isObject(body)) return body
  if (body === null || body === undefined) return {}
  throw badRequest(
    `error decoding YAML: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal ${goKind(body)} into Go value of type map[string]interface {}`,
  )
}
