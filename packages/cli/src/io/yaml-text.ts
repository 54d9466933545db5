import { Document, visit } from 'yaml'
import { hasControlChars } from './printable.ts'

/** YAML that double-quotes every text which the terminal output would escape, so that the escapes are valid YAML. */
export function yamlText(value: unknown): string {
  const document = new Document(value, { aliasDuplicateObjects: false })
  visit(document, {
    Scalar(_, scalar) {
      const { value: text } = scalar
      if (typeof text === 'string' && hasControlChars(text.replaceAll('\n', ''))) scalar.type = 'QUOTE_DOUBLE'
    },
  })
  // The caller ends the line; any other line break at the end belongs to a value.
  return document.toString().replace(/\n$/, '')
}
