import { badRequest } from './api-status.ts'

/** Parses a field selector as it stands in a query (`metadata.name=web,status.phase!=Running`); throws 400. */
export function parseFieldSelector(
  text: string,
  { known, isDefault }: { readonly known: readonly string[]; readonly isDefault: boolean },
): (fields: Readonly<Record<string, string>>) => boolean {
  const terms = text
    .split(',')
    .filter((term) => term !== '')
    .map((term) => parseTerm(term, text))
  for (const { field } of terms) {
    if (known.includes(field)) continue
    // Kinds that have no fields of their own to select by differ in the message only.
    const names = known.map((name) => `"${name}"`).join(', ')
    throw badRequest(
      isDefault
        ? `"${field}" is not a known field selector: only ${names}`
        : `field label not supported: ${field}`,
    )
  }
  return (fields) => terms.every(({ field, value, negated }) => (fields[field] === value) !== negated)
}

function parseTerm(term: string, whole: string) {
  const match = /^(?<field>.*?)(?<operator>!=|==|=)(?<value>.*)$/s.exec(term)
  const { field, operator, value } = match?.groups ?? {}
  if (field === undefined || value === undefined) {
    throw badRequest(`invalid selector: '${whole}'; can't understand '${term}'`)
  }
  return { field, value, negated: operator === '!=' }
}
