/**
 * What moves the cursor, changes colours, turns the direction of writing or is there without being seen: a terminal
 * would obey it. The two joiners are left: scripts and emoji are written with them.
 */
const controlChars = /[\p{Cc}\u2028\u2029]|(?![\u200c\u200d])\p{Cf}/u

/** Untrusted text on one line, safe for a terminal: control characters are shown, not obeyed. */
export function printable(text: string): string {
  if (!hasControlChars(text)) return text
  // One by one: `replaceAll` first lists where all of them are, which takes seconds where there are a million.
  let printed = ''
  for (const character of text) printed += hasControlChars(character) ? shown(character) : character
  return printed
}

/** Escaped as JSON and quoted YAML have it: they mean the same afterwards. */
function shown(character: string): string {
  if (character === '\n') return String.raw`\n`
  let escaped = ''
  for (let at = 0; at < character.length; at++)
    escaped += String.raw`\u` + character.charCodeAt(at).toString(16).padStart(4, '0')
  return escaped
}

export function hasControlChars(text: string): boolean {
  return controlChars.test(text)
}
