import { type AnyObject, type FieldError, invalid, nonNegative, notSupported } from '@portcullis/schema'
import type { PodDisruptionBudgetSpec, PodDisruptionBudgetStatus } from 'kubernetes-types/policy/v1'
import type { Behaviour } from '../resource.ts'
import { ageColumn, column, nameColumn } from './columns.ts'
import { validateConditions } from './conditions.ts'
import { validateAtMostAll, validateShare } from './deployment.ts'
import { type Kind, specOf, statusOf } from './kind.ts'
import { shownSelector, validateLabelSelector } from './label-selector.ts'

const nothingKnown = { currentHealthy: 0, desiredHealthy: 0, disruptionsAllowed: 0, expectedPods: 0 }
const counts = ['disruptionsAllowed', 'currentHealthy', 'desiredHealthy', 'expectedPods'] as const

const behaviour: Behaviour = {
  defaults(object) {
    specOf(object)
    object.status = { ...nothingKnown, ...statusOf<object>(object) }
  },

  prepareCreate(object) {
    object.status = { ...nothingKnown }
  },

  validate: validateSpec,
  validateUpdate: validateSpec,

  validateStatusUpdate(object) {
    const status = statusOf<PodDisruptionBudgetStatus>(object)
    return [
      ...validateConditions(status.conditions ?? [], 'status.conditions'),
      ...counts.flatMap((count) => nonNegative(`status.${count}`, status[count])),
    ]
  },

  needsVersionOnUpdate: true,
}

export const podDisruptionBudget: Kind = {
  group: 'policy',
  version: 'v1',
  kind: 'PodDisruptionBudget',
  plural: 'poddisruptionbudgets',
  singular: 'poddisruptionbudget',
  shortNames: ['pdb'],
  categories: [],
  namespaced: true,
  subresources: ['status'],
  behaviour,
  columns: [
    nameColumn,
    column('Min Available', 'How many pods must stay.', (object) =>
      String(specOf<PodDisruptionBudgetSpec>(object).minAvailable ?? 'N/A'),
    ),
    column('Max Unavailable', 'How many pods may be missing.', (object) =>
      String(specOf<PodDisruptionBudgetSpec>(object).maxUnavailable ?? 'N/A'),
    ),
    column(
      'Allowed Disruptions',
      'How many pods may go now.',
      (object) => statusOf<PodDisruptionBudgetStatus>(object).disruptionsAllowed ?? 0,
      { type: 'integer' },
    ),
    ageColumn,
  ],
}

function validateSpec(object: AnyObject): FieldError[] {
  const spec = specOf<PodDisruptionBudgetSpec>(object)
  const { minAvailable, maxUnavailable, unhealthyPodEvictionPolicy: policy } = spec
  const errors: FieldError[] = []
  if (minAvailable !== undefined && maxUnavailable !== undefined)
    errors.push(
      invalid(
        'spec',
        {
          MinAvailable: minAvailable,
          Selector: shownSelector(spec.selector),
          MaxUnavailable: maxUnavailable,
          UnhealthyPodEvictionPolicy: policy ?? null,
        },
        'minAvailable and maxUnavailable cannot be both set',
      ),
    )
  for (const [name, value] of Object.entries({ minAvailable, maxUnavailable })) {
    if (value === undefined) continue
    errors.push(...validateShare(`spec.${name}`, value), ...validateAtMostAll(`spec.${name}`, value))
  }
  errors.push(...validateLabelSelector(spec.selector, 'spec.selector'))
  if (policy !== undefined && policy !== 'AlwaysAllow' && policy !== 'IfHealthyBudget')
    errors.push(notSupported('spec.unhealthyPodEvictionPolicy', policy, ['AlwaysAllow', 'IfHealthyBudget']))
  return errors
}
