import { goQuote } from '@portcullis/schema'
import { compareBytes } from '../json-value.ts'
import { PatchRefused } from '../patch-refused.ts'
import { pathsOf } from './field-set.ts'
import type { Manager } from './managed-fields.ts'
import type { Conflict } from './ownership.ts'
import { describePath } from './path-element.ts'

/** The conflict of an apply over fields that others own. */
export function conflictRefused(conflicts: readonly Conflict[]): PatchRefused {
  const byManager = [...conflicts]
    .sort((a, b) => compareBytes(sortKey(a.manager), sortKey(b.manager)))
    .map(({ manager, fields }) => ({
      who: describeManager(manager),
      paths: [...pathsOf(fields)].map(describePath),
    }))
  const causes = byManager.flatMap(({ who, paths }) =>
    paths.map((field) => ({ reason: 'FieldManagerConflict', message: `conflict with ${who}`, field })),
  )
  const [only] = causes
  const message =
    causes.length === 1 && only !== undefined
      ? `Apply failed with 1 conflict: ${only.message}: ${only.field}`
      : `Apply failed with ${causes.length} conflicts: ${byManager.map(listed).join('\n')}`
  return new PatchRefused({ code: 409, reason: 'Conflict', message, details: { causes } })
}

function listed({ who, paths }: { readonly who: string; readonly paths: readonly string[] }): string {
  return [`conflicts with ${who}:`, ...paths.map((path) => `- ${path}`)].join('\n')
}

/** Managers are sorted by the JSON of their identifying fields. */
function sortKey({ name, operation, apiVersion, subresource }: Manager): string {
  return JSON.stringify({
    manager: name,
    operation,
    ...(operation === 'Update' ? { apiVersion } : {}),
    ...(subresource === '' ? {} : { subresource }),
  })
}

function describeManager({ name, operation, apiVersion, subresource }: Manager): string {
  const door = subresource === '' ? '' : ` with subresource ${goQuote(subresource)}`
  return `${goQuote(name)}${door}${operation === 'Update' ? ` using ${apiVersion}` : ''}`
}
