import { goFormat } from '../go-text.ts'
import { compareBytes, isObject, type Json, valueAt } from '../json-value.ts'
import { elementOf } from './list-item.ts'
import { describe, field, type PathElement, serialise } from './path-element.ts'
import { type FieldType, type ListType, type MapType, narrowed, shapeOf } from './typed-schema.ts'

/** What keeps a value from being of a type, in the words of structured-merge-diff; empty if nothing does. */
export function problemsOf(
  value: Json,
  type: FieldType,
  { duplicates }: { readonly duplicates: 'allowed' | 'forbidden' },
): string[] {
  const problems: string[] = []
  validate(value, type, { prefix: '', problems, allowsDuplicates: duplicates === 'allowed' })
  return problems
}

/** The one problem, or all of them below one another. */
export function joinProblems(problems: readonly string[]): string {
  return problems.length === 1
    ? (problems[0] ?? '')
    : ['errors:', ...problems.map((one) => `  ${one}`)].join('\n')
}

interface Walk {
  readonly prefix: string
  readonly problems: string[]
  readonly allowsDuplicates: boolean
}

function validate(value: Json, type: FieldType, walk: Walk): void {
  const shape = shapeOf(narrowed(type, value))
  if (value === null) return
  switch (shape.kind) {
    case 'map':
      if (isObject(value)) validateFields(value, shape.map, walk)
      else report(walk, `expected map, got ${goPointer(value)}`)
      return
    case 'list':
      if (Array.isArray(value)) validateItems(value, shape.list, walk)
      else report(walk, `expected list, got ${goPointer(value)}`)
      return
    case 'scalar':
      validateScalar(value, shape.scalar, walk)
  }
}

function report({ prefix, problems }: Walk, message: string): void {
  problems.push(prefix === '' ? message : `${prefix}: ${message}`)
}

function below(walk: Walk, element: PathElement): Walk {
  return { ...walk, prefix: walk.prefix + describe(element) }
}

/** In the order of their names; Go takes them in any. */
function validateFields(value: Record<string, Json>, map: MapType, walk: Walk): void {
  for (const name of Object.keys(value).sort(compareBytes)) {
    const inside = below(walk, field(name))
    const type = map.field(name) ?? map.others()
    if (type === undefined) {
      report(inside, 'field not declared in schema')
      return
    }
    validate(valueAt(value, name) ?? null, type, inside)
  }
}

function validateItems(items: readonly Json[], list: ListType, walk: Walk): void {
  const seen = new Set<string>()
  for (const [index, item] of items.entries()) {
    const element =
      list.relationship === 'atomic' ? ({ kind: 'index', index } as const) : elementOf(list, item)
    if (typeof element === 'string') {
      report(walk, `element ${index}: ${element}`)
      return
    }
    const name = serialise(element)
    if (seen.has(name) && !walk.allowsDuplicates)
      report(walk, `duplicate entries for key ${describe(element)}`)
    seen.add(name)
    validate(item, list.items(), below(walk, element))
  }
}

function validateScalar(value: Json, scalar: NonNullable<FieldType['scalar']>, walk: Walk): void {
  switch (scalar) {
    case 'numeric':
      if (typeof value !== 'number') report(walk, `expected numeric (int or float), got ${goType(value)}`)
      return
    case 'string':
      if (typeof value !== 'string')
        report(walk, `expected string, got &value.valueUnstructured{Value:${goSyntax(value)}}`)
      return
    case 'boolean':
      if (typeof value !== 'boolean') report(walk, `expected boolean, got ${goPointer(value)}`)
      return
    case 'untyped':
      if (typeof value === 'object') report(walk, `expected any scalar, got ${goPointer(value)}`)
  }
}

/** What `%v` makes of a pointer to structured-merge-diff's wrapper of a value. */
function goPointer(value: Json): string {
  return `&{${goFormat(value)}}`
}

function goType(value: Json): string {
  if (Array.isArray(value)) return '[]interface {}'
  if (isObject(value)) return 'map[string]interface {}'
  if (typeof value === 'boolean') return 'bool'
  return typeof value === 'string' ? 'string' : 'int64'
}

/** What `%#v` makes of decoded JSON. */
function goSyntax(value: Json): string {
  if (value === null) return 'interface {}(nil)'
  if (Array.isArray(value)) return `[]interface {}{${value.map(goSyntax).join(', ')}}`
  if (!isObject(value)) return JSON.stringify(value)
  const names = Object.keys(value).sort()
  const entries = names.map((name) => `${JSON.stringify(name)}:${goSyntax(valueAt(value, name) ?? null)}`)
  return `map[string]interface {}{${entries.join(', ')}}`
}
