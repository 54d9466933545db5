/** A schema as an OpenAPI document has it. */
export type OpenApiSchema = { readonly [field: string]: unknown }

export const schemaPrefix = '#/components/schemas/'

export function referenceTo(name: string): OpenApiSchema {
  return { $ref: `${schemaPrefix}${name}` }
}

/** A reference that something is to be said of stands in `allOf`: beside `$ref`, nothing counts. */
export function qualified(name: string, rest: OpenApiSchema): OpenApiSchema {
  return Object.keys(rest).length === 0 ? referenceTo(name) : { ...rest, allOf: [referenceTo(name)] }
}

export function kindsExtension(...kinds: { group: string; version: string; kind: string }[]): OpenApiSchema {
  return {
    'x-kubernetes-group-version-kind': kinds.map(({ group, version, kind }) => ({ group, kind, version })),
  }
}

export function sortedByKey<T>(record: Readonly<Record<string, T>>): Record<string, T> {
  return Object.fromEntries(Object.entries(record).sort(([one], [other]) => (one < other ? -1 : 1)))
}
