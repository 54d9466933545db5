import type { AnyObject } from '@portcullis/schema'
import { ageColumn, ageOf, nameColumn } from '../kinds/columns.ts'
import type { Column } from '../resource.ts'
import type { DefinitionVersion, PrinterColumn } from './definition.ts'
import { findByPath } from './json-path.ts'

/** What `kubectl get` shows of a custom resource: its name, and what its definition says, or else its age. */
export function columnsOf({ additionalPrinterColumns = [] }: DefinitionVersion): Column[] {
  if (additionalPrinterColumns.length === 0) return [nameColumn, ageColumn]
  return [nameColumn, ...additionalPrinterColumns.map(customColumn)]
}

function customColumn({ name, type, jsonPath, format, description, priority = 0 }: PrinterColumn): Column {
  return {
    name,
    type,
    ...(format !== undefined && { format }),
    description: description ?? `Custom resource definition column (in JSONPath format): ${jsonPath}`,
    priority,
    cell: (object, now) => cellOf(object, type, jsonPath, now),
  }
}

function cellOf(
  object: AnyObject,
  type: PrinterColumn['type'],
  path: string,
  now: Date,
): string | number | boolean | null {
  const found = findByPath(object, path)
  const [first] = found
  if (first === undefined || first === null) return null
  if (type === 'string')
    return found.length === 1 && typeof first === 'string' ? first : found.map(shown).join(' ')
  if (type === 'date') return typeof first === 'string' ? ageOf(first, now) : null
  if (type === 'boolean') return typeof first === 'boolean' ? first : null
  if (typeof first !== 'number') return null
  return type === 'integer' ? Math.trunc(first) : first
}

function shown(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
