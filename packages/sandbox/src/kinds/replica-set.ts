import {
  type AnyObject,
  type FieldError,
  nonNegative,
  problemsOfSubdomain,
  validateMeta,
  validateMetaUpdate,
} from '@portcullis/schema'
import type { ReplicaSetSpec, ReplicaSetStatus } from 'kubernetes-types/apps/v1'
import type { Behaviour } from '../resource.ts'
import { ageColumn, column, nameColumn } from './columns.ts'
import { type Kind, specOf, statusOf } from './kind.ts'
import { selectorText } from './label-selector.ts'
import { podOwnerNameWarnings, podSpecWarnings } from './pod-warnings.ts'
import {
  containersText,
  setTemplateDefaults,
  templateOf,
  validateCounts,
  validateSelector,
  validateSelectorUnchanged,
  validateTemplate,
} from './replicas.ts'

const behaviour: Behaviour = {
  defaults(object) {
    const spec = specOf<ReplicaSetSpec>(object)
    spec.replicas ??= 1
    setTemplateDefaults(spec)
    statusOf<Partial<ReplicaSetStatus>>(object).replicas ??= 0
  },

  prepareCreate(object) {
    object.status = { replicas: 0 }
  },

  validate: (object) => [
    ...validateMeta(object.metadata, { namespaced: true, name: problemsOfSubdomain }),
    ...validateSpec(specOf<ReplicaSetSpec>(object)),
  ],

  validateUpdate: (object, old) => [
    ...validateMetaUpdate(object.metadata, old.metadata),
    ...validateSpec(specOf<ReplicaSetSpec>(object)),
    ...validateSelectorUnchanged(specOf<ReplicaSetSpec>(object), specOf<ReplicaSetSpec>(old)),
  ],

  validateStatusUpdate: (object, old) => [
    ...validateMetaUpdate(object.metadata, old.metadata),
    ...validateCounts(
      statusOf(object),
      [
        'replicas',
        'fullyLabeledReplicas',
        'readyReplicas',
        'availableReplicas',
        'observedGeneration',
        'terminatingReplicas',
      ],
      ['fullyLabeledReplicas', 'readyReplicas', 'availableReplicas'],
    ),
  ],

  warnings(object, old) {
    const warnings = podSpecWarnings(templateOf(specOf<ReplicaSetSpec>(object)).spec, 'spec.template.spec')
    if (old === undefined) return [...podOwnerNameWarnings(object.metadata.name ?? ''), ...warnings]
    return object.metadata.generation === old.metadata.generation ? [] : warnings
  },
}

export const replicaSet: Kind = {
  group: 'apps',
  version: 'v1',
  kind: 'ReplicaSet',
  plural: 'replicasets',
  singular: 'replicaset',
  shortNames: ['rs'],
  categories: ['all'],
  namespaced: true,
  subresources: ['status', 'scale'],
  behaviour,
  columns: [
    nameColumn,
    column('Desired', 'How many pods are wanted.', (object) => specOf<ReplicaSetSpec>(object).replicas ?? 0, {
      type: 'integer',
    }),
    column(
      'Current',
      'How many pods there are.',
      (object) => statusOf<ReplicaSetStatus>(object).replicas ?? 0,
      {
        type: 'integer',
      },
    ),
    column(
      'Ready',
      'How many pods are ready.',
      (object) => statusOf<ReplicaSetStatus>(object).readyReplicas ?? 0,
      {
        type: 'integer',
      },
    ),
    ageColumn,
    column('Containers', 'What its containers are called.', containers('name'), { priority: 1 }),
    column('Images', 'What its containers run.', containers('image'), { priority: 1 }),
    column(
      'Selector',
      'Which pods are its own.',
      (object) => selectorText(specOf<ReplicaSetSpec>(object).selector) || '<none>',
      { priority: 1 },
    ),
  ],
}

function containers(part: 'name' | 'image') {
  return (object: AnyObject) => containersText(specOf<ReplicaSetSpec>(object), part)
}

function validateSpec(spec: ReplicaSetSpec): FieldError[] {
  return [
    ...nonNegative('spec.replicas', spec.replicas),
    ...nonNegative('spec.minReadySeconds', spec.minReadySeconds),
    ...validateSelector(spec.selector),
    ...validateTemplate(spec),
  ]
}
