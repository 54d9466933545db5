import {
  type AdmissionExpression,
  type AnyObject,
  duplicate,
  type FieldError,
  goJson,
  invalid,
  invalids,
  isCelIdentifier,
  notSupported,
  problemOfAdmissionExpression,
  problemsOfLabel,
  problemsOfQualifiedName,
  problemsOfSubdomain,
  required,
  tooMany,
  validateMeta,
} from '@portcullis/schema'
import type {
  AuditAnnotation,
  MatchCondition,
  ParamKind,
  ValidatingAdmissionPolicySpec,
  ValidatingAdmissionPolicyStatus,
  Validation,
  Variable,
} from 'kubernetes-types/admissionregistration/v1'
import type { Behaviour } from '../resource.ts'
import { ageColumn, column, nameColumn } from './columns.ts'
import { validateConditions } from './conditions.ts'
import { type Kind, specOf, statusOf } from './kind.ts'
import { defaultMatchResources, validateMatchResources } from './match-resources.ts'

const failurePolicies = ['Fail', 'Ignore'] as const
const reasons = ['Forbidden', 'Invalid', 'RequestEntityTooLarge'] as const
const mostConditions = 64
const mostAuditAnnotations = 20
const longestAuditExpression = 5 * 1024

/** Policies are kept and checked, expressions too; the sandbox, which lets everybody do everything, does not enforce them. */
const behaviour: Behaviour = {
  defaults(object) {
    const spec = specOf<ValidatingAdmissionPolicySpec>(object)
    statusOf(object)
    spec.failurePolicy ??= 'Fail'
    defaultMatchResources(spec.matchConstraints)
  },

  prepareCreate(object) {
    object.status = {}
  },

  validate,
  validateUpdate: validate,

  validateStatusUpdate(object) {
    const { typeChecking, conditions = [] } = statusOf<ValidatingAdmissionPolicyStatus>(object)
    return [
      ...(typeChecking?.expressionWarnings ?? []).flatMap(({ fieldRef, warning }, index) => {
        const at = `status.typeChecking.expressionWarnings[${index}]`
        return [
          ...(warning ? [] : [required(`${at}.warning`)]),
          ...(fieldRef.trim() ? [] : [required(`${at}.fieldRef`)]),
        ]
      }),
      ...validateConditions(conditions, 'status.conditions'),
    ]
  },

  warnings: staticNameWarnings,
  needsVersionOnUpdate: true,
}

export const validatingAdmissionPolicy: Kind = {
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  kind: 'ValidatingAdmissionPolicy',
  plural: 'validatingadmissionpolicies',
  singular: 'validatingadmissionpolicy',
  shortNames: [],
  categories: ['api-extensions'],
  namespaced: false,
  subresources: ['status'],
  behaviour,
  columns: [
    nameColumn,
    column(
      'Validations',
      'How many rules it has.',
      (object) => (specOf<ValidatingAdmissionPolicySpec>(object).validations ?? []).length,
      { type: 'integer' },
    ),
    column('ParamKind', 'The kind of its parameters.', (object) => {
      const { paramKind } = specOf<ValidatingAdmissionPolicySpec>(object)
      return paramKind === undefined ? '<unset>' : `${paramKind.apiVersion ?? ''}/${paramKind.kind ?? ''}`
    }),
    ageColumn,
  ],
}

/** Names that only files of the API server itself should have. */
export function staticNameWarnings({ metadata }: AnyObject): string[] {
  const suffix = '.static.k8s.io'
  if (!(metadata.name ?? '').endsWith(suffix)) return []
  return [
    `metadata.name: names ending with ${goJson(suffix)} are reserved for static manifest-based configurations and cannot be managed via the API`,
  ]
}

/** What the expressions of one policy may speak of. */
type Scope = Pick<AdmissionExpression, 'variables' | 'hasParams' | 'hasAuthorizer'>

