import { crds } from '@portcullis/operator'
import type { StructuralSchema } from '@portcullis/operator/internal/api/crd/structural-schema.ts'

/** The reference page of the fields that Portcullis knows, made from the schemas that check them. */
export function apiPage(): string {
  return [
    '# API',
    '',
    'The kinds and their fields, as the API server checks them. Of an IngressController that was written for OpenShift,',
    'further fields are kept; the condition `AllFieldsSupported` lists those that are set and not acted on.',
    'This page is generated: `npm run generate`.',
    '',
    ...crds.flatMap(({ spec }) => {
      const [version] = spec.versions
      if (version === undefined) return []
      const { openAPIV3Schema } = version.schema
      return [
        `## ${spec.names.kind} (\`${spec.group}/${version.name}\`)`,
        '',
        openAPIV3Schema.description ?? '',
        '',
        '| field | type | meaning |',
        '|---|---|---|',
        ...rowsOf(openAPIV3Schema, ''),
        '',
      ]
    }),
  ].join('\n')
}

function rowsOf(schema: StructuralSchema, path: string): string[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const at = path === '' ? name : `${path}.${name}`
    const inner = field.items ?? field
    const within = field.items === undefined ? at : `${at}[]`
    return [`| \`${at}\` | ${typeOf(field)} | ${meaningOf(field)} |`, ...rowsOf(inner, within)]
  })
}

function typeOf({ type, enum: choices, items }: StructuralSchema): string {
  if (choices !== undefined) return choices.map((choice) => `\`${String(choice)}\``).join(', ')
  return items === undefined ? (type ?? 'any') : `list of ${items.type ?? 'any'}`
}

function meaningOf(field: StructuralSchema): string {
  const { description = '', default: value, minimum, maximum } = field
  const remarks = [
    ...(value === undefined ? [] : [`Default: \`${JSON.stringify(value)}\`.`]),
    ...(minimum === undefined || maximum === undefined ? [] : [`From ${minimum} to ${maximum}.`]),
    ...rulesOf(field).map((message) => `Rule: ${message}${message.endsWith('.') ? '' : '.'}`),
  ]
  return [description, ...remarks].join(' ').replaceAll('|', '\\|').replaceAll('\n', ' ').trim()
}

function rulesOf(field: StructuralSchema): string[] {
  const rules = (field['x-kubernetes-validations'] ?? []) as readonly { readonly message: string }[]
  return rules.map(({ message }) => message)
}
