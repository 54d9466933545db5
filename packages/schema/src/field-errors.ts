import type { FieldError } from './field-error.ts'
import { goQuote } from './go-quote.ts'

/**
 * The words of the API server for what is wrong with a field. `kind` values that Go keeps as structures without JSON
 * names must be given as the server prints them; see `goJson`.
 */
export function invalid(field: string, value: unknown, detail: string): FieldError {
  return { reason: 'FieldValueInvalid', field, message: `Invalid value: ${shown(value)}${behind(detail)}` }
}

export function required(field: string, detail = ''): FieldError {
  return { reason: 'FieldValueRequired', field, message: `Required value${behind(detail)}` }
}

export function forbidden(field: string, detail = ''): FieldError {
  return { reason: 'FieldValueForbidden', field, message: `Forbidden${behind(detail)}` }
}

export function duplicate(field: string, value: unknown): FieldError {
  return { reason: 'FieldValueDuplicate', field, message: `Duplicate value: ${shown(value)}` }
}

export function notFound(field: string, value: unknown): FieldError {
  return { reason: 'FieldValueNotFound', field, message: `Not found: ${shown(value)}` }
}

/** `supported` is listed in the order given: Go's sets come sorted. */
export function notSupported(field: string, value: unknown, supported: readonly string[]): FieldError {
  const values = supported.map((one) => goQuote(one)).join(', ')
  return {
    reason: 'FieldValueNotSupported',
    field,
    message: `Unsupported value: ${shown(value)}: supported values: ${values}`,
  }
}

export function tooLong(field: string, maximum: number): FieldError {
  return {
    reason: 'FieldValueTooLong',
    field,
    message: `Too long: may not be more than ${maximum} ${maximum === 1 ? 'byte' : 'bytes'}`,
  }
}

export function tooMany(field: string, actual: number, maximum: number): FieldError {
  return {
    reason: 'FieldValueTooMany',
    field,
    message: `Too many: ${actual}: must have at most ${maximum} ${maximum === 1 ? 'item' : 'items'}`,
  }
}

/** One `Invalid value` for each problem about the same value. */
export function invalids(field: string, value: unknown, problems: readonly string[]): FieldError[] {
  return problems.map((problem) => invalid(field, value, problem))
}

export function nonNegative(field: string, value: number | undefined): FieldError[] {
  return value !== undefined && value < 0 ? [invalid(field, value, 'must be greater than or equal to 0')] : []
}

export const immutable = 'field is immutable'

/** JSON as Go writes it: map keys sorted by the caller's choice of `sortedMap`, and `<`, `>`, `&` escaped. */
export function goJson(value: unknown): string {
  return JSON.stringify(value ?? null).replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

/** A map as Go's JSON has it. */
export function sortedMap<T>(map: Readonly<Record<string, T>> | undefined): Record<string, T> | null {
  if (map === undefined) return null
  return Object.fromEntries(Object.entries(map).sort(([a], [b]) => (a < b ? -1 : 1)))
}

function shown(value: unknown): string {
  if (typeof value === 'string') return goQuote(value)
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  return goJson(value)
}

function behind(detail: string): string {
  return detail === '' ? '' : `: ${detail}`
}
