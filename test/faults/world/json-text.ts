const texts = new WeakMap<object, string>()

/** An object as text. What is stored never changes, and many hear of it: it is written out once. */
export function jsonText(object: object): string {
  const known = texts.get(object)
  if (known !== undefined) return known
  const text = JSON.stringify(object)
  texts.set(object, text)
  return text
}

/** Objects of undisturbed stories, by their text. */
const known = new Map<string, object>()

/**
 * The object with the same text that an undisturbed story had, if it had one: all that is known of that one need not
 * be found out again.
 */
export function shared<T extends object>(object: T, isLearning: boolean): T {
  const text = JSON.stringify(object)
  const found = known.get(text)
  if (found !== undefined) return found as T
  if (isLearning) known.set(text, object)
  texts.set(object, text)
  return object
}

/** The answer to a list, made of the texts of its items. */
export function answerText(body: object): string {
  const { items, ...rest } = body as { readonly items?: readonly object[] }
  if (!Array.isArray(items)) return jsonText(body)
  return `${JSON.stringify(rest).slice(0, -1)},"items":[${items.map(jsonText).join(',')}]}`
}

/** What the texts of undisturbed stories say. */
const said = new Map<string, unknown>()

/** What is told again in most histories is read once. */
export function readAgain(text: string): unknown {
  return said.get(text) ?? JSON.parse(text)
}

export function readAndRemember(text: string): unknown {
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
