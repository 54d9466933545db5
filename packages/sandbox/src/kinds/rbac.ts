import {
  type AnyObject,
  type FieldError,
  invalid,
  invalids,
  notSupported,
  problemsOfPathSegment,
  problemsOfSubdomain,
  required,
  validateMeta,
  validateMetaUpdate,
} from '@portcullis/schema'
import type { ClusterRole, PolicyRule, RoleBinding, RoleRef, Subject } from 'kubernetes-types/rbac/v1'
import type { Behaviour, Column } from '../resource.ts'
import { ageColumn, column, nameColumn } from './columns.ts'
import { as, type Kind } from './kind.ts'
import { validateLabelSelector } from './label-selector.ts'

/** Roles and bindings are kept and checked, as everything is; the sandbox does not enforce them. */
const group = 'rbac.authorization.k8s.io'

export const role = roleKind('Role', true)
export const clusterRole = roleKind('ClusterRole', false)
export const roleBinding = bindingKind('RoleBinding', true)
export const clusterRoleBinding = bindingKind('ClusterRoleBinding', false)

function roleKind(kind: string, namespaced: boolean): Kind {
  const validate = (object: AnyObject) => validateRole(object, namespaced)
  return rbacKind(kind, namespaced, {}, validate, [
    nameColumn,
    {
      ...column(
        'Created At',
        'When the server made the object.',
        ({ metadata }) => metadata.creationTimestamp ?? '',
      ),
      type: 'date',
    },
  ])
}

function bindingKind(kind: string, namespaced: boolean): Kind {
  const validate = (object: AnyObject) => validateBinding(object, namespaced)
  return rbacKind(
    kind,
    namespaced,
    {
      defaults(object) {
        const binding = as<RoleBinding>(object)
        const reference = (binding.roleRef as RoleRef | undefined) ?? { apiGroup: group, kind: '', name: '' }
        if (!reference.apiGroup) reference.apiGroup = group
        object.roleRef = reference
        for (const subject of binding.subjects ?? [])
          if (!subject.apiGroup && (subject.kind === 'User' || subject.kind === 'Group'))
            subject.apiGroup = group
      },
    },
    validate,
    [
      nameColumn,
      column('Role', 'What is granted.', (object) => {
        const { kind, name } = as<RoleBinding>(object).roleRef
        return `${kind}/${name}`
      }),
      ageColumn,
      column('Users', 'To which users.', subjectsText('User'), { priority: 1 }),
      column('Groups', 'To which groups.', subjectsText('Group'), { priority: 1 }),
      column('ServiceAccounts', 'To which service accounts.', subjectsText('ServiceAccount'), {
        priority: 1,
      }),
    ],
  )
}

function rbacKind(
  kind: string,
  namespaced: boolean,
  rest: Behaviour,
  validate: (object: AnyObject) => FieldError[],
  columns: readonly Column[],
): Kind {
  const singular = kind.toLowerCase()
  return {
    group,
    version: 'v1',
    kind,
    plural: `${singular}s`,
    singular,
    shortNames: [],
    categories: [],
    namespaced,
    subresources: [],
    behaviour: {
      ...rest,
      validate,
      validateUpdate: (object, old) => [
        ...validate(object),
        ...validateMetaUpdate(object.metadata, old.metadata),
        ...validateRoleRefUnchanged(as<RoleBinding>(object).roleRef, as<RoleBinding>(old).roleRef),
      ],
      keepsGeneration: false,
      createsOnUpdate: true,
    },
    columns,
  }
}

function validateRole(object: AnyObject, namespaced: boolean): FieldError[] {
  const { rules, aggregationRule } = as<ClusterRole>(object)
  const errors = [
    ...validateMeta(object.metadata, { namespaced, name: problemsOfPathSegment }),
    ...(rules ?? []).flatMap((rule, index) => validateRule(rule, `rules[${index}]`, namespaced)),
  ]
  if (aggregationRule === undefined) return errors
  const selectors = aggregationRule.clusterRoleSelectors ?? []
  const field = 'aggregationRule.clusterRoleSelectors'
  if (selectors.length === 0)
    errors.push(required(field, 'at least one clusterRoleSelector required if aggregationRule is non-nil'))
  for (const [index, selector] of selectors.entries())
    errors.push(...validateLabelSelector(selector, `${field}[${index}]`))
  return errors
}

