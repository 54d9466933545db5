import { isSameJson } from '@portcullis/kube'
import { goJson, goJsonString, goKind } from './go-text.ts'
import { isObject, type Json, type JsonObject, setValue, valueAt, withSortedKeys } from './json-value.ts'
import { badRequest, PatchRefused, unprocessable } from './patch-refused.ts'

const mostOperations = 10_000
const mostCopiedBytes = 3 * 1024 * 1024

/** How strictly a request asks for its body to be read. */
export type FieldValidation = 'Strict' | 'Warn' | 'Ignore'

export interface Patched {
  /** The patched object, which is not validated yet. */
  readonly patched: Json
  /** What is wrong with the patch itself under `Strict`, and worth a warning under `Warn`. */
  readonly strictErrors: readonly string[]
  /** How the API server shows the patched object, or the patch, if nothing can be made of it; see `undecodable`. */
  readonly shown: () => string
}

export interface JsonPatchOptions {
  readonly fieldValidation?: FieldValidation
  /** The patch as it was sent. The API server compares strings as they are written, which matters for `<`, `>` and `&`. */
  readonly text?: string
}

/** RFC 6902 as the API server does it; that is, with some deviations, each documented where it occurs. */
export function applyJsonPatch(
  object: JsonObject,
  patch: unknown,
  { fieldValidation = 'Warn', text }: JsonPatchOptions = {},
): Patched {
  const strictErrors = fieldValidation === 'Ignore' ? [] : readStrictly(patch)
  const operations = readLoosely(patch)
  if (operations.length > mostOperations) {
    throw new PatchRefused({
      code: 413,
      reason: 'RequestEntityTooLarge',
      message: `Request entity too large: The allowed maximum operations in a JSON patch is ${mostOperations}, got ${operations.length}`,
    })
  }
  const document = new Document(object, text)
  for (const operation of operations) document.perform(operation)
  const patched = document.finished()
  return { patched, strictErrors, shown: () => goJson(patched, { keys: 'as they are' }) }
}

function readStrictly(patch: unknown): string[] {
  const into = (value: unknown, where: string) =>
    badRequest(`error decoding patch: json: cannot unmarshal ${goKind(value)} into Go ${where}`)
  if (patch === null) return []
  if (!Array.isArray(patch)) throw into(patch, 'value of type []handlers.jsonPatchOp')
  const unknown: string[] = []
  for (const [index, operation] of (patch as Json[]).entries()) {
    if (operation === null) continue
    if (!isObject(operation)) throw into(operation, 'value of type handlers.jsonPatchOp')
    for (const [key, value] of Object.entries(operation)) {
      if (key === 'value') continue
      if (key !== 'op' && key !== 'path' && key !== 'from') {
        unknown.push(`json patch unknown field "[${index}].${key}"`)
      } else if (value !== null && typeof value !== 'string') {
        throw into(value, `struct field jsonPatchOp.${key} of type string`)
      }
    }
  }
  return unknown
}

function readLoosely(patch: unknown): JsonObject[] {
  if (patch === null) return []
  if (!Array.isArray(patch)) {
    throw badRequest(`json: cannot unmarshal ${goKind(patch)} into Go value of type jsonpatch.Patch`)
  }
  return (patch as Json[]).map((operation) => {
    if (operation === null) return {}
    if (isObject(operation)) return operation
    throw badRequest(`json: cannot unmarshal ${goKind(operation)} into Go value of type jsonpatch.Operation`)
  })
}

type Container = JsonObject | Json[]

interface PatchLocation {
  readonly container: Container
  readonly key: string
}

/** The object under the patch. Only what an operation goes through is copied, and comes out with sorted keys. */
class Document {
  #root: Container
  readonly #ours = new Set<Container>()
  #copiedBytes = 0

  readonly #text: string | undefined

  constructor(object: JsonObject, text: string | undefined) {
    this.#text = text
    this.#root = this.#own(object)
  }

