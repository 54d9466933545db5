const texts = new WeakMap<object, string>()

/** An object as text. What is stored never changes, and many hear of it: it is written out once. */
export function jsonText(object: object): string {
  const known = texts.get(object)
  if (known !== undefined) return known
  const text = JSON.stringify(object)
  texts.set(object, text)
  return text
}

/** The answer to a list, made of the texts of its items. */
export function answerText(body: object): string {
  const { items, ...rest } = body as { readonly items?: readonly object[] }
  if (!Array.isArray(items)) return jsonText(body)
  return `${JSON.stringify(rest).slice(0, -1)},"items":[${items.map(jsonText).join(',')}]}`
}
