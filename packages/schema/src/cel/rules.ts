import { Environment, EvaluationError, Optional } from '@marcbachmann/cel-js'
import { Correlation, itemByKeys } from '../correlation.ts'
import type { FieldError } from '../field-error.ts'
import type { Schema, ValidationRule } from '../schema.ts'
import { additional, isObject } from '../structure.ts'
import * as say from '../wording.ts'
import { CelError } from './library/cel-error.ts'
import { registerLibrary } from './library.ts'
import { translate } from './source.ts'
import { toCel } from './values.ts'

/** What rules say of an object, and what they would have said had its fault been new. */
export interface RuleResult {
  readonly errors: readonly FieldError[]
  /** `path: message`, for the `Warning` header. */
  readonly warnings: readonly string[]
}

/**
 * Evaluates `x-kubernetes-validations` on a custom resource. With `old` it is an update: rules may compare, and what
 * has not changed is forgiven.
 */
export function validateRules(value: unknown, schema: Schema, old?: unknown, path = ''): RuleResult {
  const evaluation = new Evaluation()
  const correlation = old === undefined ? undefined : new Correlation(value, old, schema)
  evaluation.walk(value, withObjectMeta(schema, path), { old, path, correlation, parent: undefined })
  return evaluation
}

/** Rules of the whole object see its type and its name too. */
function withObjectMeta(schema: Schema, path: string): Schema {
  if (path !== '' || schema.type !== 'object') return schema
  const text: Schema = { type: 'string' }
  const metadata: Schema = { type: 'object', properties: { name: text, generateName: text } }
  return { ...schema, properties: { ...schema.properties, apiVersion: text, kind: text, metadata } }
}

interface RuleTarget {
  readonly old: unknown
  readonly path: string
  readonly correlation: Correlation | undefined
  /** The nearest thing around it that could be compared with what it was. */
  readonly parent: Correlation | undefined
}

class Evaluation implements RuleResult {
  readonly errors: FieldError[] = []
  readonly warnings: string[] = []

  walk(value: unknown, schema: Schema, target: RuleTarget): void {
    if (value === null || value === undefined) return
    for (const rule of schema['x-kubernetes-validations'] ?? []) this.#evaluate(rule, value, schema, target)
    for (const part of schema.allOf ?? []) this.walk(value, part, { ...target, correlation: undefined })
    const { old, path, correlation, parent } = target
    const around = (inner: Correlation | undefined) =>
      correlation === undefined
        ? { correlation: undefined, parent }
        : { correlation: inner, parent: correlation }
    if (Array.isArray(value) && schema.items !== undefined) {
      const before = Array.isArray(old) ? old : []
      for (const [i, item] of value.entries())
        this.walk(item, schema.items, {
          old: itemByKeys(schema, before, item),
          path: `${path}[${i}]`,
          ...around(correlation?.item(i)),
        })
    }
    if (!isObject(value)) return
    const before = isObject(old) ? old : {}
    const rest = additional(schema)
    for (const [key, part] of Object.entries(value)) {
      const property = schema.properties?.[key]
      const inner = property ?? rest
      if (inner === undefined) continue
      const step = property === undefined ? `${path}[${key}]` : path === '' ? key : `${path}.${key}`
      const isType = path === '' && (key === 'apiVersion' || key === 'kind')
      const inherited = isType
        ? { correlation: undefined, parent: undefined }
        : around(correlation?.field(key))
      this.walk(part, inner, { old: before[key], path: step, ...inherited })
    }
  }

  #evaluate(
    rule: ValidationRule,
    value: unknown,
    schema: Schema,
    { old, path, correlation, parent }: RuleTarget,
  ): void {
    const optional = rule.optionalOldSelf === true
    const compiled = compile(rule.rule, optional)
    const hasOld = old !== undefined && old !== null
    const type = schema.type ?? ''
    if (compiled.usesOldSelf && !hasOld && !optional) return
    if (compiled.run === undefined) {
      this.errors.push(say.invalid(path, type, `rule compile error: compilation failed: ${compiled.error}`))
      return
    }
    const self = toCel(value, schema)
    const before = hasOld ? toCel(old, schema) : undefined
    const oldSelf = optional ? (hasOld ? Optional.of(before) : Optional.none()) : before
    const context = oldSelf === undefined ? { self } : { self, oldSelf }
    const name = (rule.message ?? '').trim() === '' ? rule.rule.trim() : (rule.message ?? '').trim()
    let passed: unknown
    try {
      passed = compiled.run(context)
    } catch (error) {
      const cause = inGoWords(error)
      this.errors.push(
        say.invalid(
          path,
          type,
          cause === 'no such overload'
            ? `'${cause}': call arguments did not match a supported operator, function or macro signature for rule: ${name}`
            : `${cause} evaluating rule: ${name}`,
        ),
      )
      return
    }
    if (passed === true) return
    const message = evaluateMessage(rule, before === undefined ? { self } : { self, oldSelf: before })
    const detail = message ?? ((rule.message ?? '').trim() === '' ? `failed rule: ${name}` : name)
    const shown = type === 'object' || type === 'array' ? say.omitted : value
    const failure = failureFor(rule, `${path}${fieldPathOf(rule)}`.replace(/^\./, ''), shown, detail)
    const forgiven = (correlation ?? parent)?.unchanged === true
    if (!compiled.usesOldSelf && forgiven) this.warnings.push(`${failure.field}: ${failure.message}`)
    else this.errors.push(failure)
  }
}

