import {
  type AnyObject,
  type FieldError,
  invalid,
  invalids,
  problemsOfLabel,
  problemsOfQualifiedName,
  validateKnownFinalizer,
  validateMeta,
  validateMetaUpdate,
} from '@portcullis/schema'
import type { NamespaceSpec, NamespaceStatus } from 'kubernetes-types/core/v1'
import type { Behaviour } from '../resource.ts'
import { ageColumn, column, nameColumn } from './columns.ts'
import { type Kind, specOf, statusOf } from './kind.ts'

const nameLabel = 'kubernetes.io/metadata.name'

const behaviour: Behaviour = {
  defaults(object) {
    specOf(object)
    const status = statusOf<NamespaceStatus>(object)
    if (!status.phase) status.phase = 'Active'
    setNameLabel(object)
  },

  prepareCreate(object) {
    object.status = { phase: 'Active' }
    const spec = specOf<NamespaceSpec>(object)
    if (!(spec.finalizers ?? []).includes('kubernetes'))
      spec.finalizers = [...(spec.finalizers ?? []), 'kubernetes']
    setNameLabel(object)
  },

  /** Finalizers of the spec change through the `finalize` subresource only. */
  prepareUpdate(object, old) {
    const spec = specOf<NamespaceSpec>(object)
    const { finalizers } = specOf<NamespaceSpec>(old)
    if (finalizers === undefined) delete spec.finalizers
    else spec.finalizers = [...finalizers]
    setNameLabel(object)
  },

  validate,

  validateUpdate: (object, old) => [
    ...validate(object),
    ...validateMetaUpdate(object.metadata, old.metadata),
  ],

  validateStatusUpdate(object, old) {
    const { phase = '' } = statusOf<NamespaceStatus>(object)
    const errors = validateMetaUpdate(object.metadata, old.metadata)
    if (object.metadata.deletionTimestamp === undefined) {
      if (phase !== 'Active')
        errors.push(invalid('status.Phase', phase, "may only be 'Active' if `deletionTimestamp` is empty"))
    } else if (phase !== 'Terminating')
      errors.push(
        invalid('status.Phase', phase, "may only be 'Terminating' if `deletionTimestamp` is not empty"),
      )
    return errors
  },

  selectableFields: (object) => ({
    'status.phase': statusOf<NamespaceStatus>(object).phase ?? '',
  }),

  keepsGeneration: false,
  returnsDeleted: true,
}

export const namespace: Kind = {
  group: '',
  version: 'v1',
  kind: 'Namespace',
  plural: 'namespaces',
  singular: 'namespace',
  shortNames: ['ns'],
  categories: [],
  namespaced: false,
  verbs: ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch'],
  subresources: ['status', 'finalize'],
  behaviour,
  columns: [
    nameColumn,
    column(
      'Status',
      'Whether it is being deleted.',
      (object) => statusOf<NamespaceStatus>(object).phase ?? '',
    ),
    ageColumn,
  ],
}

/** What is checked of a write through `finalize`, which may change the finalizers of the spec and no status. */
export function validateNamespaceFinalize(object: AnyObject, old: AnyObject): FieldError[] {
  return [
    ...validateMetaUpdate(object.metadata, old.metadata),
    ...(specOf<NamespaceSpec>(object).finalizers ?? []).flatMap((finalizer, index) =>
      validateFinalizer(finalizer, `spec.finalizers[${index}]`),
    ),
  ]
}

function validate(object: AnyObject): FieldError[] {
  return [
    ...validateMeta(object.metadata, { namespaced: false, name: problemsOfLabel }),
    ...(specOf<NamespaceSpec>(object).finalizers ?? []).flatMap((finalizer) =>
      validateFinalizer(finalizer, 'spec.finalizers'),
    ),
  ]
}

function validateFinalizer(finalizer: string, field: string): FieldError[] {
  return [
    ...invalids(field, finalizer, problemsOfQualifiedName(finalizer)),
    ...validateKnownFinalizer(finalizer, field),
  ]
}

/** A name that has still to be generated gets its label once it is there. */
function setNameLabel({ metadata }: AnyObject): void {
  if (metadata.name) metadata.labels = { ...metadata.labels, [nameLabel]: metadata.name }
}