  perform(operation: JsonObject): void {
    const op = valueAt(operation, 'op')
    switch (typeof op === 'string' ? op : 'unknown') {
      case 'add':
        return add(this.#find(pointer(operation, 'path')), givenValue(operation))
      case 'remove':
        return remove(this.#find(pointer(operation, 'path')))
      case 'replace':
        return this.#replace(pointer(operation, 'path'), givenValue(operation))
      case 'move':
        return this.#move(pointer(operation, 'from'), operation)
      case 'copy':
        return this.#copy(pointer(operation, 'from'), operation)
      case 'test':
        return this.#test(pointer(operation, 'path'), givenValue(operation))
      default:
        throw unprocessable()
    }
  }

  finished(): Json {
    return this.#sorted(this.#root)
  }

  /** A key that is not there is set all the same; an index must exist. */
  #replace(path: string, value: Json): void {
    if (path === '') {
      if (typeof value !== 'object' || value === null) throw unprocessable()
      this.#root = this.#own(value)
      return
    }
    const { container, key } = this.#find(path)
    if (Array.isArray(container)) container[existingIndex(container, key)] = value
    else setValue(container, key, value)
  }

  #move(from: string, operation: JsonObject): void {
    const source = this.#find(from)
    const value = get(source) ?? null
    remove(source)
    add(this.#find(pointer(operation, 'path')), value)
  }

  /** A key that is not there is copied as null. */
  #copy(from: string, operation: JsonObject): void {
    const value = get(this.#find(from))
    const target = this.#find(pointer(operation, 'path'))
    if (value !== undefined) this.#copiedBytes += Buffer.byteLength(JSON.stringify(value))
    if (this.#copiedBytes > mostCopiedBytes) throw unprocessable()
    add(target, value === undefined ? null : structuredClone(value))
  }

  /** A key that is not there passes for null. */
  #test(path: string, wanted: Json): void {
    const value = path === '' ? this.#root : (get(this.#find(path)) ?? null)
    if (!isSameJson(value, wanted) || !this.#isWrittenAlike(wanted)) throw unprocessable()
  }

  /** Whether the patch writes all strings of a value as Go would. */
  #isWrittenAlike(value: Json): boolean {
    const text = this.#text
    if (text === undefined) return true
    if (typeof value === 'string') return !/[<>&]/.test(value) || text.includes(goJsonString(value))
    if (Array.isArray(value)) return value.every((item) => this.#isWrittenAlike(item))
    return !isObject(value) || Object.values(value).every((child) => this.#isWrittenAlike(child))
  }

  /** What comes before the first slash does not count, and a path without one leads nowhere. */
  #find(path: string): PatchLocation {
    const parts = path.split('/').slice(1).map(unescape)
    const key = parts.pop()
    if (key === undefined) throw unprocessable()
    let container = this.#root
    for (const part of parts) {
      const child = get({ container, key: part })
      if (typeof child !== 'object' || child === null) throw unprocessable()
      const copy = this.#own(child)
      if (Array.isArray(container)) container[existingIndex(container, part)] = copy
      else setValue(container, part, copy)
      container = copy
    }
    return { container, key }
  }

  #own(container: Container): Container {
    if (this.#ours.has(container)) return container
    const copy = Array.isArray(container) ? [...container] : { ...container }
    this.#ours.add(copy)
    return copy
  }

  #sorted(value: Json): Json {
    if (typeof value !== 'object' || value === null || !this.#ours.has(value)) return value
    if (Array.isArray(value)) return value.map((item) => this.#sorted(item))
    const sorted = withSortedKeys(value)
    for (const [key, child] of Object.entries(sorted)) setValue(sorted, key, this.#sorted(child))
    return sorted
  }
}

function pointer(operation: JsonObject, name: 'path' | 'from'): string {
  const path = valueAt(operation, name)
  if (typeof path !== 'string') throw unprocessable()
  return path
}

function givenValue(operation: JsonObject): Json {
  return valueAt(operation, 'value') ?? null
}

function unescape(part: string): string {
  return part.replace(/~[01]/g, (escape) => (escape === '~1' ? '/' : '~'))
}

function get({ container, key }: PatchLocation): Json | undefined {
  return Array.isArray(container) ? container[existingIndex(container, key)] : valueAt(container, key)
}

function add({ container, key }: PatchLocation, value: Json): void {
  if (!Array.isArray(container)) setValue(container, key, value)
  else if (key === '-') container.push(value)
  else container.splice(within(container.length + 1, key), 0, value)
}

function remove({ container, key }: PatchLocation): void {
  if (Array.isArray(container)) container.splice(existingIndex(container, key), 1)
  else if (Object.hasOwn(container, key)) delete container[key]
  else throw unprocessable()
}

function existingIndex(container: readonly Json[], key: string): number {
  return within(container.length, key)
}

/** Negative indices count from the end. */
function within(length: number, key: string): number {
  if (!/^[+-]?\d+$/.test(key)) throw unprocessable()
  const index = Number(key)
  if (index >= length || index < -length) throw unprocessable()
  return index < 0 ? index + length : Math.abs(index)
}