function validateRule(rule: PolicyRule, field: string, namespaced: boolean): FieldError[] {
  const { nonResourceURLs: urls = [], apiGroups = [], resources = [], resourceNames = [] } = rule
  const errors: FieldError[] = []
  if (((rule.verbs as string[] | undefined) ?? []).length === 0)
    errors.push(required(`${field}.verbs`, 'verbs must contain at least one value'))
  if (urls.length === 0) {
    if (apiGroups.length === 0)
      errors.push(required(`${field}.apiGroups`, 'resource rules must supply at least one api group'))
    if (resources.length === 0)
      errors.push(required(`${field}.resources`, 'resource rules must supply at least one resource'))
    return errors
  }
  const at = `${field}.nonResourceURLs`
  if (namespaced) errors.push(invalid(at, urls, 'namespaced rules cannot apply to non-resource URLs'))
  if (apiGroups.length + resources.length + resourceNames.length > 0)
    errors.push(invalid(at, urls, 'rules cannot apply to both regular resources and non-resource URLs'))
  return errors
}

function validateBinding(object: AnyObject, namespaced: boolean): FieldError[] {
  const { roleRef, subjects = [] } = as<RoleBinding>(object)
  const { apiGroup, kind, name } = roleRef
  const kinds = namespaced ? ['Role', 'ClusterRole'] : ['ClusterRole']
  const errors = validateMeta(object.metadata, { namespaced, name: problemsOfPathSegment })
  if (apiGroup !== group) errors.push(notSupported('roleRef.apiGroup', apiGroup, [group]))
  if (!kinds.includes(kind)) errors.push(notSupported('roleRef.kind', kind, kinds))
  if (name === '') errors.push(required('roleRef.name'))
  else errors.push(...invalids('roleRef.name', name, problemsOfPathSegment(name)))
  for (const [index, subject] of subjects.entries())
    errors.push(...validateSubject(subject, `subjects[${index}]`, namespaced))
  return errors
}

function validateSubject(subject: Subject, field: string, namespaced: boolean): FieldError[] {
  const { kind, name, namespace = '', apiGroup = '' } = subject
  const errors = name ? [] : [required(`${field}.name`)]
  if (kind === 'User' || kind === 'Group')
    return apiGroup === group ? errors : [...errors, notSupported(`${field}.apiGroup`, apiGroup, [group])]
  if (kind !== 'ServiceAccount')
    return [...errors, notSupported(`${field}.kind`, kind, ['ServiceAccount', 'User', 'Group'])]
  return [
    ...errors,
    ...(name ? invalids(`${field}.name`, name, problemsOfSubdomain(name)) : []),
    ...(apiGroup === '' ? [] : [notSupported(`${field}.apiGroup`, apiGroup, [''])]),
    ...(namespaced || namespace !== '' ? [] : [required(`${field}.namespace`)]),
  ]
}

function validateRoleRefUnchanged(now: RoleRef | undefined, before: RoleRef | undefined): FieldError[] {
  if (now === undefined || before === undefined) return []
  const { apiGroup, kind, name } = now
  if (apiGroup === before.apiGroup && kind === before.kind && name === before.name) return []
  return [invalid('roleRef', { APIGroup: apiGroup, Kind: kind, Name: name }, 'cannot change roleRef')]
}

function subjectsText(wanted: string) {
  return (object: AnyObject) =>
    (as<RoleBinding>(object).subjects ?? [])
      .filter(({ kind }) => kind === wanted)
      .map(({ name, namespace = '' }) =>
        wanted === 'ServiceAccount' && namespace ? `${namespace}/${name}` : name,
      )
      .join(', ')
}
