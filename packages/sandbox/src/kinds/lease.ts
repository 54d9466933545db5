import {
  type AnyObject,
  type FieldError,
  invalid,
  problemsOfSubdomain,
  validateBasicMeta,
  validateBasicMetaUpdate,
} from '@portcullis/schema'
import type { LeaseSpec } from 'kubernetes-types/coordination/v1'
import type { Behaviour } from '../resource.ts'
import { ageColumn, column, nameColumn } from './columns.ts'
import { type Kind, specOf } from './kind.ts'

const behaviour: Behaviour = {
  /** Coordinated leader election is not turned on: its fields are dropped. */
  prepareCreate: dropCoordination,
  prepareUpdate: dropCoordination,

  validate: (object) => [
    ...validateBasicMeta(object.metadata, { namespaced: true, name: problemsOfSubdomain }),
    ...validateSpec(specOf<LeaseSpec>(object)),
  ],

  validateUpdate: (object, old) => [
    ...validateBasicMetaUpdate(object.metadata, old.metadata),
    ...validateSpec(specOf<LeaseSpec>(object)),
  ],

  keepsGeneration: false,
  createsOnUpdate: true,
  needsVersionOnUpdate: true,
}

export const lease: Kind = {
  group: 'coordination.k8s.io',
  version: 'v1',
  kind: 'Lease',
  plural: 'leases',
  singular: 'lease',
  shortNames: [],
  categories: [],
  namespaced: true,
  subresources: [],
  behaviour,
  columns: [
    nameColumn,
    column('Holder', 'Who holds the lease.', (object) => specOf<LeaseSpec>(object).holderIdentity ?? ''),
    ageColumn,
  ],
}

function validateSpec({
  leaseDurationSeconds: duration,
  leaseTransitions: transitions,
}: LeaseSpec): FieldError[] {
  const errors: FieldError[] = []
  if (duration !== undefined && duration <= 0)
    errors.push(invalid('spec.leaseDurationSeconds', duration, 'must be greater than 0'))
  if (transitions !== undefined && transitions < 0)
    errors.push(invalid('spec.leaseTransitions', transitions, 'must be greater than or equal to 0'))
  return errors
}

function dropCoordination(object: AnyObject): void {
  const spec = specOf<{ strategy?: string; preferredHolder?: string }>(object)
  delete spec.strategy
  delete spec.preferredHolder
}
