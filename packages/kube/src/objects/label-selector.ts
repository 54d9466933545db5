import type { LabelSelector } from 'kubernetes-types/meta/v1'
import type { DeepReadonly } from './objects.ts'

export type Labels = Readonly<Record<string, string>>

/**
 * Whether labels are selected, as Kubernetes has it: all requirements must be met; `NotIn` is met by an object without the
 * label too; a requirement that the API server would refuse is met by nothing. Compiled once, asked ten thousand times.
 *
 * @returns undefined where everything is selected, so that callers can skip the check
 */
export function compileSelector({
  matchLabels = {},
  matchExpressions = [],
}: DeepReadonly<LabelSelector> = {}): ((labels: Labels) => boolean) | undefined {
  const requirements = [
    ...Object.entries(matchLabels).map(
      ([key, value]) =>
        (labels: Labels) =>
          valueOf(labels, key) === value,
    ),
    ...matchExpressions.map(compileRequirement),
  ]
  return requirements.length === 0 ? undefined : (labels) => requirements.every((isMet) => isMet(labels))
}

function compileRequirement({
  key,
  operator,
  values = [],
}: DeepReadonly<NonNullable<LabelSelector['matchExpressions']>[number]>): (labels: Labels) => boolean {
  const wanted = new Set(values)
  const isIn = (labels: Labels) => {
    const value = valueOf(labels, key)
    return value !== undefined && wanted.has(value)
  }
  if (operator === 'In') return isIn // Without values it is met by nothing.
  if (operator === 'NotIn' && wanted.size > 0) return (labels) => !isIn(labels)
  if (operator === 'Exists' && wanted.size === 0) return (labels) => valueOf(labels, key) !== undefined
  if (operator === 'DoesNotExist' && wanted.size === 0) return (labels) => valueOf(labels, key) === undefined
  return () => false
}

function valueOf(labels: Labels, key: string): string | undefined {
  return Object.hasOwn(labels, key) ? labels[key] : undefined
}

/** As `kubectl -l` writes it, in one order whatever that of the labels is; undefined where everything is selected. */
export function selectorText(selector: DeepReadonly<LabelSelector> | undefined): string | undefined {
  const equal = Object.entries(selector?.matchLabels ?? {})
    .map(([key, value]) => `${key}=${value}`)
    .sort()
  const others = (selector?.matchExpressions ?? []).map(({ key, operator, values = [] }) => {
    if (operator === 'Exists') return key
    if (operator === 'DoesNotExist') return `!${key}`
    return `${key} ${operator === 'In' ? 'in' : 'notin'} (${values.join(',')})`
  })
  return [...equal, ...others].join(',') || undefined
}
