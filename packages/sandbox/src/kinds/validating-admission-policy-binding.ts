import {
  type AnyObject,
  duplicate,
  type FieldError,
  forbidden,
  invalid,
  invalids,
  notSupported,
  problemsOfPathSegment,
  problemsOfSubdomain,
  required,
  validateMeta,
} from '@portcullis/schema'
import type {
  ParamRef,
  ValidatingAdmissionPolicyBindingSpec,
} from 'kubernetes-types/admissionregistration/v1'
import type { Behaviour } from '../resource.ts'
import { ageColumn, column, nameColumn } from './columns.ts'
import { type Kind, specOf } from './kind.ts'
import { selectorText, validateLabelSelector } from './label-selector.ts'
import { defaultMatchResources, validateMatchResources } from './match-resources.ts'
import { staticNameWarnings } from './validating-admission-policy.ts'

const actionNames = ['Audit', 'Deny', 'Warn'] as const
const bothAnswers =
  'must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)'

const behaviour: Behaviour = {
  defaults(object) {
    defaultMatchResources(specOf<ValidatingAdmissionPolicyBindingSpec>(object).matchResources)
  },
  validate,
  validateUpdate: validate,
  warnings: staticNameWarnings,
  needsVersionOnUpdate: true,
}

export const validatingAdmissionPolicyBinding: Kind = {
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  kind: 'ValidatingAdmissionPolicyBinding',
  plural: 'validatingadmissionpolicybindings',
  singular: 'validatingadmissionpolicybinding',
  shortNames: [],
  categories: ['api-extensions'],
  namespaced: false,
  subresources: [],
  behaviour,
  columns: [
    nameColumn,
    column(
      'PolicyName',
      'The policy that it puts to use.',
      (object) => specOf<ValidatingAdmissionPolicyBindingSpec>(object).policyName ?? '',
    ),
    column('ParamRef', 'The parameters that it brings.', (object) =>
      paramText(specOf<ValidatingAdmissionPolicyBindingSpec>(object).paramRef),
    ),
    ageColumn,
  ],
}

function validate(object: AnyObject): FieldError[] {
  const spec = specOf<ValidatingAdmissionPolicyBindingSpec>(object)
  const { policyName = '', paramRef, matchResources, validationActions = [] } = spec
  return [
    ...validateMeta(object.metadata, { namespaced: false, name: problemsOfSubdomain }),
    ...(policyName === ''
      ? [required('spec.policyName')]
      : invalids('spec.policyName', policyName, problemsOfSubdomain(policyName))),
    ...(paramRef === undefined ? [] : validateParamRef(paramRef, 'spec.paramRef')),
    ...validateMatchResources(matchResources, 'spec.matchResources'),
    ...validateActions(validationActions, 'spec.validationActions'),
  ]
}

function validateParamRef(
  { name = '', selector, parameterNotFoundAction: action = '' }: ParamRef,
  field: string,
): FieldError[] {
  const exclusive = 'name and selector are mutually exclusive'
  const errors: FieldError[] = []
  if (name !== '') {
    errors.push(...invalids(`${field}.name`, name, problemsOfPathSegment(name)))
    if (selector !== undefined) errors.push(forbidden(`${field}.name`, exclusive))
  }
  if (selector !== undefined) {
    errors.push(...validateLabelSelector(selector, `${field}.selector`))
    if (name !== '') errors.push(forbidden(`${field}.selector`, exclusive))
  }
  if (name === '' && selector === undefined)
    errors.push(required(field, 'one of name or selector must be specified'))
  if (action === '') errors.push(required(`${field}.parameterNotFoundAction`))
  else if (action !== 'Deny' && action !== 'Allow')
    errors.push(notSupported(`${field}.parameterNotFoundAction`, action, ['Deny', 'Allow']))
  return errors
}

function validateActions(actions: readonly string[], field: string): FieldError[] {
  const errors: FieldError[] = []
  for (const [index, action] of actions.entries()) {
    if (!actionNames.some((one) => one === action))
      errors.push(notSupported(`${field}[${index}]`, action, actionNames))
    if (actions.indexOf(action) < index) errors.push(duplicate(`${field}[${index}]`, action))
  }
  if (actions.includes('Deny') && actions.includes('Warn')) errors.push(invalid(field, actions, bothAnswers))
  if (actions.length === 0) errors.push(required(field, 'at least one validation action is required'))
  return errors
}

function paramText(reference: ParamRef | undefined): string {
  const { name = '', namespace = '', selector } = reference ?? {}
  if (name !== '') return `${namespace === '' ? '*' : namespace}/${name}`
  return selector === undefined ? '<unset>' : selectorText(selector)
}
