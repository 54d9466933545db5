import { Option } from 'commander'
import type { Paint } from './colours.ts'
import { printable } from './printable.ts'
import { yamlText } from './yaml-text.ts'

/** The output formats: table for people, the others for programs. */
export const outputs = ['table', 'wide', 'json', 'yaml', 'name'] as const
export type Output = (typeof outputs)[number]

export function outputOption(): Option {
  return new Option('-o, --output <format>', 'output format').choices(outputs).default('table')
}

export interface Printed {
  /** For people. */
  readonly table: (details: { readonly wide: boolean; readonly paint: Paint }) => string
  /** For programs. */
  readonly data: unknown
  /** The names for `-o name`, one on a line, as kubectl accepts them. */
  readonly names: readonly string[]
}

/**
 * The result in the requested format. Escapes for the terminal stay valid JSON and, between double quotes, valid YAML, so
 * that programs read the same data.
 */
export function inForm(output: Output, { table, data, names }: Printed, paint: Paint): string {
  switch (output) {
    case 'table':
    case 'wide':
      return table({ wide: output === 'wide', paint })
    case 'json':
      return JSON.stringify(data, null, 2)
    case 'yaml':
      return yamlText(data)
    case 'name':
      return names.map(printable).join('\n')
  }
}
