import generated from './kubernetes.json' with { type: 'json' }
import type { GoDetails, Schema } from './schema.ts'

/** A schema that may name another instead of repeating it. */
type Stored = Omit<Schema, 'properties' | 'items' | 'additionalProperties' | 'anyOf'> & {
  readonly $ref?: string
  readonly properties?: Readonly<Record<string, Stored>>
  readonly items?: Stored
  readonly additionalProperties?: Stored
  readonly anyOf?: readonly Stored[]
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] }

export interface KubernetesSchemas {
  /** The schema of a built-in kind; the group of core kinds is empty. */
  lookup(kind: { group: string; version: string; kind: string }): Schema | undefined
  /** Every kind there is, as `v1/Pod` or `apps/v1/Deployment`. */
  readonly kinds: readonly string[]
}

let loaded: KubernetesSchemas | undefined

/**
 * The schemas of the built-in kinds, read once. They share their parts and some contain themselves (the schema of a
 * CustomResourceDefinition describes schemas), so walk them along an object, never on their own.
 */
export function loadKubernetesSchemas(): KubernetesSchemas {
  loaded ??= resolve()
  return loaded
}

function resolve(): KubernetesSchemas {
  const stored = generated as unknown as {
    kinds: Record<string, string>
    definitions: Record<string, Stored>
  }
  const definitions = new Map<string, Mutable<Schema>>()
  const references: { site: Mutable<Schema>; name: string }[] = []

  const copy = ({ $ref, properties, items, additionalProperties, anyOf, ...rest }: Stored): Schema => {
    const site: Mutable<Schema> = { ...rest }
    if (properties !== undefined)
      site.properties = Object.fromEntries(
        Object.entries(properties).map(([name, part]) => [name, copy(part)]),
      )
    if (items !== undefined) site.items = copy(items)
    if (additionalProperties !== undefined) site.additionalProperties = copy(additionalProperties)
    if (anyOf !== undefined) site.anyOf = anyOf.map(copy)
    if ($ref !== undefined) references.push({ site, name: $ref })
    return site
  }

  for (const [name, definition] of Object.entries(stored.definitions)) {
    const type = name.slice(name.indexOf('/') + 1)
    definitions.set(name, { ...copy(definition), 'x-go': { type } })
  }
  for (const { site, name } of references) {
    const definition = definitions.get(name)
    if (definition === undefined) throw new Error(`kubernetes.json refers to ${name} and does not define it`)
    const details: GoDetails = { ...definition['x-go'], ...site['x-go'] }
    Object.assign(site, { ...definition, ...site, 'x-go': details })
  }
  return {
    kinds: Object.keys(stored.kinds),
    lookup: ({ group, version, kind }) => {
      const name = stored.kinds[group === '' ? `${version}/${kind}` : `${group}/${version}/${kind}`]
      return name === undefined ? undefined : definitions.get(name)
    },
  }
}
