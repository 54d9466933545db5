import {
  type AnyObject,
  type FieldError,
  forbidden,
  invalid,
  invalids,
  nonNegative,
  notSupported,
  problemsOfPercent,
  problemsOfSubdomain,
  validateMeta,
  validateMetaUpdate,
} from '@portcullis/schema'
import type { DeploymentSpec, DeploymentStatus, DeploymentStrategy } from 'kubernetes-types/apps/v1'
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
import { isSemanticallyEqual } from './semantic-equal.ts'

const behaviour: Behaviour = {
  defaults(object) {
    const spec = specOf<DeploymentSpec>(object)
    spec.replicas ??= 1
    spec.strategy ??= {}
    if (!spec.strategy.type) spec.strategy.type = 'RollingUpdate'
    if (spec.strategy.type === 'RollingUpdate') {
      spec.strategy.rollingUpdate ??= {}
      spec.strategy.rollingUpdate.maxUnavailable ??= '25%'
      spec.strategy.rollingUpdate.maxSurge ??= '25%'
    }
    spec.revisionHistoryLimit ??= 10
    spec.progressDeadlineSeconds ??= 600
    setTemplateDefaults(spec)
    statusOf(object)
  },

  prepareCreate(object) {
    object.status = {}
  },

  /** Labels change through the main resource only. */
  prepareStatusUpdate(object, old) {
    if (old.metadata.labels === undefined) delete object.metadata.labels
    else object.metadata.labels = { ...old.metadata.labels }
  },

  validate: (object) => [
    ...validateMeta(object.metadata, { namespaced: true, name: problemsOfSubdomain }),
    ...validateSpec(specOf<DeploymentSpec>(object)),
  ],

  validateUpdate: (object, old) => [
    ...validateMetaUpdate(object.metadata, old.metadata),
    ...validateSpec(specOf<DeploymentSpec>(object)),
    ...validateSelectorUnchanged(specOf<DeploymentSpec>(object), specOf<DeploymentSpec>(old)),
  ],

  validateStatusUpdate(object, old) {
    const { collisionCount = 0 } = statusOf<DeploymentStatus>(object)
    const errors = [
      ...validateMetaUpdate(object.metadata, old.metadata),
      ...validateCounts(
        statusOf(object),
        [
          'observedGeneration',
          'replicas',
          'updatedReplicas',
          'readyReplicas',
          'availableReplicas',
          'unavailableReplicas',
          'terminatingReplicas',
          'collisionCount',
        ],
        ['updatedReplicas', 'readyReplicas', 'availableReplicas'],
      ),
    ]
    if (collisionCount < (statusOf<DeploymentStatus>(old).collisionCount ?? 0))
      errors.push(invalid('status.collisionCount', collisionCount, 'cannot be decremented'))
    return errors
  },

  warnings(object, old) {
    const warnings = podSpecWarnings(templateOf(specOf<DeploymentSpec>(object)).spec, 'spec.template.spec')
    if (old === undefined) return [...podOwnerNameWarnings(object.metadata.name ?? ''), ...warnings]
    return object.metadata.generation === old.metadata.generation ? [] : warnings
  },

  /** Annotations count too: they are copied to the ReplicaSets. */
  newGeneration: (object, old) =>
    !isSemanticallyEqual(object.spec, old.spec) ||
    !isSemanticallyEqual(object.metadata.annotations ?? {}, old.metadata.annotations ?? {}),
}

export const deployment: Kind = {
  group: 'apps',
  version: 'v1',
  kind: 'Deployment',
  plural: 'deployments',
  singular: 'deployment',
  shortNames: ['deploy'],
  categories: ['all'],
  namespaced: true,
  subresources: ['status', 'scale'],
  behaviour,
  columns: [
    nameColumn,
    column('Ready', 'How many of the wanted pods are ready.', (object) => {
      const { readyReplicas = 0 } = statusOf<DeploymentStatus>(object)
      return `${readyReplicas}/${specOf<DeploymentSpec>(object).replicas ?? 0}`
    }),
    column(
      'Up-to-date',
      'How many pods are of the newest template.',
      (object) => statusOf<DeploymentStatus>(object).updatedReplicas ?? 0,
    ),
    column(
      'Available',
      'How many pods have been ready for long enough.',
      (object) => statusOf<DeploymentStatus>(object).availableReplicas ?? 0,
    ),
    ageColumn,
    column('Containers', 'What its containers are called.', containers('name'), { priority: 1 }),
    column('Images', 'What its containers run.', containers('image'), { priority: 1 }),
    column(
      'Selector',
      'Which pods are its own.',
      (object) => selectorText(specOf<DeploymentSpec>(object).selector),
      { priority: 1 },
    ),
  ],
}

function containers(part: 'name' | 'image') {
  return (object: AnyObject) => containersText(specOf<DeploymentSpec>(object), part)
}

function validateSpec(spec: DeploymentSpec): FieldError[] {
  const { replicas, minReadySeconds = 0, progressDeadlineSeconds: deadline } = spec
  const errors = [
    ...nonNegative('spec.replicas', replicas),
    ...validateSelector(spec.selector),
    ...validateTemplate(spec),
    ...validateStrategy(spec.strategy ?? {}),
    ...nonNegative('spec.minReadySeconds', minReadySeconds),
    ...nonNegative('spec.revisionHistoryLimit', spec.revisionHistoryLimit),
    ...nonNegative('spec.progressDeadlineSeconds', deadline),
  ]
  if (deadline !== undefined && deadline <= minReadySeconds)
    errors.push(invalid('spec.progressDeadlineSeconds', deadline, 'must be greater than minReadySeconds'))
  return errors
}

function validateStrategy({ type = '', rollingUpdate }: DeploymentStrategy): FieldError[] {
  const field = 'spec.strategy'
  if (type === 'Recreate')
    return rollingUpdate === undefined
      ? []
      : [forbidden(`${field}.rollingUpdate`, "may not be specified when strategy `type` is 'Recreate'")]
  if (type !== 'RollingUpdate')
    return [notSupported(field, { Type: type, RollingUpdate: null }, ['Recreate', 'RollingUpdate'])]
  const { maxUnavailable = 0, maxSurge = 0 } = rollingUpdate ?? {}
  const at = `${field}.rollingUpdate`
  const errors = [
    ...validateShare(`${at}.maxUnavailable`, maxUnavailable),
    ...validateShare(`${at}.maxSurge`, maxSurge),
  ]
  if (isNothing(maxUnavailable) && isNothing(maxSurge))
    errors.push(invalid(`${at}.maxUnavailable`, maxUnavailable, 'may not be 0 when `maxSurge` is 0'))
  return [...errors, ...validateAtMostAll(`${at}.maxUnavailable`, maxUnavailable)]
}

/** A number of pods, or a share of them. */
export function validateShare(field: string, value: number | string): FieldError[] {
  if (typeof value === 'string') return invalids(field, value, problemsOfPercent(value))
  return nonNegative(field, value)
}

export function validateAtMostAll(field: string, value: number | string): FieldError[] {
  if (typeof value !== 'string' || problemsOfPercent(value).length > 0) return []
  return Number.parseInt(value, 10) > 100 ? [invalid(field, value, 'must not be greater than 100%')] : []
}

function isNothing(value: number | string): boolean {
  return Number.parseInt(String(value), 10) === 0
}