function validate(object: AnyObject): FieldError[] {
  const spec = specOf<ValidatingAdmissionPolicySpec>(object)
  const { failurePolicy = '', paramKind, matchConstraints, matchConditions = [], variables = [] } = spec
  const { validations = [], auditAnnotations = [] } = spec
  const errors = validateMeta(object.metadata, { namespaced: false, name: problemsOfSubdomain })
  if (!failurePolicies.some((one) => one === failurePolicy))
    errors.push(notSupported('spec.failurePolicy', failurePolicy, failurePolicies))
  if (paramKind !== undefined) errors.push(...validateParamKind(paramKind, 'spec.paramKind'))
  if (matchConstraints === undefined) errors.push(required('spec.matchConstraints'))
  else {
    errors.push(...validateMatchResources(matchConstraints, 'spec.matchConstraints'))
    if ((matchConstraints.resourceRules ?? []).length === 0)
      errors.push(required('spec.matchConstraints.resourceRules'))
  }
  const bare: Scope = { hasParams: paramKind !== undefined, hasAuthorizer: true }
  errors.push(...validateMatchConditions(matchConditions, 'spec.matchConditions', bare))
  const names = variables.map(({ name }) => name)
  for (const [index, variable] of variables.entries()) {
    // Each may use those before it.
    const scope = { ...bare, variables: names.slice(0, index) }
    errors.push(...validateVariable(variable, `spec.variables[${index}]`, scope))
  }
  const scope = variables.length === 0 ? bare : { ...bare, variables: names }
  if (validations.length === 0 && auditAnnotations.length === 0) {
    const detail = 'validations or auditAnnotations must contain at least one item'
    return [...errors, required('spec.validations', detail), required('spec.auditAnnotations', detail)]
  }
  return [
    ...errors,
    ...validations.flatMap((validation, index) =>
      validateValidation(validation, `spec.validations[${index}]`, scope),
    ),
    ...validateAuditAnnotations(auditAnnotations, object.metadata.name ?? '', scope),
  ]
}

function validateParamKind({ apiVersion = '', kind = '' }: ParamKind, field: string): FieldError[] {
  return [
    ...validateApiVersion(apiVersion, `${field}.apiVersion`),
    ...(kind === '' ? [required(`${field}.kind`)] : []),
    ...(kind !== '' && problemsOfOldLabel(kind.toLowerCase()).length > 0
      ? [
          invalid(
            `${field}.kind`,
            kind,
            `may have mixed case, but should otherwise match: ${problemsOfOldLabel(kind.toLowerCase()).join(',')}`,
          ),
        ]
      : []),
  ]
}

function validateApiVersion(apiVersion: string, field: string): FieldError[] {
  if (apiVersion === '') return [required(field)]
  const parts = apiVersion === '/' ? ['', ''] : apiVersion.split('/')
  if (parts.length > 2) return [invalid(field, apiVersion, `unexpected GroupVersion string: ${apiVersion}`)]
  const version = parts.at(-1) ?? ''
  const group = parts.length === 2 ? (parts[0] ?? '') : ''
  const errors: FieldError[] = []
  const wrong = group === '' ? [] : problemsOfSubdomain(group)
  if (wrong.length > 0) errors.push(invalid(field, group, wrong.join(',')))
  if (version === '') return [...errors, invalid(field, apiVersion, 'version must be specified')]
  const problems = problemsOfOldLabel(version)
  return problems.length === 0 ? errors : [...errors, invalid(field, version, problems.join(','))]
}

/** Labels of DNS as they were before they could begin with a digit. */
function problemsOfOldLabel(label: string): string[] {
  if (/^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$/.test(label)) return []
  return [
    ...(label.length > 63 ? problemsOfLabel(label).filter((problem) => problem.includes('63')) : []),
    ...(/^[a-z]([-a-z0-9]*[a-z0-9])?$/.test(label)
      ? []
      : [
          "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
        ]),
  ]
}

