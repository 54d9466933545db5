import type { FieldError } from './field-error.ts'
import { goQuote } from './go-quote.ts'

/** Field errors in the words of Kubernetes' own constructors. The path of the whole object is empty, and shown as `<nil>`. */

/** Stands for a value that is not shown. */
export const omitted = Symbol('omitted')

export function invalid(path: string, value: unknown, detail: string): FieldError {
  return error('FieldValueInvalid', path, withValue('Invalid value', value), detail)
}

export function typeInvalid(path: string, value: unknown, detail: string): FieldError {
  return error('FieldValueTypeInvalid', path, withValue('Invalid value', value), detail)
}

export function required(path: string, detail = ''): FieldError {
  return error('FieldValueRequired', path, 'Required value', detail)
}

export function forbidden(path: string, detail: string): FieldError {
  return error('FieldValueForbidden', path, 'Forbidden', detail)
}

export function duplicate(path: string, value: unknown): FieldError {
  return error('FieldValueDuplicate', path, withValue('Duplicate value', value), '')
}

export function notSupported(path: string, value: unknown, supported: readonly string[]): FieldError {
  const detail = supported.length === 0 ? '' : `supported values: ${supported.map(goQuote).join(', ')}`
  return error('FieldValueNotSupported', path, withValue('Unsupported value', value), detail)
}

export function tooLong(path: string, max: number): FieldError {
  return error(
    'FieldValueTooLong',
    path,
    'Too long',
    `may not be more than ${max} ${max === 1 ? 'byte' : 'bytes'}`,
  )
}

export function tooMany(path: string, actual: number, max: number): FieldError {
  const detail = `must have at most ${max} ${max === 1 ? 'item' : 'items'}`
  return error('FieldValueTooMany', path, withValue('Too many', actual), detail)
}

function error(reason: FieldError['reason'], path: string, head: string, detail: string): FieldError {
  return { reason, field: path === '' ? '<nil>' : path, message: detail === '' ? head : `${head}: ${detail}` }
}

function withValue(type: string, value: unknown): string {
  if (value === omitted) return type
  if (typeof value === 'string') return `${type}: ${goQuote(value)}`
  if (typeof value === 'number') return `${type}: ${goNumber(value)}`
  return `${type}: ${goJson(value)}`
}

/** A number as Go's `%v` prints it. */
export function goNumber(value: number): string {
  if (value === 0 || Number.isNaN(value)) return value === 0 ? '0' : 'NaN'
  const [mantissa = '', exponent = ''] = value.toExponential().split('e')
  const power = Number(exponent)
  if (power >= -4 && power < 21) return Number.isInteger(value) ? BigInt(value).toString() : decimal(value)
  const digits = String(Math.abs(power)).padStart(2, '0')
  return `${mantissa}e${power < 0 ? '-' : '+'}${digits}`
}

function decimal(value: number): string {
  const text = String(value)
  return text.includes('e') ? value.toFixed(20).replace(/0+$/, '') : text
}

/** A Go value that is written in an order of its own. */
export class GoStruct {
  readonly text: string

  constructor(fields: Readonly<Record<string, unknown>>) {
    const entries = Object.entries(fields).map(([name, value]) => `${goJson(name)}:${goJson(value)}`)
    this.text = `{${entries.join(',')}}`
  }
}

/** JSON as Go writes it: keys in order, and nothing that HTML could mistake. */
export function goJson(value: unknown): string {
  if (value === null || value === undefined) return 'null'
  if (typeof value === 'number') return goNumber(value)
  if (typeof value === 'bigint') return value.toString()
  if (typeof value === 'boolean') return String(value)
  if (typeof value === 'string')
    return JSON.stringify(value).replaceAll(
      /[<>&\u2028\u2029]/g,
      (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
    )
  if (Array.isArray(value)) return `[${value.map(goJson).join(',')}]`
  const object = value as Record<string, unknown>
  if (object instanceof GoStruct) return object.text
  const entries = Object.keys(object)
    .toSorted()
    .map((key) => `${goJson(key)}:${goJson(object[key])}`)
  return `{${entries.join(',')}}`
}
