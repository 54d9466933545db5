import type { Correlation } from './correlation.ts'
import type { FieldError } from './field-error.ts'
import { stringFormat } from './formats.ts'
import { goQuote } from './go-quote.ts'
import { isEqualJson } from './json.ts'
import { Re2 } from './re2.ts'
import type { Schema } from './schema.ts'
import { additional, isObject } from './structure.ts'
import * as say from './wording.ts'

export interface ValidateOptions {
  /** What the value was; leaving it out makes this a create, where nothing is forgiven. */
  readonly correlation?: Correlation | undefined
  /** Where the value is: `status` when only the status is looked at. Messages count from there. */
  readonly path?: string
}

/**
 * What is wrong with a custom resource by its schema alone. The server goes through fields in no particular order;
 * here it is the schema's.
 */
export function validateSchema(value: unknown, schema: Schema, options: ValidateOptions = {}): FieldError[] {
  const result = check(value, schema, '', options.correlation)
  const root = options.path ?? ''
  return result.problems.map(({ name, make }) => {
    const own = name.startsWith('.') ? name.slice(1) : name
    return make(own === '' ? root : root === '' ? own : `${root}.${own}`)
  })
}

interface Problem {
  /** The path that messages use; empty for the whole. */
  readonly name: string
  /** Problems that say the same are one. */
  readonly text: string
  readonly make: (path: string) => FieldError
}

/** How many checks were passed decides which of several alternatives is reported. */
class Result {
  readonly problems: Problem[] = []
  matches = 0

  add(problem: Problem): void {
    if (this.problems.every(({ text }) => text !== problem.text)) this.problems.push(problem)
  }

  /** One that the server does not place: it goes to the whole object. */
  addGeneral(text: string): void {
    this.add({ name: '', text, make: (path) => say.invalid(path, '', text) })
  }

  addInvalid(name: string, value: unknown, text: string): void {
    this.add({ name, text, make: (path) => say.invalid(path, value, text) })
  }

  merge(other: Result): void {
    for (const problem of other.problems) this.add(problem)
    this.matches += other.matches
  }
}

function check(value: unknown, schema: Schema, name: string, correlation: Correlation | undefined): Result {
  const result = new Result()
  const types = typesOf(schema)
  if (value === null || value === undefined) {
    if (types.length > 0 && schema.nullable !== true) addTypeProblem(result, name, types.join(','), 'null')
    else result.matches += 1
    checkEnum(null, schema, name, result)
  } else {
    checkType(value, schema, types, name, result)
    checkCombinations(value, schema, name, correlation, result)
    if (typeof value === 'string') checkString(value, schema, types, name, result)
    if (typeof value === 'number') checkNumber(value, schema, name, result)
    if (Array.isArray(value)) checkList(value, schema, name, correlation, result)
    checkEnum(value, schema, name, result)
    if (isObject(value)) checkObject(value, schema, name, correlation, result)
    result.matches += 1
  }
  return result
}

/** A part that has not changed is forgiven. */
function checkPart(
  value: unknown,
  schema: Schema,
  name: string,
  correlation: Correlation | undefined,
): Result {
  const result = check(value, schema, name, correlation)
  if (result.problems.length === 0 || correlation === undefined || !correlation.unchanged) return result
  const forgiven = new Result()
  forgiven.matches = result.matches
  return forgiven
}

function typesOf(schema: Schema): readonly string[] {
  if (schema['x-kubernetes-int-or-string'] === true) return ['integer', 'string']
  return schema.type === undefined ? [] : [schema.type]
}

/** Only what fits the type, or is known for strings, counts as a format. */
function formatOf(schema: Schema): string {
  const format = schema.format ?? ''
  switch (schema.type) {
    case 'integer':
      return format === 'int32' || format === 'int64' ? format : ''
    case 'number':
      return format === 'float' || format === 'double' ? format : ''
    case 'string':
    case undefined:
      return stringFormat(format) === undefined ? '' : format
    case 'array':
    case 'boolean':
    case 'object':
    default:
      return ''
  }
}

function addTypeProblem(result: Result, name: string, wanted: string, found: string): void {
  const text = `${name} in body must be of type ${wanted}: ${goQuote(found)}`
  result.add({ name, text, make: (path) => say.typeInvalid(path, found, text) })
}

