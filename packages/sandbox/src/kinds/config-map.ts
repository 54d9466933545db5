import {
  type AnyObject,
  type FieldError,
  forbidden,
  invalid,
  invalids,
  problemsOfConfigKey,
  problemsOfSubdomain,
  tooLong,
  validateMeta,
  validateMetaUpdate,
  wasGivenEmpty,
  withNullBytes,
} from '@portcullis/schema'
import type { ConfigMap } from 'kubernetes-types/core/v1'
import type { Behaviour } from '../resource.ts'
import { ageColumn, column, nameColumn } from './columns.ts'
import { as, type Kind } from './kind.ts'
import { isSemanticallyEqual } from './semantic-equal.ts'

/** 1 MiB for all values of a ConfigMap or Secret. */
export const dataLimit = 1024 * 1024

const behaviour: Behaviour = {
  validate,

  validateUpdate(object, old) {
    const now = as<ConfigMap>(object)
    const before = as<ConfigMap>(old)
    return [
      ...validateMetaUpdate(object.metadata, old.metadata),
      ...(before.immutable === true
        ? validateUnchanged({ ...givenEmpty(object, 'binaryData'), ...now }, { ...before }, [
            'data',
            'binaryData',
          ])
        : []),
      ...validate(object),
    ]
  },

  asKept: (object) => withNullBytes(object, 'binaryData'),

  keepsGeneration: false,
}

export const configMap: Kind = {
  group: '',
  version: 'v1',
  kind: 'ConfigMap',
  plural: 'configmaps',
  singular: 'configmap',
  shortNames: ['cm'],
  categories: [],
  namespaced: true,
  subresources: [],
  behaviour,
  columns: [
    nameColumn,
    column('Data', 'How many keys there are.', (object) => {
      const { data = {}, binaryData = {} } = as<ConfigMap>(object)
      return Object.keys(data).length + Object.keys(binaryData).length
    }),
    ageColumn,
  ],
}

/** When changes are compared, absent bytes are not the same as an empty map; absent texts are. */
export function givenEmpty(object: AnyObject, field: string): Readonly<Record<string, unknown>> {
  return wasGivenEmpty(object, field) ? { [field]: { 'given empty': true } } : {}
}

/** What `immutable` forbids, of ConfigMaps and Secrets alike. */
export function validateUnchanged(
  now: Readonly<Record<string, unknown>>,
  before: Readonly<Record<string, unknown>>,
  fields: readonly string[],
): FieldError[] {
  const detail = 'field is immutable when `immutable` is set'
  return [
    ...(now.immutable === true ? [] : [forbidden('immutable', detail)]),
    ...fields
      .filter((field) => !isSemanticallyEqual(now[field] ?? {}, before[field] ?? {}))
      .map((field) => forbidden(field, detail)),
  ]
}

function validate(object: AnyObject): FieldError[] {
  const { data = {}, binaryData = {} } = as<ConfigMap>(object)
  const errors = validateMeta(object.metadata, { namespaced: true, name: problemsOfSubdomain })
  let size = 0
  for (const [key, value] of Object.entries(data)) {
    errors.push(...invalids(`data[${key}]`, key, problemsOfConfigKey(key)))
    if (Object.hasOwn(binaryData, key))
      errors.push(invalid(`data[${key}]`, key, 'duplicate of key present in binaryData'))
    size += Buffer.byteLength(value)
  }
  for (const [key, value] of Object.entries(binaryData)) {
    errors.push(...invalids(`binaryData[${key}]`, key, problemsOfConfigKey(key)))
    size += Buffer.byteLength(value, 'base64')
  }
  if (size > dataLimit) errors.push(tooLong('[]', dataLimit))
  return errors
}
