import { ForgetfulMap } from './forgetful-map.ts'

/** The undisturbed stories alone say 7,000 things, which come again in most histories. */
const room = 20_000

const texts = new WeakMap<object, string>()

/** An object as text. What is stored never changes, and many hear of it: it is written out once. */
export function jsonText(object: object): string {
  const known = texts.get(object)
  if (known !== undefined) return known
  const text = JSON.stringify(object)
  texts.set(object, text)
  return text
}

/** Objects of this history and of others, by their text. */
const stored = new ForgetfulMap<string, object>(room)

/** The object with the same text, if there was one: all that is known of that one need not be found out again. */
export function shared<T extends object>(object: T): T {
  const text = JSON.stringify(object)
  const found = stored.get(text)
  if (found !== undefined) return found as T
  stored.set(text, object)
  texts.set(object, text)
  return object
}

/** What texts say. */
const said = new ForgetfulMap<string, unknown>(room)

/** What is told again is read once: whoever reads of the same object has the same object. */
export function readAgain(text: string): unknown {
  const known = said.get(text)
  if (known !== undefined) return known
  const value: unknown = JSON.parse(text)
  said.set(text, value)
  return value
}

/** Whoever changes what they were told fails at once: it may be shared. */
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
  const objectText = jsonText(object)
  const text = `{"type":"${type}","object":${objectText}}`
  if (said.get(text) === undefined) said.set(text, { type, object: readAgain(objectText) })
  return `${text}\n`
}
