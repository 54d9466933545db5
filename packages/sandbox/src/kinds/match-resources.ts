import {
  duplicate,
  type FieldError,
  invalid,
  invalids,
  notSupported,
  problemsOfPathSegment,
  required,
} from '@portcullis/schema'
import type { MatchResources, NamedRuleWithOperations } from 'kubernetes-types/admissionregistration/v1'
import { validateLabelSelector } from './label-selector.ts'

/** Of a rule the types leave some fields out. */
type Rule = NamedRuleWithOperations & { resources?: readonly string[]; scope?: string }

const matchPolicies = ['Equivalent', 'Exact'] as const
const operationNames = ['*', 'CONNECT', 'CREATE', 'DELETE', 'UPDATE'] as const
const scopes = ['*', 'Cluster', 'Namespaced'] as const

/** The requests that an admission policy, or its binding, is about. */
export function defaultMatchResources(match: MatchResources | undefined): void {
  if (match === undefined) return
  match.matchPolicy ??= 'Equivalent'
  match.namespaceSelector ??= {}
  match.objectSelector ??= {}
  const rules: Rule[] = [...(match.resourceRules ?? []), ...(match.excludeResourceRules ?? [])]
  for (const rule of rules) rule.scope ??= '*'
}

export function validateMatchResources(match: MatchResources | undefined, field: string): FieldError[] {
  if (match === undefined) return []
  const { matchPolicy = '', namespaceSelector, objectSelector } = match
  const isKnown = matchPolicies.some((one) => one === matchPolicy)
  return [
    ...(isKnown ? [] : [notSupported(`${field}.matchPolicy`, matchPolicy, matchPolicies)]),
    ...validateLabelSelector(namespaceSelector, `${field}.namespaceSelector`),
    ...validateLabelSelector(objectSelector, `${field}.objectSelector`),
    ...(['resourceRules', 'excludeResourceRules'] as const).flatMap((rules) =>
      (match[rules] ?? []).flatMap((rule, index) => validateRule(rule, `${field}.${rules}[${index}]`)),
    ),
  ]
}

function validateRule(rule: Rule, field: string): FieldError[] {
  const { resourceNames = [], operations = [], apiGroups = [], apiVersions = [], scope } = rule
  const errors: FieldError[] = []
  for (const [index, name] of resourceNames.entries()) {
    const at = `${field}.resourceNames[${index}]`
    errors.push(...invalids(at, name, problemsOfPathSegment(name)))
    if (resourceNames.indexOf(name) < index) errors.push(duplicate(at, name))
  }
  errors.push(...validateList(operations, `${field}.operations`, 'operations'))
  for (const [index, operation] of operations.entries())
    if (!operationNames.some((one) => one === operation))
      errors.push(notSupported(`${field}.operations[${index}]`, operation, operationNames))
  errors.push(
    ...validateList(apiGroups, `${field}.apiGroups`, 'API groups'),
    ...validateList(apiVersions, `${field}.apiVersions`, 'API versions'),
  )
  for (const [index, version] of apiVersions.entries())
    if (version === '') errors.push(required(`${field}.apiVersions[${index}]`))
  errors.push(...validateResources(rule.resources ?? [], `${field}.resources`))
  if (scope !== undefined && !scopes.some((one) => one === scope))
    errors.push(notSupported(`${field}.scope`, scope, scopes))
  return errors
}

function validateList(list: readonly string[], field: string, what: string): FieldError[] {
  if (list.length === 0) return [required(field)]
  if (list.length === 1 || !list.includes('*')) return []
  return [invalid(field, list, `if '*' is present, must not specify other ${what}`)]
}

/** What is covered by a star may not be named beside it. */
function validateResources(resources: readonly string[], field: string): FieldError[] {
  if (resources.length === 0) return [required(field)]
  const errors: FieldError[] = []
  const wholeResources = new Set<string>()
  const wholeSubresources = new Set<string>()
  let isLastWithoutSubresource = false
  for (const [index, entry] of resources.entries()) {
    const at = `${field}[${index}]`
    if (entry === '') {
      errors.push(required(at))
      continue
    }
    const slash = entry.indexOf('/')
    if (slash < 0) {
      isLastWithoutSubresource = entry !== '*'
      continue
    }
    const [resource, subresource] = [entry.slice(0, slash), entry.slice(slash + 1)]
    if (wholeResources.has(resource))
      errors.push(invalid(at, entry, `if '${resource}/*' is present, must not specify ${entry}`))
    if (wholeSubresources.has(subresource))
      errors.push(invalid(at, entry, `if '*/${subresource}' is present, must not specify ${entry}`))
    if (subresource === '*') wholeResources.add(resource)
    if (resource === '*') wholeSubresources.add(subresource)
  }
  if (resources.length > 1 && resources.includes('*/*'))
    errors.push(invalid(field, resources, "if '*/*' is present, must not specify other resources"))
  // The server asks only about the last one without a subresource.
  if (resources.includes('*') && isLastWithoutSubresource)
    errors.push(
      invalid(field, resources, "if '*' is present, must not specify other resources without subresources"),
    )
  return errors
}
