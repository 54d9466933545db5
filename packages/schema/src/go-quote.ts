const escapes: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '\u0007': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
}

/** A string as Go's `%q` prints it. */
export function goQuote(text: string): string {
  let quoted = '"'
  for (const character of text) quoted += escapes[character] ?? printable(character)
  return `${quoted}"`
}

function printable(character: string): string {
  if (isPrint(character)) return character
  const code = character.codePointAt(0) ?? 0
  if (code < 0x80) return `\\x${code.toString(16).padStart(2, '0')}`
  return code > 0xffff
    ? `\\U${code.toString(16).padStart(8, '0')}`
    : `\\u${code.toString(16).padStart(4, '0')}`
}

const print = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u

/** What Go's `unicode.IsPrint` says of one character. */
export function isPrint(character: string): boolean {
  return print.test(character)
}