function failureFor(rule: ValidationRule, path: string, value: unknown, detail: string): FieldError {
  switch (rule.reason) {
    case 'FieldValueForbidden':
      return say.forbidden(path, detail)
    case 'FieldValueRequired':
      return say.required(path, detail)
    case 'FieldValueDuplicate':
      return say.duplicate(path, value)
    case 'FieldValueInvalid':
    case undefined:
    default:
      return say.invalid(path, value, detail)
  }
}

/** `.a.b['c.d']` as a path behind another. */
function fieldPathOf({ fieldPath = '' }: ValidationRule): string {
  return fieldPath.replaceAll(
    /\['((?:\\.|[^'\\])*)'\]/g,
    (_, key: string) => `[${key.replaceAll(/\\(.)/g, '$1')}]`,
  )
}

/** Undefined where the expression gives nothing that could be shown. */
function evaluateMessage(
  { messageExpression = '' }: ValidationRule,
  context: Record<string, unknown>,
): string | undefined {
  if (messageExpression === '') return undefined
  try {
    const text: unknown = compile(messageExpression, false).run?.(context)
    if (typeof text !== 'string') return undefined
    const trimmed = text.trim()
    return trimmed === '' || trimmed.includes('\n') || trimmed.length > 5 * 1024 ? undefined : trimmed
  } catch {
    return undefined
  }
}

interface Compiled {
  readonly usesOldSelf: boolean
  /** Undefined where the rule is none. */
  readonly run?: (context: Record<string, unknown>) => unknown
  readonly error?: string
}

const compiledRules = new Map<string, Compiled>()

function compile(rule: string, optional: boolean): Compiled {
  const key = `${optional} ${rule}`
  const known = compiledRules.get(key)
  if (known !== undefined) return known
  const { source, names } = translate(rule)
  const usesOldSelf = names.has('oldSelf')
  let compiled: Compiled
  try {
    const program = environment(optional).parse(source)
    compiled = { usesOldSelf, run: (context) => program(context) as unknown }
  } catch (error) {
    compiled = { usesOldSelf, error: error instanceof Error ? error.message : String(error) }
  }
  if (compiledRules.size > 5000) compiledRules.clear()
  compiledRules.set(key, compiled)
  return compiled
}

const environments = new Map<boolean, Environment>()

function environment(optional: boolean): Environment {
  let found = environments.get(optional)
  if (found === undefined) {
    found = new Environment({ enableOptionalTypes: true, homogeneousAggregateLiterals: false })
      .registerVariable('self', 'dyn')
      .registerVariable('oldSelf', optional ? 'optional' : 'dyn')
    registerLibrary(found)
    environments.set(optional, found)
  }
  return found
}

/** The engine's errors as cel-go has them. */
function inGoWords(error: unknown): string {
  if (error instanceof CelError) return error.message
  if (!(error instanceof EvaluationError)) throw error
  if (error.cause instanceof CelError) return error.cause.message
  const text = error.summary
  switch (error.code) {
    case 'no_such_key':
      return `no such key: ${text.replace(/^No such key: /, '')}`
    case 'index_out_of_bounds':
      return `index out of bounds: ${/index (-?\d+)/.exec(text)?.[1] ?? ''}`
    case 'modulo_by_zero':
      return 'modulus by zero'
    case 'numeric_overflow':
      return 'integer overflow'
    case 'int_conversion_error':
      return "type conversion error from 'string' to 'int'"
    case 'uint_conversion_error':
      return "type conversion error from 'string' to 'uint'"
    case 'double_conversion_error':
      return "type conversion error from 'string' to 'double'"
    case 'bool_conversion_error':
      return "type conversion error from 'string' to 'bool'"
    case 'no_such_overload':
    case 'no_matching_overload':
      return 'no such overload'
    default:
      return text
  }
}
