import { cutToBytes } from './cut-to-bytes.ts'
import { printable } from './escape-control-chars.ts'

/** As much of what somebody else says as a message of ours has room for; the rest is nobody's to read. */
export const maxUntrustedBytes = 2048

/**
 * What somebody else says, within a message of ours: on one line, without the backticks between which commands stand,
 * and with nothing that a terminal would obey. Else whoever can make the cloud or a router complain, or choose a field,
 * a name or an address, could put a command into the operator's mouth. It is cut before anything else is done with it:
 * an API server takes a megabyte, and what that costs must not depend on who wrote it.
 */
export function sanitizeUntrusted(text: string): string {
  const words = printable(onOneLine(cutToBytes(text, maxUntrustedBytes))).replaceAll('`', "'")
  return cutToBytes(words, maxUntrustedBytes) // What is escaped is longer.
}

/** Whatever breaks a line, and the blanks around it, becomes one blank. Takes time in proportion to the text. */
export function onOneLine(text: string): string {
  return text.replaceAll(/\s+/g, (blanks) => (/[\t\n\v\f\r\u2028\u2029]/.test(blanks) ? ' ' : blanks))
}
