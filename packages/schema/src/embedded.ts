import type { FieldError } from './field-error.ts'
import type { Schema } from './schema.ts'
import { additional, isObject } from './structure.ts'
import { invalid, required } from './wording.ts'

const label = /^[a-z]([-a-z0-9]*[a-z0-9])?$/
const labelRule =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')"

/** What is wrong with the type and the name of objects inside an object. */
export function validateEmbedded(value: unknown, schema: Schema | undefined, path = ''): FieldError[] {
  if (schema === undefined) return []
  if (Array.isArray(value))
    return value.flatMap((item, i) => validateEmbedded(item, schema.items, `${path}[${i}]`))
  if (!isObject(value)) return []
  const errors = schema['x-kubernetes-embedded-resource'] === true ? ofResource(value, path) : []
  for (const [key, part] of Object.entries(value)) {
    const property = schema.properties?.[key]
    if (property !== undefined)
      errors.push(...validateEmbedded(part, property, path === '' ? key : `${path}.${key}`))
    else errors.push(...validateEmbedded(part, additional(schema), `${path}[${key}]`))
  }
  return errors
}

function ofResource(value: Readonly<Record<string, unknown>>, path: string): FieldError[] {
  const errors: FieldError[] = []
  for (const key of ['apiVersion', 'kind'] as const) {
    const field = `${path}.${key}`
    const found = value[key]
    if (!Object.hasOwn(value, key)) errors.push(required(field))
    else if (typeof found !== 'string') errors.push(invalid(field, found, 'must be a string'))
    else if (found === '') errors.push(invalid(field, '', 'must not be empty'))
    else if (key === 'apiVersion' && found.split('/').length > 2)
      errors.push(invalid(field, found, `unexpected GroupVersion string: ${found}`))
    else if (key === 'kind' && !label.test(found.toLowerCase()))
      errors.push(invalid(field, found, `may have mixed case, but should otherwise match: ${labelRule}`))
  }
  return errors
}
