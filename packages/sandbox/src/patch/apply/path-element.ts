import { goQuote } from '@portcullis/schema'
import { goJson } from '../go-text.ts'
import { compareBytes, isObject, type Json } from '../json-value.ts'

/** One step of a path into an object: a field, a list item by its keys, a set's item by its value, a list item by its index. */
export type PathElement =
  | { readonly kind: 'field'; readonly name: string }
  | { readonly kind: 'key'; readonly fields: readonly KeyField[] }
  | { readonly kind: 'value'; readonly value: Json }
  | { readonly kind: 'index'; readonly index: number }

export interface KeyField {
  readonly name: string
  readonly value: Json
}

export type Path = readonly PathElement[]

export function field(name: string): PathElement {
  return { kind: 'field', name }
}

/** Keys are kept in the order of their names. */
export function key(fields: readonly KeyField[]): PathElement {
  return { kind: 'key', fields: fields.toSorted((a, b) => compareBytes(a.name, b.name)) }
}

/** As it is written in FieldsV1: `f:spec`, `k:{"name":"web"}`, `v:"finalizer"`, `i:0`. Two elements are equal if these are. */
export function serialise(element: PathElement): string {
  if (element.kind === 'field') return `f:${element.name}`
  if (element.kind === 'value') return `v:${json(element.value)}`
  if (element.kind === 'index') return `i:${element.index}`
  return `k:{${element.fields.map(({ name, value }) => `${JSON.stringify(name)}:${json(value)}`).join(',')}}`
}

function json(value: Json): string {
  return goJson(value, { keys: 'sorted' })
}

/** Undefined for a kind of element that only a later Kubernetes knows. */
export function parse(text: string): PathElement | undefined {
  if (text.length < 2) throw new SyntaxError('key must be 2 characters long:')
  if (text[1] !== ':') throw new SyntaxError(`missing colon: ${text}`)
  const content = text.slice(2)
  switch (text.slice(0, 1)) {
    case 'f':
      return field(content)
    case 'v':
      return { kind: 'value', value: JSON.parse(content) as Json }
    case 'k': {
      const keys: unknown = JSON.parse(content)
      if (!isObject(keys)) throw new SyntaxError(`not an object: ${content}`)
      return key(Object.entries(keys).map(([name, value]) => ({ name, value })))
    }
    case 'i':
      if (!/^[+-]?\d+$/.test(content)) throw new SyntaxError(`not an index: ${content}`)
      return { kind: 'index', index: Number(content) }
    default:
      return undefined
  }
}

/** As people read it: `.spec`, `[name="web"]`, `[="finalizer"]`, `[0]`. */
export function describe(element: PathElement): string {
  if (element.kind === 'field') return `.${element.name}`
  if (element.kind === 'value') return `[=${describeValue(element.value)}]`
  if (element.kind === 'index') return `[${element.index}]`
  return `[${element.fields.map(({ name, value }) => `${name}=${describeValue(value)}`).join(',')}]`
}

export function describePath(path: Path): string {
  return path.map(describe).join('')
}

function describeValue(value: Json): string {
  if (typeof value === 'string') return goQuote(value)
  if (Array.isArray(value)) return `[${value.map(describeValue).join(',')}]`
  if (!isObject(value)) return String(value)
  return Object.entries(value)
    .map(([name, child]) => `${name}=${describeValue(child)}`)
    .join('')
}

const kinds = ['field', 'key', 'value', 'index'] as const

/** The order in which sets are written and conflicts are listed. */
export function compareElements(a: PathElement, b: PathElement): number {
  if (a.kind === 'field' && b.kind === 'field') return compareBytes(a.name, b.name)
  if (a.kind === 'key' && b.kind === 'key') return compareKeys(a.fields, b.fields)
  if (a.kind === 'value' && b.kind === 'value') return compareValues(a.value, b.value)
  if (a.kind === 'index' && b.kind === 'index') return a.index - b.index
  return kinds.indexOf(a.kind) - kinds.indexOf(b.kind)
}

function compareKeys(a: readonly KeyField[], b: readonly KeyField[]): number {
  for (const [index, one] of a.entries()) {
    const other = b[index]
    if (other === undefined) return 1
    const order = compareBytes(one.name, other.name) || compareValues(one.value, other.value)
    if (order !== 0) return order
  }
  return a.length - b.length
}

const types = ['number', 'string', 'boolean', 'array', 'object', 'null'] as const

function compareValues(a: Json, b: Json): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b
  if (typeof a === 'string' && typeof b === 'string') return compareBytes(a, b)
  if (typeof a === 'boolean' && typeof b === 'boolean') return Number(a) - Number(b)
  const order = types.indexOf(typeOf(a)) - types.indexOf(typeOf(b))
  return order === 0 ? compareBytes(json(a), json(b)) : order
}

function typeOf(value: Json): (typeof types)[number] {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  return typeof value as 'number' | 'string' | 'boolean' | 'object'
}
