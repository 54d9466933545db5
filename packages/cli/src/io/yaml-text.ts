import { Document, visit } from 'yaml'
import { hasControlChars } from './printable.ts'

/** YAML in which everything that would be escaped on a terminal stands between double quotes, where that keeps its meaning. */
export function yamlText(value: unknown): string {
  const document = new Document(value, { aliasDuplicateObjects: false })
  visit(document, {
    Scalar(_, scalar) {
      const { value: text } = scalar
      if (typeof text === 'string' && hasControlChars(text.replaceAll('\n', ''))) scalar.type = 'QUOTE_DOUBLE'
    },
  })
  // Whoever prints it ends the line; any other line break at the end belongs to a value.
  return document.toString().replace(/\n$/, '')
}
