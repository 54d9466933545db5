import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

/** What the types and fields of one version of one group are for, in Kubernetes' own words. */
type Descriptions = ReadonlyMap<string, TypeDescription>

interface TypeDescription {
  text?: string
  readonly fields: Map<string, string>
}

/** A comment and the name that follows it: of a type, or of a field of the type before. */
const commented =
  /\/\*\*([\s\S]*?)\*\/\s*(?:export (?:interface|type) (\w+)|(?:readonly )?["']?([\w$-]+)["']?\??:)|export (?:interface|type) (\w+)/g

/**
 * Descriptions of the built-in kinds. They are not kept here: the package `kubernetes-types` has them as comments,
 * which are read on the first request. Where it is not installed, nothing is described.
 */
export class KubernetesDescriptions {
  readonly #files = new Map<string, Descriptions>()
  readonly #directory: string | undefined = packageDirectory()

  /** What a type such as `core/v1.Pod` is, or one of its fields. */
  of(type: string, field?: string): string | undefined {
    const dot = type.lastIndexOf('.')
    const found = this.#file(type.slice(0, dot)).get(type.slice(dot + 1))
    return field === undefined ? found?.text : found?.fields.get(field)
  }

  #file(name: string): Descriptions {
    let descriptions = this.#files.get(name)
    if (descriptions === undefined) {
      descriptions = this.#read(name)
      this.#files.set(name, descriptions)
    }
    return descriptions
  }

  #read(name: string): Descriptions {
    if (this.#directory === undefined) return new Map()
    try {
      return parseDescriptions(readFileSync(join(this.#directory, `${name}.d.ts`), 'utf8'))
    } catch {
      return new Map()
    }
  }
}

function packageDirectory(): string | undefined {
  try {
    return dirname(createRequire(import.meta.url).resolve('kubernetes-types/package.json'))
  } catch {
    return undefined
  }
}

export function parseDescriptions(source: string): Descriptions {
  const types = new Map<string, TypeDescription>()
  let current: TypeDescription = { fields: new Map() }
  for (const [, comment = '', type, field, bare] of source.matchAll(commented)) {
    const name = type ?? bare
    if (name !== undefined) {
      current = { fields: new Map(), ...(comment !== '' && { text: commentText(comment) }) }
      types.set(name, current)
    } else if (field !== undefined) current.fields.set(field, commentText(comment))
  }
  return types
}

function commentText(comment: string): string {
  return comment
    .split('\n')
    .map((line) => line.replace(/^\s*\* ?/, '').trimEnd())
    .join('\n')
    .trim()
}
