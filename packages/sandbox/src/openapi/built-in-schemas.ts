import type { GoDetails } from '@portcullis/schema'
import generated from '@portcullis/schema/kubernetes.json' with { type: 'json' }
import { documentName, goScalars, scalars } from './definition-names.ts'
import type { KubernetesDescriptions } from './descriptions.ts'
import { type OpenApiSchema, qualified, sortedByKey } from './openapi-schema.ts'

/** A definition as it is kept: references by short name, and what Go knows beside. */
interface Stored {
  readonly $ref?: string
  readonly type?: string
  readonly format?: string
  readonly default?: unknown
  readonly required?: readonly string[]
  readonly properties?: Readonly<Record<string, Stored>>
  readonly items?: Stored
  readonly additionalProperties?: Stored
  readonly anyOf?: readonly Stored[]
  readonly 'x-go'?: GoDetails
}

const { kinds, definitions } = generated as unknown as {
  kinds: Readonly<Record<string, string>>
  definitions: Readonly<Record<string, Stored>>
}

/** The short name of a built-in kind: `core/v1.Pod`. */
export function shortNameOf(kind: { group: string; version: string; kind: string }): string | undefined {
  return kinds[
    kind.group === '' ? `${kind.version}/${kind.kind}` : `${kind.group}/${kind.version}/${kind.kind}`
  ]
}

/** Turns the definitions of built-in kinds into schemas of OpenAPI v3, with everything that they refer to. */
export class BuiltInSchemas {
  readonly #descriptions: KubernetesDescriptions
  readonly #written = new Map<string, { schema: OpenApiSchema; uses: readonly string[] }>()

  constructor(descriptions: KubernetesDescriptions) {
    this.#descriptions = descriptions
  }

  /** Adds a definition and those that it needs, by short name, unless they are there. */
  add(short: string, into: Record<string, OpenApiSchema>): void {
    const name = documentName(short)
    if (into[name] !== undefined) return
    const { schema, uses } = this.#write(short)
    into[name] = schema
    for (const used of uses) this.add(used, into)
  }

  #write(short: string): { schema: OpenApiSchema; uses: readonly string[] } {
    let written = this.#written.get(short)
    if (written === undefined) {
      const uses: string[] = []
      const scalar = scalars[short]?.schema
      const schema = described(scalar ?? this.#struct(short, uses), this.#descriptions.of(short))
      written = { schema, uses }
      this.#written.set(short, written)
    }
    return written
  }

  #struct(short: string, uses: string[]): OpenApiSchema {
    const definition = definitions[short]
    if (definition === undefined) throw new Error(`kubernetes.json does not define ${short}`)
    const { properties = {}, ...rest } = definition
    const fields = Object.entries(properties).map(([name, field]) => {
      return [name, described(node(field, uses), this.#descriptions.of(short, name))] as const
    })
    return { ...rest, properties: sortedByKey(Object.fromEntries(fields)) }
  }
}

function described(schema: OpenApiSchema, text: string | undefined): OpenApiSchema {
  if (text === undefined) return schema
  const { $ref, ...rest } = schema
  const description = text + possibleValues(rest)
  return $ref === undefined ? { description, ...rest } : { description, allOf: [{ $ref }] }
}

/** After a description, the values that there are; what each means, the types do not say. */
function possibleValues({ enum: values }: OpenApiSchema): string {
  if (!Array.isArray(values)) return ''
  return `\n\nPossible enum values:\n${values.map((value) => ` - \`${JSON.stringify(value)}\``).join('\n')}`
}

function node(stored: Stored, uses: string[]): OpenApiSchema {
  const { $ref, items, additionalProperties, anyOf: _, 'x-go': details = {}, ...rest } = stored
  const scalar = goScalars[details.type ?? '']
  if (scalar !== undefined) {
    uses.push(scalar)
    const { type: _type, format: _format, ...extras } = withoutMarkers(rest)
    return qualified(documentName(scalar), extras)
  }
  if ($ref !== undefined) {
    uses.push($ref)
    return qualified(documentName($ref), { ...(!details.pointer && { default: {} }), ...rest })
  }
  return {
    ...rest,
    ...zeroOf(stored),
    ...(items !== undefined && { items: node(items, uses) }),
    ...(additionalProperties !== undefined && { additionalProperties: node(additionalProperties, uses) }),
  }
}

const markers = ['x-kubernetes-preserve-unknown-fields', 'x-kubernetes-int-or-string']

function withoutMarkers(schema: OpenApiSchema): OpenApiSchema {
  return Object.fromEntries(Object.entries(schema).filter(([key]) => !markers.includes(key)))
}

/** What Go always writes has a default: its zero value. */
function zeroOf({ type, format, default: given, 'x-go': details }: Stored): OpenApiSchema {
  if (given !== undefined || details?.pointer || details?.omit || format === 'byte') return {}
  if (type === 'string') return { default: '' }
  if (type === 'integer' || type === 'number') return { default: 0 }
  return type === 'boolean' ? { default: false } : {}
}
