import { type AnyObject, problemsOfSubdomain, validateMeta, validateMetaUpdate } from '@portcullis/schema'
import type { ServiceAccount } from 'kubernetes-types/core/v1'
import type { Behaviour } from '../resource.ts'
import { ageColumn, nameColumn } from './columns.ts'
import { as, type Kind } from './kind.ts'

const rules = { namespaced: true, name: problemsOfSubdomain }

const behaviour: Behaviour = {
  prepareCreate: keepNamesOfSecrets,
  prepareUpdate: keepNamesOfSecrets,
  validate: (object) => validateMeta(object.metadata, rules),
  validateUpdate: (object, old) => [
    ...validateMetaUpdate(object.metadata, old.metadata),
    ...validateMeta(object.metadata, rules),
  ],
  keepsGeneration: false,
  returnsDeleted: true,
}

export const serviceAccount: Kind = {
  group: '',
  version: 'v1',
  kind: 'ServiceAccount',
  plural: 'serviceaccounts',
  singular: 'serviceaccount',
  shortNames: ['sa'],
  categories: [],
  namespaced: true,
  subresources: ['token'],
  behaviour,
  columns: [nameColumn, ageColumn],
}

function keepNamesOfSecrets(object: AnyObject): void {
  const account = as<ServiceAccount>(object)
  if (account.secrets === undefined) return
  account.secrets = account.secrets.map(({ name }) => (name === undefined ? {} : { name }))
}
