import { Option } from 'commander'
import { stringify } from 'yaml'
import type { Paint } from './colours.ts'

/** How results are printed: for people, or for programs. */
export const outputs = ['table', 'wide', 'json', 'yaml', 'name'] as const
export type Output = (typeof outputs)[number]

export function outputOption(): Option {
  return new Option('-o, --output <format>', 'how to print it').choices(outputs).default('table')
}

export interface Printed {
  /** For people. */
  readonly table: (details: { readonly wide: boolean; readonly paint: Paint }) => string
  /** For programs. */
  readonly data: unknown
  /** One a line, as kubectl takes them. */
  readonly names: readonly string[]
}

/** The result in the form that was asked for. */
export function inForm(output: Output, { table, data, names }: Printed, paint: Paint): string {
  switch (output) {
    case 'table':
    case 'wide':
      return table({ wide: output === 'wide', paint })
    case 'json':
      return JSON.stringify(data, null, 2)
    case 'yaml':
      return stringify(data).trimEnd()
    case 'name':
      return names.join('\n')
  }
}
