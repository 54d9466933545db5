import { cutToBytes } from './cut-to-bytes.ts'
import { printable } from './escape-control-chars.ts'

/** The most that a message of ours quotes of untrusted text; the rest is left out. */
export const maxUntrustedBytes = 2048

/**
 * Untrusted text within a message of ours: on one line, without the backticks that enclose commands,
 * and with nothing that a terminal would obey. Otherwise anyone who can provoke an error of the cloud or a router, or choose a field,
 * a name or an address, could put a command into the operator's mouth. It is cut before anything else is done with it:
 * an API server stores a megabyte, and the cost of that must be bounded.
 */
export function sanitizeUntrusted(text: string): string {
  const words = printable(onOneLine(cutToBytes(text, maxUntrustedBytes))).replaceAll('`', "'")
  return cutToBytes(words, maxUntrustedBytes) // What is escaped is longer.
}

/** Whatever breaks a line, and the blanks around it, becomes one blank. Takes time in proportion to the text. */
export function onOneLine(text: string): string {
  return text.replaceAll(/\s+/g, (blanks) => (/[\t\n\v\f\r\u2028\u2029]/.test(blanks) ? ' ' : blanks))
}