function checkType(
  value: unknown,
  schema: Schema,
  types: readonly string[],
  name: string,
  result: Result,
): void {
  const format = formatOf(schema)
  if (types.length === 0 && format === '') return
  const [type, goFormat] = jsonType(value)
  const fits = types.includes(type) || (type === 'integer' && types.includes('number'))
  const hasText = typeof value === 'string' || Array.isArray(value)
  if (!hasText && format !== '' && !fits && goFormat !== format) {
    addTypeProblem(result, name, format, goFormat)
    return
  }
  const numeric = types.includes('number') || types.includes('integer')
  if ((!numeric && format !== '' && hasText) || fits) result.matches += 1
  else addTypeProblem(result, name, types.join(','), type)
  result.matches += 1
}

/** What Go takes the value for, and the format it sees in it. */
function jsonType(value: unknown): readonly [type: string, format: string] {
  if (Array.isArray(value)) return ['array', '']
  if (typeof value === 'number') return Number.isInteger(value) ? ['integer', 'int64'] : ['number', 'float64']
  return [typeof value, '']
}

function checkCombinations(
  value: unknown,
  { anyOf = [], oneOf = [], allOf = [], not }: Schema,
  name: string,
  correlation: Correlation | undefined,
  result: Result,
): void {
  const isValid = ({ problems }: Result) => problems.length === 0
  const best = (results: readonly Result[]): Result | undefined =>
    results.reduce<Result | undefined>(
      (chosen, next) => (chosen === undefined || next.matches > chosen.matches ? next : chosen),
      undefined,
    )
  if (anyOf.length > 0) {
    const results = anyOf.map((schema) => check(value, schema, name, correlation))
    const success = results.find(isValid)
    if (success === undefined) result.addGeneral(`${goQuote(name)} must validate at least one schema (anyOf)`)
    result.merge(success ?? best(results) ?? new Result())
  }
  if (oneOf.length > 0) {
    const results = oneOf.map((schema) => check(value, schema, name, correlation))
    const valid = results.filter(isValid)
    const [only] = valid
    if (valid.length === 1 && only !== undefined) result.merge(only)
    else {
      const found = valid.length === 0 ? 'Found none valid' : `Found ${valid.length} valid alternatives`
      result.addGeneral(`${goQuote(name)} must validate one and only one schema (oneOf). ${found}`)
      if (valid.length === 0) result.merge(best(results) ?? new Result())
    }
  }
  if (allOf.length > 0) {
    const results = allOf.map((schema) => check(value, schema, name, correlation))
    for (const part of results) result.merge(part)
    const valid = results.filter(isValid).length
    if (valid !== allOf.length)
      result.addGeneral(
        `${goQuote(name)} must validate all the schemas (allOf)${valid === 0 ? '. None validated' : ''}`,
      )
  }
  if (not !== undefined && isValid(check(value, not, name, correlation)))
    result.addGeneral(`${goQuote(name)} must not validate the schema (not)`)
  result.matches += 2
}

function checkString(
  value: string,
  schema: Schema,
  types: readonly string[],
  name: string,
  result: Result,
): void {
  const { maxLength, minLength, pattern } = schema
  const length = Array.from(value).length
  if (maxLength !== undefined && length > maxLength) {
    const text = `${name} in body should be at most ${maxLength} chars long`
    result.add({ name, text, make: (path) => say.tooLong(path, maxLength) })
  } else if (minLength !== undefined && length < minLength)
    result.addInvalid(name, value, `${name} in body should be at least ${minLength} chars long`)
  else if (pattern !== undefined && pattern !== '') {
    const text = `${name} in body should match '${pattern}'`
    if (!Re2.of(pattern).finds(value)) result.addInvalid(name, value, text)
  }
  result.matches += 1
  const format = formatOf(schema)
  const isFormat = format === '' || types.includes('integer') ? undefined : stringFormat(format)
  if (isFormat === undefined) return
  if (!isFormat(value)) {
    const text = `${name} in body must be of type ${format}: ${goQuote(value)}`
    result.add({ name, text, make: (path) => say.typeInvalid(path, value, text) })
  }
  result.matches += 1
}

const int32 = [-(2 ** 31), 2 ** 31 - 1] as const

