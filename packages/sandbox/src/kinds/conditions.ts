import {
  duplicate,
  type FieldError,
  invalid,
  invalids,
  notSupported,
  problemsOfQualifiedName,
  required,
} from '@portcullis/schema'
import type { Condition } from 'kubernetes-types/meta/v1'

const statuses = ['False', 'True', 'Unknown'] as const

/** Conditions as newer kinds have them. */
export function validateConditions(conditions: readonly Condition[], field: string): FieldError[] {
  return conditions.flatMap((condition, index) => {
    const { type, status, observedGeneration = 0, reason } = condition
    const at = `${field}[${index}]`
    const errors: FieldError[] = []
    if (conditions.findIndex((one) => one.type === type) < index) errors.push(duplicate(`${at}.type`, type))
    errors.push(...invalids(`${at}.type`, type, problemsOfQualifiedName(type)))
    if (!statuses.some((one) => one === status)) errors.push(notSupported(`${at}.status`, status, statuses))
    if (observedGeneration < 0)
      errors.push(
        invalid(`${at}.observedGeneration`, observedGeneration, 'must be greater than or equal to zero'),
      )
    if (!condition.lastTransitionTime) errors.push(required(`${at}.lastTransitionTime`))
    if (!reason) errors.push(required(`${at}.reason`))
    return errors
  })
}
