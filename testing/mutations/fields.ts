import { crds } from '@portcullis/operator'
import type { StructuralSchema } from '@portcullis/operator/internal/api/crd/structural-schema.ts'

/** One field of a kind: `spec.endpointPublishingStrategy.hostNetwork.httpPort`, `spec.nodePlacement.tolerations[].key`. */
export interface Field {
  /** Names of fields; `[]` for the items of a list, `{}` for the values of a map. */
  readonly path: readonly string[]
  readonly schema: StructuralSchema
  readonly isRequired: boolean
}

export type MutatedKind = 'IngressController' | 'Infrastructure'

/** Every field of the spec and the status of a kind, from its definition: parents before what is in them. */
export function fieldsOf(kind: MutatedKind): readonly Field[] {
  const definition = crds.find(({ spec }) => spec.names.kind === kind)
  const { properties = {} } = definition?.spec.versions[0]?.schema.openAPIV3Schema ?? {}
  return (['spec', 'status'] as const).flatMap((part) => {
    const schema = properties[part]
    return schema === undefined ? [] : [...below({ path: [part], schema, isRequired: false })]
  })
}

export function* below(field: Field): Iterable<Field> {
  yield field
  const { path, schema } = field
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const isRequired = schema.required?.includes(name) ?? false
    yield* below({ path: [...path, name], schema: property, isRequired })
  }
  if (schema.items) yield* below({ path: [...path, '[]'], schema: schema.items, isRequired: false })
  if (schema.additionalProperties)
    yield* below({ path: [...path, '{}'], schema: schema.additionalProperties, isRequired: false })
}

export function pathText(path: readonly string[]): string {
  return path.join('.').replaceAll('.[]', '[]').replaceAll('.{}', '{}')
}
