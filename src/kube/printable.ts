/**
 * What moves the cursor, changes colours, turns the direction of writing or is there without being seen: a terminal
 * would obey it. The two joiners are left: scripts and emoji are written with them.
 */
const orders = /[\p{Cc}\u2028\u2029]|(?![\u200c\u200d])\p{Cf}/gu

/** Text of others on one line, as a terminal can be given it: what stands in it is shown, and gives no orders. */
export function printable(text: string): string {
  return text.replaceAll(orders, shown)
}

/** Escaped as JSON and quoted YAML have it: they mean the same afterwards. */
function shown(character: string): string {
  if (character === '\n') return String.raw`\n`
  return Array.from({ length: character.length }, (_, at) => {
    const code = character.charCodeAt(at).toString(16).padStart(4, '0')
    return String.raw`\u${code}`
  }).join('')
}

export function givesOrders(text: string): boolean {
  return text.search(orders) !== -1
}
