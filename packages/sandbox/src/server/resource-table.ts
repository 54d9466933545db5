import type { Resource } from '../resource.ts'

/** All that is served: built-in kinds, and those that CustomResourceDefinitions add while it runs. */
export class ResourceTable {
  readonly #builtIn: readonly Resource[]
  #custom: readonly Resource[] = []

  constructor(builtIn: readonly Resource[]) {
    this.#builtIn = builtIn
  }

  all(): readonly Resource[] {
    return [...this.#builtIn, ...this.#custom]
  }

  find({ group, version, plural }: Pick<Resource, 'group' | 'version' | 'plural'>): Resource | undefined {
    return this.all().find(
      (resource) => resource.plural === plural && resource.group === group && resource.version === version,
    )
  }

  hasVersion(group: string, version: string): boolean {
    return this.all().some((resource) => resource.group === group && resource.version === version)
  }

  replaceCustom(custom: readonly Resource[]): void {
    this.#custom = custom
  }
}
