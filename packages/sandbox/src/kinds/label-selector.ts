import {
  type FieldError,
  forbidden,
  invalid,
  invalids,
  problemsOfLabelValue,
  problemsOfQualifiedName,
  required,
  sortedMap,
  validateLabels,
} from '@portcullis/schema'
import type { LabelSelector } from 'kubernetes-types/meta/v1'

export function validateLabelSelector(selector: LabelSelector | undefined, field: string): FieldError[] {
  if (selector === undefined) return []
  const errors = validateLabels(selector.matchLabels, `${field}.matchLabels`)
  for (const [index, { key, operator, values = [] }] of (selector.matchExpressions ?? []).entries()) {
    const at = `${field}.matchExpressions[${index}]`
    if (operator === 'In' || operator === 'NotIn') {
      if (values.length === 0)
        errors.push(required(`${at}.values`, "must be specified when `operator` is 'In' or 'NotIn'"))
    } else if (operator === 'Exists' || operator === 'DoesNotExist') {
      if (values.length > 0)
        errors.push(
          forbidden(`${at}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"),
        )
    } else errors.push(invalid(`${at}.operator`, operator, 'not a valid selector operator'))
    errors.push(...invalids(`${at}.key`, key, problemsOfQualifiedName(key)))
    for (const [position, value] of values.entries())
      errors.push(...invalids(`${at}.values[${position}]`, value, problemsOfLabelValue(value)))
  }
  return errors
}

/** Whether a selector can be used at all; where it cannot, the server says so once more. */
export function isUsable(selector: LabelSelector | undefined): boolean {
  return validateLabelSelector(selector, '').length === 0
}

/** No selector selects nothing, an empty one everything. */
export function selects(
  selector: LabelSelector | undefined,
  labels: Readonly<Record<string, string>> | undefined,
): boolean {
  if (selector === undefined) return false
  const has = new Map(Object.entries(labels ?? {}))
  const matched = Object.entries(selector.matchLabels ?? {}).every(([key, value]) => has.get(key) === value)
  return (
    matched &&
    (selector.matchExpressions ?? []).every(({ key, operator, values = [] }) => {
      const value = has.get(key)
      if (operator === 'In') return value !== undefined && values.includes(value)
      if (operator === 'NotIn') return value === undefined || !values.includes(value)
      return operator === 'Exists' ? value !== undefined : value === undefined
    })
  )
}

/** As the server prints a selector inside an error. */
export function shownSelector(selector: LabelSelector | null | undefined): unknown {
  if (selector === undefined || selector === null) return null
  const { matchLabels, matchExpressions } = selector
  return {
    ...(matchLabels === undefined || Object.keys(matchLabels).length === 0
      ? {}
      : { matchLabels: sortedMap(matchLabels) }),
    ...(matchExpressions === undefined || matchExpressions.length === 0
      ? {}
      : {
          matchExpressions: matchExpressions.map(({ key, operator, values }) => ({
            key,
            operator,
            ...(values === undefined || values.length === 0 ? {} : { values }),
          })),
        }),
  }
}

/** As `kubectl get -o wide` prints a selector, and as `status.selector` of a Scale has it. */
export function selectorText(selector: LabelSelector | undefined): string {
  const terms = [
    ...Object.entries(selector?.matchLabels ?? {}).map(([key, value]) => ({ key, text: `${key}=${value}` })),
    ...(selector?.matchExpressions ?? []).map(({ key, operator, values = [] }) => {
      const list = `(${[...values].sort().join(',')})`
      if (operator === 'In') return { key, text: `${key} in ${list}` }
      if (operator === 'NotIn') return { key, text: `${key} notin ${list}` }
      return { key, text: operator === 'Exists' ? key : `!${key}` }
    }),
  ]
  return terms
    .sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
    .map(({ text }) => text)
    .join(',')
}

/** Plain labels as a selector, as Services have it: `<none>` where there are none. */
export function labelsText(labels: Readonly<Record<string, string>> | undefined): string {
  const text = Object.entries(labels ?? {})
    .map(([key, value]) => `${key}=${value}`)
    .sort()
    .join(',')
  return text === '' ? '<none>' : text
}