function checkNumber(value: number, schema: Schema, name: string, result: Result): void {
  const { multipleOf, minimum, maximum } = schema
  const format = formatOf(schema)
  if (schema.type === 'integer') {
    const [low, high] = format === 'int32' ? int32 : [-(2 ** 63), 2 ** 63]
    if (!Number.isInteger(value) || value < low || value > high)
      result.addGeneral(
        `Checked value must be of type integer ${format === '' ? '(default format)' : `with format ${format}`} in ${name}`,
      )
  }
  // Bounds of whole numbers are whole.
  const bound = (limit: number) => (Number.isInteger(value) ? Math.trunc(limit) : limit)
  if (multipleOf !== undefined) {
    const factor = bound(multipleOf)
    const quotient = factor < 1 ? (1 / factor) * value : value / factor
    if (factor <= 0)
      result.addInvalid(
        name,
        factor,
        `factor MultipleOf declared for ${name} must be positive: ${say.goNumber(factor)}`,
      )
    else if (!Number.isInteger(quotient))
      result.addInvalid(name, value, `${name} in body should be a multiple of ${say.goNumber(factor)}`)
  }
  if (minimum !== undefined) {
    const exclusive = schema.exclusiveMinimum === true
    const limit = bound(minimum)
    if (exclusive ? value <= limit : value < limit)
      result.addInvalid(
        name,
        value,
        `${name} in body should be greater than ${exclusive ? '' : 'or equal to '}${say.goNumber(limit)}`,
      )
  }
  if (maximum !== undefined) {
    const exclusive = schema.exclusiveMaximum === true
    const limit = bound(maximum)
    if (exclusive ? value >= limit : value > limit)
      result.addInvalid(
        name,
        value,
        `${name} in body should be less than ${exclusive ? '' : 'or equal to '}${say.goNumber(limit)}`,
      )
  }
  result.matches += 2
}

function checkList(
  value: readonly unknown[],
  schema: Schema,
  name: string,
  correlation: Correlation | undefined,
  result: Result,
): void {
  const { items, minItems, maxItems } = schema
  if (items !== undefined)
    for (const [i, item] of value.entries())
      result.merge(checkPart(item, items, `${name}[${i}]`, correlation?.item(i)))
  const size = value.length
  if (minItems !== undefined && size < minItems)
    result.addInvalid(name, size, `${name} in body should have at least ${minItems} items`)
  if (maxItems !== undefined && size > maxItems) {
    const text = `${name} in body should have at most ${maxItems} items`
    result.add({ name, text, make: (path) => say.tooMany(path, size, maxItems) })
  }
  if (
    schema.uniqueItems === true &&
    value.some((item, i) => value.slice(0, i).some((other) => isEqualJson(item, other)))
  )
    result.addInvalid(name, '', `${name} in body shouldn't contain duplicates`)
  result.matches += 2
}

function checkEnum(value: unknown, schema: Schema, name: string, result: Result): void {
  const allowed = schema.enum ?? []
  if (allowed.length > 0 && (value === null || !allowed.some((option) => isEqualJson(option, value)))) {
    const text = `${name} in body should be one of [${allowed.map(String).join(' ')}]`
    const supported = allowed.map((option) => (typeof option === 'string' ? option : say.goJson(option)))
    result.add({ name, text, make: (path) => say.notSupported(path, value, supported) })
  }
  if (value !== null) result.matches += 1
}

function checkObject(
  value: Readonly<Record<string, unknown>>,
  schema: Schema,
  name: string,
  correlation: Correlation | undefined,
  result: Result,
): void {
  const { minProperties, maxProperties, properties = {} } = schema
  const size = Object.keys(value).length
  if (minProperties !== undefined && size < minProperties)
    result.addInvalid(name, size, `${name} in body should have at least ${minProperties} properties`)
  if (maxProperties !== undefined && size > maxProperties) {
    const text = `${name} in body should have at most ${maxProperties} properties`
    result.add({ name, text, make: (path) => say.tooMany(path, size, maxProperties) })
  }
  const rest = additional(schema)
  for (const [key, part] of Object.entries(value)) {
    if (Object.hasOwn(properties, key)) continue
    if (schema.additionalProperties === false)
      result.addInvalid(name, key, `${name}.${key} in body is a forbidden property`)
    else if (rest !== undefined)
      result.merge(checkPart(part, rest, `${name}.${key}`, correlation?.field(key)))
  }
  for (const [key, property] of Object.entries(properties)) {
    if (!Object.hasOwn(value, key)) continue
    const isType = name === '' && (key === 'kind' || key === 'apiVersion')
    const part = isType ? undefined : correlation?.field(key)
    result.merge(checkPart(value[key], property, name === '' ? key : `${name}.${key}`, part))
  }
  for (const key of schema.required ?? [])
    if (!Object.hasOwn(value, key)) {
      const text = `${name}.${key} in body is required`
      result.add({ name: `${name}.${key}`, text, make: (path) => say.required(path) })
    }
  result.matches += 1
}
