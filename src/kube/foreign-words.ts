import { printable } from './printable.ts'

/**
 * What somebody else says, within a message of ours: on one line, without the backticks between which commands stand,
 * and with nothing that a terminal would obey. Else whoever can make the cloud or a router complain, or choose a field,
 * a name or an address, could put a command into the operator's mouth.
 */
export function foreignWords(text: string): string {
  return printable(text.replaceAll(/\s*[\t\n\v\f\r\u2028\u2029]\s*/g, ' ')).replaceAll('`', "'")
}
