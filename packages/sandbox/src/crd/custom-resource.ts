import {
  type AnyObject,
  type FieldError,
  problemsOfSubdomain,
  type Schema,
  validateBasicMeta,
  validateBasicMetaUpdate,
  validateCustomResource,
  validateType,
} from '@portcullis/schema'
import type { Behaviour, Resource } from '../resource.ts'
import { columnsOf } from './custom-columns.ts'
import type { Definition, DefinitionVersion } from './definition.ts'
import { findByPath } from './json-path.ts'

/** What a definition adds to the API: one resource for each version that is served. */
export function resourcesOf(definition: Definition): Resource[] {
  return definition.spec.versions
    .filter(({ served }) => served)
    .map((version) => resourceOf(definition, version))
}

function resourceOf({ spec }: Definition, version: DefinitionVersion): Resource {
  const { group, names, scope } = spec
  const { subresources = {} } = version
  const schema = version.schema?.openAPIV3Schema ?? {}
  const namespaced = scope === 'Namespaced'
  return {
    group,
    version: version.name,
    kind: names.kind,
    plural: names.plural,
    singular: names.singular ?? names.kind.toLowerCase(),
    shortNames: names.shortNames ?? [],
    categories: names.categories ?? [],
    namespaced,
    subresources: [...(subresources.status ? ['status'] : []), ...(subresources.scale ? ['scale'] : [])],
    ...(subresources.scale && { scale: subresources.scale }),
    isCustom: true,
    schema,
    behaviour: behaviourOf(schema, version, { group, version: version.name, kind: names.kind, namespaced }),
    columns: columnsOf(version),
  }
}

function behaviourOf(
  schema: Schema,
  { selectableFields = [], subresources = {} }: DefinitionVersion,
  kind: Pick<Resource, 'group' | 'version' | 'kind' | 'namespaced'>,
): Behaviour {
  const { namespaced } = kind
  const { scale } = subresources
  const forgiven = new WeakMap<AnyObject, readonly string[]>()
  const validateBody = (
    object: AnyObject,
    earlier: readonly FieldError[],
    old?: AnyObject,
    status?: boolean,
  ) => {
    const parts = { object, earlier, ...(old && { old }), ...(scale && { scale }), ...(status && { status }) }
    const { errors, warnings } = validateCustomResource(parts, schema)
    forgiven.set(object, warnings)
    return errors
  }
  const validateUpdate = (object: AnyObject, old: AnyObject, status = false): FieldError[] => {
    const ofMeta = validateBasicMetaUpdate(object.metadata, old.metadata)
    return [...ofMeta, ...validateBody(object, ofMeta, old, status)]
  }
  return {
    validate(object) {
      const ofType = validateType(object, kind)
      if (ofType.length > 0) return ofType
      const ofMeta = validateBasicMeta(object.metadata, { namespaced, name: problemsOfSubdomain })
      return [...ofMeta, ...validateBody(object, ofMeta)]
    },
    validateUpdate: (object, old) => validateUpdate(object, old),
    validateStatusUpdate: (object, old) => validateUpdate(object, old, true),
    forgiven: (object) => forgiven.get(object) ?? [],
    warnings: (object, old) => warningsAboutFinalizers(object, old),
    selectableFields: (object) =>
      Object.fromEntries(
        selectableFields.map(({ jsonPath }) => [jsonPath.slice(1), textAt(object, jsonPath)]),
      ),
    needsVersionOnUpdate: true,
    keepsGeneration: true,
  }
}

/** New finalizers of custom resources should say whose they are. */
function warningsAboutFinalizers({ metadata }: AnyObject, old: AnyObject | undefined): string[] {
  const before = old?.metadata.finalizers ?? []
  const added = [...new Set(metadata.finalizers ?? [])].filter((name) => !before.includes(name)).sort()
  return added
    .filter((name) => !name.includes('/') && !['orphan', 'foregroundDeletion', 'kubernetes'].includes(name))
    .map((name) => {
      const better = name.includes('.')
        ? 'a domain-qualified finalizer name including a path (/)'
        : 'a domain-qualified finalizer name'
      return `metadata.finalizers: ${JSON.stringify(name)}: prefer ${better} to avoid accidental conflicts with other finalizer writers`
    })
}

/** What a field selector compares: strings, numbers and booleans as text. */
function textAt(object: AnyObject, path: string): string {
  const [found] = findByPath(object, path)
  return typeof found === 'string' ? found : found === undefined ? '' : JSON.stringify(found)
}
