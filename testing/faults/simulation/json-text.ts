import { ForgetfulMap } from './forgetful-map.ts'

/** The undisturbed stories alone say 7,000 things, which come again in most histories. */
const room = 20_000

/** An object as text, and the lines of watches that show it, by the type of the event. */
interface JsonTexts {
  readonly text: string
  readonly lines: Record<string, string>
}

const written = new WeakMap<object, JsonTexts>()

/** What is stored never changes, and many hear of it: it is written out once. */
function writtenOut(object: object, text?: string): JsonTexts {
  const known = written.get(object)
  if (known !== undefined) return known
  const made = { text: text ?? JSON.stringify(object), lines: {} }
  written.set(object, made)
  return made
}

export function jsonText(object: object): string {
  return writtenOut(object).text
}

/** Objects of this history and of others, by their text. */
const stored = new ForgetfulMap<string, object>(room)

/** The object with the same text, if there was one: all that is known of that one need not be found out again. */
export function shared<T extends object>(object: T): T {
  const text = JSON.stringify(object)
  const found = stored.get(text)
  if (found !== undefined) return found as T
  stored.set(text, object)
  writtenOut(object, text)
  return object
}

/** What texts say. */
const said = new ForgetfulMap<string, unknown>(room)

/** What is sent again is parsed once, as long as it is cached. */
export function readAgain(text: string): unknown {
  const known = said.get(text)
  if (known !== undefined) return known
  const value: unknown = JSON.parse(text)
  said.set(text, value)
  return value
}

/** Code that changes what it was sent fails at once: it may be shared. */
export function readFrozen(text: string): unknown {
  return JSON.parse(text, (_, value: unknown) => Object.freeze(value))
}

/** The answer to a list, made of the texts of its items. */
export function answerText(body: object): string {
  const { items, ...rest } = body as { readonly items?: readonly object[] }
  if (!Array.isArray(items)) return jsonText(body)
  const itemTexts = (items as readonly object[]).map(jsonText)
  const restText = JSON.stringify(rest)
  const text = `${restText.slice(0, -1)},"items":[${itemTexts.join(',')}]}`
  said.set(text, { ...(JSON.parse(restText) as object), items: itemTexts.map(readAgain) })
  return text
}

/** A line of a watch, made of the text of its object. */
export function lineText(type: string, object: object): string {
  // Each bookmark is a new object, and most say what others said before.
  const { text, lines } = writtenOut(type === 'BOOKMARK' ? shared(object) : object)
  const known = lines[type]
  if (known !== undefined) return known
  const line = `{"type":"${type}","object":${text}}`
  said.set(line, { type, object: readAgain(text) })
  lines[type] = `${line}\n`
  return lines[type]
}
