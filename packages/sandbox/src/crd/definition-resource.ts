import {
  type AnyObject,
  type FieldError,
  problemsOfSubdomain,
  type Schema,
  validateCrdSchema,
  validateMeta,
  validateMetaUpdate,
} from '@portcullis/schema'
import { ageColumn, column, nameColumn } from '../kinds/columns.ts'
import type { Behaviour, Resource } from '../resource.ts'
import type { Definition, DefinitionCondition, DefinitionVersion } from './definition.ts'

/** While a custom resource of the kind exists, its definition waits for it to be deleted. */
export const cleanupFinalizer = 'customresourcecleanup.apiextensions.k8s.io'

const behaviour: Behaviour = {
  defaults(object) {
    const { spec } = object as Partial<Definition>
    if (spec?.names === undefined) return
    const { names } = spec
    if (names.kind) {
      names.singular ||= names.kind.toLowerCase()
      names.listKind ||= `${names.kind}List`
    }
    spec.conversion ??= { strategy: 'None' }
  },
  prepareCreate(object) {
    const definition = object as Definition
    const storage = definition.spec?.versions?.find((version) => version.storage)
    definition.status = {
      conditions: null,
      acceptedNames: { plural: '', kind: '' },
      storedVersions: storage === undefined ? [] : [storage.name],
    }
  },
  prepareUpdate(object, old) {
    const definition = object as Definition
    const storage = definition.spec.versions?.find((version) => version.storage)
    const stored = (old as Definition).status?.storedVersions ?? []
    if (storage === undefined || definition.status === undefined || stored.includes(storage.name)) return
    definition.status = { ...definition.status, storedVersions: [...stored, storage.name] }
  },
  markForDeletion(object, now) {
    if (object.metadata.deletionTimestamp !== undefined) return object
    const { status, metadata } = object as Definition
    const terminating: DefinitionCondition = {
      type: 'Terminating',
      status: 'True',
      lastTransitionTime: now,
      reason: 'InstanceDeletionPending',
      message: 'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon',
    }
    return {
      ...object,
      metadata: {
        ...metadata,
        deletionTimestamp: now,
        finalizers: [...new Set([...(metadata.finalizers ?? []), cleanupFinalizer])],
      },
      status: { ...status, conditions: [...(status?.conditions ?? []), terminating] },
    }
  },
  validate: validateDefinition,
  validateUpdate: (object, old) => [
    ...validateMetaUpdate(object.metadata, old.metadata),
    ...validateImmutable(object as Definition, old as Definition),
    ...validateDefinition(object),
  ],
}

/** CustomResourceDefinition, the kind that makes kinds. */
export function definitionResource(schema: Schema): Resource {
  return {
    group: 'apiextensions.k8s.io',
    version: 'v1',
    kind: 'CustomResourceDefinition',
    plural: 'customresourcedefinitions',
    singular: 'customresourcedefinition',
    shortNames: ['crd', 'crds'],
    categories: ['api-extensions'],
    namespaced: false,
    subresources: ['status'],
    schema,
    behaviour,
    columns: [
      nameColumn,
      column('Created At', 'When it was created.', ({ metadata }) => metadata.creationTimestamp ?? ''),
      { ...ageColumn, priority: 1 },
    ].slice(0, 2),
  }
}

function validateDefinition(object: AnyObject): FieldError[] {
  const { metadata, spec, status } = object as Partial<Definition> & AnyObject
  const required = (field: string, value: unknown): FieldError[] =>
    value ? [] : [{ reason: 'FieldValueRequired', field, message: 'Required value' }]
  const invalid = (field: string, value: unknown, detail: string): FieldError => ({
    reason: 'FieldValueInvalid',
    field,
    message: `Invalid value: ${JSON.stringify(value ?? null)}: ${detail}`,
  })
  const { group = '', scope, names, versions = [] } = spec ?? {}
  const expectedName = `${names?.plural ?? ''}.${group}`
  const nameErrors =
    metadata.name === expectedName
      ? validateMeta(metadata, { namespaced: false, name: problemsOfSubdomain })
      : [invalid('metadata.name', metadata.name, 'must be spec.names.plural+"."+spec.group')]
  const storages = versions.filter((version) => version.storage)
  return [
    ...nameErrors,
    ...required('spec.group', group),
    ...required('spec.scope', scope),
    ...versions.flatMap((version, at) =>
      validateVersion(version, `spec.versions[${at}]`, versions.length === 1),
    ),
    ...(storages.length === 1
      ? []
      : [
          invalid('spec.versions', spec?.versions, 'must have exactly one version marked as storage version'),
        ]),
    ...required('spec.names.plural', names?.plural),
    ...required('spec.names.singular', names?.singular),
    ...required('spec.names.kind', names?.kind),
    ...required('spec.names.listKind', names?.listKind),
    ...((status?.storedVersions ?? []).length > 0
      ? []
      : [invalid('status.storedVersions', null, 'must have at least one stored version')]),
  ]
}

function validateVersion({ schema }: DefinitionVersion, field: string, isOnly: boolean): FieldError[] {
  const path = `${field}.schema.openAPIV3Schema`
  if (schema?.openAPIV3Schema === undefined) {
    return [{ reason: 'FieldValueRequired', field: path, message: 'Required value' }]
  }
  // A schema that all versions share is named by where it stood in older definitions.
  return validateCrdSchema(schema.openAPIV3Schema, isOnly ? 'spec.validation.openAPIV3Schema' : path)
}

function validateImmutable({ spec }: Definition, { spec: old }: Definition): FieldError[] {
  const changed = (['group', 'scope'] as const).filter((field) => spec[field] !== old[field])
  const names = (['plural', 'kind'] as const).filter((field) => spec.names[field] !== old.names[field])
  const error = (field: string, value: unknown): FieldError => ({
    reason: 'FieldValueInvalid',
    field,
    message: `Invalid value: ${JSON.stringify(value)}: field is immutable`,
  })
  return [
    ...changed.map((field) => error(`spec.${field}`, spec[field])),
    ...names.map((field) => error(`spec.names.${field}`, spec.names[field])),
  ]
}
