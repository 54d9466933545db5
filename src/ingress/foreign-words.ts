/**
 * What somebody else says, within a message of ours: on one line, and without the backticks between which commands
 * stand. Else whoever can make the cloud or a router complain could put a command into the operator's mouth.
 */
export function foreignWords(text: string): string {
  return text.replaceAll(/\s*\n\s*/g, ' ').replaceAll('`', "'")
}
