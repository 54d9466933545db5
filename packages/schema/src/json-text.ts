import { goQuote } from './go-quote.ts'

export { goQuote }

/**
 * JSON as it was written: in order, with duplicate keys, and numbers as their digits. What Go's decoder says of a
 * request depends on all three, and `JSON.parse` keeps none.
 */
export type JsonNode =
  | { readonly kind: 'object'; readonly entries: readonly (readonly [key: string, value: JsonNode])[] }
  | { readonly kind: 'array'; readonly items: readonly JsonNode[] }
  | { readonly kind: 'string'; readonly value: string }
  | { readonly kind: 'number'; readonly literal: string }
  | { readonly kind: 'bool'; readonly value: boolean }
  | { readonly kind: 'null' }

/** In the words of Go's scanner. */
export class JsonSyntaxError extends Error {}

const nullNode: JsonNode = { kind: 'null' }
const escapes: Readonly<Record<string, string>> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
}
const space = /[ \t\r\n]*/y
/** Up to a quote, a backslash or a control character. */
const plain = /[^"\\\p{Cc}]*/uy
/** V8 copies what is shorter. */
const shortestSlice = 13
const number = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y

/** Throws a JsonSyntaxError that says what Go would say. */
export function parseJson(text: string): JsonNode {
  let at = 0

  const skipSpace = () => {
    space.lastIndex = at
    space.test(text)
    at = space.lastIndex
  }
  /** Go feeds a space to its scanner at the end of the input; only where that is no error is the end the error. */
  const fail = (where: string, index: number, endIsSpace = false): JsonSyntaxError => {
    if (index >= text.length && !endIsSpace) return new JsonSyntaxError('unexpected end of JSON input')
    const character = index >= text.length ? ' ' : String.fromCodePoint(text.codePointAt(index) ?? 0)
    return new JsonSyntaxError(`invalid character ${quoteCharacter(character)} ${where}`)
  }

  const literal = (word: string, node: JsonNode): JsonNode => {
    for (let i = 1; i < word.length; i += 1)
      if (text[at + i] !== word[i]) throw fail(`in literal ${word} (expecting '${word[i]}')`, at + i, true)
    at += word.length
    return node
  }

  const string = (): string => {
    const quote = at
    at += 1
    let value = ''
    for (;;) {
      plain.lastIndex = at
      plain.test(text)
      value += text.slice(at, plain.lastIndex)
      at = plain.lastIndex
      const character = text[at]
      if (character === '"') {
        at += 1
        // A slice keeps the whole text in memory for as long as it is referenced itself; what JSON.parse returns does not.
        return wellFormed(
          value.length < shortestSlice ? value : (JSON.parse(text.slice(quote, at)) as string),
        )
      }
      if (character !== undefined && character !== '\\' && character > '\u001f') {
        // Of the control characters JSON minds only the first ones.
        value += character
        at += 1
        continue
      }
      if (character !== '\\') throw fail('in string literal', at)
      const escaped = text[at + 1]
      if (escaped === 'u') {
        for (let i = 2; i < 6; i += 1)
          if (!/[0-9a-fA-F]/.test(text[at + i] ?? ''))
            throw fail('in \\u hexadecimal character escape', at + i, true)
        value += String.fromCharCode(Number.parseInt(text.slice(at + 2, at + 6), 16))
        at += 6
      } else {
        const replacement = escaped === undefined ? undefined : escapes[escaped]
        if (replacement === undefined) throw fail('in string escape code', at + 1, true)
        value += replacement
        at += 2
      }
    }
  }

  const numberNode = (): JsonNode => {
    number.lastIndex = at
    if (!number.test(text)) throw fail('in numeric literal', at + 1, true)
    const end = number.lastIndex
    const digits = text.slice(at, end)
    if (text[end] === '.' && !/[.eE]/.test(digits))
      throw fail('after decimal point in numeric literal', end + 1, true)
    if ((text[end] === 'e' || text[end] === 'E') && !/[eE]/.test(digits)) {
      const sign = text[end + 1] === '+' || text[end + 1] === '-' ? 1 : 0
      throw fail('in exponent of numeric literal', end + 1 + sign, true)
    }
    at = end
    return { kind: 'number', literal: digits }
  }

  const value = (): JsonNode => {
    skipSpace()
    const character = text[at]
    if (character === '{') return object()
    if (character === '[') return array()
    if (character === '"') return { kind: 'string', value: string() }
    if (character === 't') return literal('true', { kind: 'bool', value: true })
    if (character === 'f') return literal('false', { kind: 'bool', value: false })
    if (character === 'n') return literal('null', nullNode)
    if (character !== undefined && /[-0-9]/.test(character)) return numberNode()
    throw fail('looking for beginning of value', at)
  }

  const object = (): JsonNode => {
    at += 1
    const entries: [string, JsonNode][] = []
    skipSpace()
    if (text[at] === '}') {
      at += 1
      return { kind: 'object', entries }
    }
    for (;;) {
      skipSpace()
      if (text[at] !== '"') throw fail('looking for beginning of object key string', at)
      const key = string()
      skipSpace()
      if (text[at] !== ':') throw fail('after object key', at)
      at += 1
      entries.push([key, value()])
      skipSpace()
      if (text[at] === '}') break
      if (text[at] !== ',') throw fail('after object key:value pair', at)
      at += 1
    }
    at += 1
    return { kind: 'object', entries }
  }

  const array = (): JsonNode => {
    at += 1
    const items: JsonNode[] = []
    skipSpace()
    if (text[at] === ']') {
      at += 1
      return { kind: 'array', items }
    }
    for (;;) {
      items.push(value())
      skipSpace()
      if (text[at] === ']') break
      if (text[at] !== ',') throw fail('after array element', at)
      at += 1
    }
    at += 1
    return { kind: 'array', items }
  }

  const root = value()
  skipSpace()
  if (at < text.length) throw fail('after top-level value', at)
  return root
}

const loneSurrogate = /\p{Surrogate}/u

/** Go has no half characters: it reads the replacement character for each. */
function wellFormed(text: string): string {
  return loneSurrogate.test(text) ? text.replaceAll(/\p{Surrogate}/gu, '\ufffd') : text
}

function quoteCharacter(character: string): string {
  if (character === "'") return "'\\''"
  if (character === '"') return `'"'`
  const quoted = goQuote(character)
  return `'${quoted.slice(1, -1)}'`
}

/** What `JSON.parse` would have given. */
export function toValue(node: JsonNode): unknown {
  switch (node.kind) {
    case 'object': {
      const object: Record<string, unknown> = {}
      for (const [key, value] of node.entries) setOwn(object, key, toValue(value))
      return object
    }
    case 'array':
      return node.items.map(toValue)
    case 'number':
      return Number(node.literal)
    case 'null':
      return null
    case 'string':
    case 'bool':
    default:
      return node.value
  }
}

/** The node that a value would be read from; numbers in the shortest way to write them. */
export function fromValue(value: unknown): JsonNode {
  if (typeof value === 'string') return { kind: 'string', value }
  if (typeof value === 'number') return { kind: 'number', literal: JSON.stringify(value) }
  if (typeof value === 'boolean') return { kind: 'bool', value }
  if (Array.isArray(value)) return { kind: 'array', items: value.map(fromValue) }
  if (typeof value !== 'object' || value === null) return nullNode
  const entries = Object.entries(value).flatMap(([key, part]): [string, JsonNode][] =>
    part === undefined ? [] : [[key, fromValue(part)]],
  )
  return { kind: 'object', entries }
}

/** Sets a property under any name, `__proto__` too. */
export function setOwn(object: Record<string, unknown>, key: string, value: unknown): void {
  if (key === '__proto__')
    Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true })
  else object[key] = value
}
