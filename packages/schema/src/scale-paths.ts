import type { FieldError } from './field-error.ts'
import { isObject } from './structure.ts'
import { goNumber, invalid } from './wording.ts'

/** Where the scale subresource of a custom resource finds its numbers: `spec.versions[].subresources.scale`. */
export interface ScalePaths {
  readonly specReplicasPath: string
  readonly statusReplicasPath: string
  readonly labelSelectorPath?: string
}

/** What keeps an object from being scaled; of a write of its status only the status is looked at. */
export function validateScalePaths(
  object: unknown,
  scale: ScalePaths,
  { status = false } = {},
): FieldError[] {
  const { specReplicasPath, statusReplicasPath, labelSelectorPath } = scale
  const errors = status ? [] : replicas(object, specReplicasPath)
  errors.push(...replicas(object, statusReplicasPath))
  if (labelSelectorPath !== undefined) {
    const { error } = lookUp(object, labelSelectorPath, 'string')
    if (error !== undefined) errors.push(invalid(labelSelectorPath, '', error))
  }
  return errors
}

function replicas(object: unknown, path: string): FieldError[] {
  const { value, error } = lookUp(object, path, 'int64')
  if (error !== undefined) return [invalid(path, 0, error)]
  if (typeof value !== 'number') return []
  if (value < 0) return [invalid(path, value, 'should be a non-negative integer')]
  const largest = 2 ** 31 - 1
  return value > largest ? [invalid(path, value, `should be less than or equal to ${largest}`)] : []
}

function lookUp(
  object: unknown,
  path: string,
  wanted: 'int64' | 'string',
): { value?: unknown; error?: string } {
  const steps = path.replace(/^\./, '').split('.')
  const fail = (end: number, value: unknown, expected: string) => ({
    error: `.${steps.slice(0, end).join('.')} accessor error: ${printed(value)} is of the type ${goType(value)}, expected ${expected}`,
  })
  let value = object
  for (const [i, step] of steps.entries()) {
    if (value === null) return {}
    if (!isObject(value)) return fail(i + 1, value, 'map[string]interface{}')
    if (!Object.hasOwn(value, step)) return {}
    value = value[step]
  }
  return goType(value) === wanted ? { value } : fail(steps.length, value, wanted)
}

function goType(value: unknown): string {
  if (value === null) return '<nil>'
  if (Array.isArray(value)) return '[]interface {}'
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64'
  if (typeof value === 'boolean') return 'bool'
  return typeof value === 'string' ? 'string' : 'map[string]interface {}'
}

/** As Go's `%v` prints it. */
function printed(value: unknown): string {
  if (value === null) return '<nil>'
  if (Array.isArray(value)) return `[${value.map(printed).join(' ')}]`
  if (typeof value === 'number') return goNumber(value)
  if (typeof value === 'string' || typeof value === 'boolean') return String(value)
  if (!isObject(value)) return ''
  const keys = Object.keys(value).toSorted((a, b) => (a < b ? -1 : 1))
  return `map[${keys.map((key) => `${key}:${printed(value[key])}`).join(' ')}]`
}