function validateMatchConditions(
  conditions: readonly MatchCondition[],
  field: string,
  scope: Scope,
): FieldError[] {
  const errors = conditions.length > mostConditions ? [tooMany(field, conditions.length, mostConditions)] : []
  for (const [index, { name, expression }] of conditions.entries()) {
    const at = `${field}[${index}]`
    const source = expression.trim()
    errors.push(
      ...(source === ''
        ? [required(`${at}.expression`)]
        : validateExpression({ source, results: ['bool'], ...scope }, `${at}.expression`)),
    )
    if (name === '') errors.push(required(`${at}.name`))
    else {
      errors.push(...invalids(`${at}.name`, name, problemsOfQualifiedName(name)))
      if (conditions.findIndex((one) => one.name === name) < index) errors.push(duplicate(`${at}.name`, name))
    }
  }
  return errors
}

function validateVariable({ name, expression }: Variable, field: string, scope: Scope): FieldError[] {
  return [
    ...(name.trim() === '' ? [required(`${field}.name`, 'name is not specified')] : []),
    ...(name.trim() !== '' && !isCelIdentifier(name)
      ? [invalid(`${field}.name`, name, 'must be a valid CEL identifier')]
      : []),
    ...(expression.trim() === ''
      ? [required(`${field}.expression`, 'expression is not specified')]
      : validateExpression({ source: expression, results: [], ...scope }, `${field}.expression`)),
  ]
}

function validateValidation(validation: Validation, field: string, scope: Scope): FieldError[] {
  const { expression, message = '', messageExpression = '', reason } = validation
  const errors =
    expression.trim() === ''
      ? [required(`${field}.expression`, 'expression is not specified')]
      : validateExpression({ source: expression, results: ['bool'], ...scope }, `${field}.expression`)
  const empty = 'must be non-empty if specified'
  if (messageExpression !== '') {
    const at = `${field}.messageExpression`
    const wanted = { source: messageExpression, results: ['string'], ...scope, hasAuthorizer: false } as const
    errors.push(
      ...(messageExpression.trim() === ''
        ? [invalid(at, messageExpression, empty)]
        : validateExpression(wanted, at)),
    )
  }
  if (message !== '' && message.trim() === '') errors.push(invalid(`${field}.message`, message, empty))
  else if (/[\n\r]/.test(message.trim()))
    errors.push(invalid(`${field}.message`, message, 'must not contain line breaks'))
  if (reason !== undefined && !reasons.some((one) => one === reason))
    errors.push(notSupported(`${field}.reason`, reason, reasons))
  return errors
}

function validateAuditAnnotations(
  annotations: readonly AuditAnnotation[],
  policy: string,
  scope: Scope,
): FieldError[] {
  const field = 'spec.auditAnnotations'
  const errors: FieldError[] = []
  if (annotations.length > mostAuditAnnotations)
    errors.push(
      invalid(field, annotations, `must not have more than ${mostAuditAnnotations} auditAnnotations`),
    )
  for (const [index, { key, valueExpression }] of annotations.entries()) {
    const at = `${field}[${index}]`
    errors.push(
      ...(policy === ''
        ? [invalid(`${at}.key`, key, 'requires metadata.name be non-empty')]
        : invalids(`${at}.key`, `${policy}/${key}`, problemsOfQualifiedName(`${policy}/${key}`))),
      ...validateAuditExpression(valueExpression, `${at}.valueExpression`, scope),
    )
    if (annotations.findIndex((one) => one.key === key) < index) errors.push(duplicate(`${at}.key`, key))
  }
  return errors
}

function validateAuditExpression(expression: string, field: string, scope: Scope): FieldError[] {
  const source = expression.trim()
  if (source === '') return [required(field, 'valueExpression is not specified')]
  if (Buffer.byteLength(source) > longestAuditExpression)
    return [required(field, `must not exceed ${longestAuditExpression} bytes in length`)]
  const problem = problemOfAdmissionExpression({ source, results: ['string', 'null'], ...scope })
  return problem === undefined ? [] : [invalid(field, expression, problem)]
}

function validateExpression(expression: AdmissionExpression, field: string): FieldError[] {
  const problem = problemOfAdmissionExpression(expression)
  return problem === undefined ? [] : [invalid(field, expression.source, problem)]
}
