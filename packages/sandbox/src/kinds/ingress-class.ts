import {
  type AnyObject,
  type FieldError,
  forbidden,
  immutable,
  invalid,
  invalids,
  notSupported,
  problemsOfDomainPath,
  problemsOfLabel,
  problemsOfPathSegment,
  problemsOfSubdomain,
  required,
  tooLong,
  validateMeta,
  validateMetaUpdate,
} from '@portcullis/schema'
import type { IngressClassParametersReference, IngressClassSpec } from 'kubernetes-types/networking/v1'
import type { Behaviour } from '../resource.ts'
import { ageColumn, column, nameColumn } from './columns.ts'
import { type Kind, specOf } from './kind.ts'

const controllerLimit = 250

const behaviour: Behaviour = {
  defaults(object) {
    const { parameters } = specOf<IngressClassSpec>(object)
    if (parameters !== undefined) parameters.scope ??= 'Cluster'
  },

  validate,

  validateUpdate(object, old) {
    const { controller = '' } = specOf<IngressClassSpec>(object)
    const changed = controller !== (specOf<IngressClassSpec>(old).controller ?? '')
    return [
      ...validateMetaUpdate(object.metadata, old.metadata),
      ...(changed ? [invalid('spec.controller', controller, immutable)] : []),
      ...validate(object),
    ]
  },
}

export const ingressClass: Kind = {
  group: 'networking.k8s.io',
  version: 'v1',
  kind: 'IngressClass',
  plural: 'ingressclasses',
  singular: 'ingressclass',
  shortNames: [],
  categories: [],
  namespaced: false,
  subresources: [],
  behaviour,
  columns: [
    {
      ...nameColumn,
      cell: (object) => `${object.metadata.name}${isDefaultClass(object) ? ' (default)' : ''}`,
    },
    column(
      'Controller',
      'Who serves Ingresses of this class.',
      (object) => specOf<IngressClassSpec>(object).controller ?? '',
    ),
    column('Parameters', 'The object that configures it.', (object) =>
      parametersText(specOf<IngressClassSpec>(object).parameters),
    ),
    ageColumn,
  ],
}

export function isDefaultClass({ metadata }: AnyObject): boolean {
  return metadata.annotations?.['ingressclass.kubernetes.io/is-default-class'] === 'true'
}

function validate(object: AnyObject): FieldError[] {
  const { controller = '', parameters } = specOf<IngressClassSpec>(object)
  const errors = validateMeta(object.metadata, { namespaced: false, name: problemsOfSubdomain })
  if (Buffer.byteLength(controller) > controllerLimit)
    errors.push(tooLong('spec.controller', controllerLimit))
  if (controller === '') errors.push(required('spec.controller'))
  else
    for (const { value, problem } of problemsOfDomainPath(controller))
      errors.push(invalid('spec.controller', value, problem))
  return parameters === undefined ? errors : [...errors, ...validateParameters(parameters)]
}

function validateParameters(parameters: IngressClassParametersReference): FieldError[] {
  const { apiGroup, kind, name, scope, namespace } = parameters
  const field = 'spec.parameters'
  const errors: FieldError[] = []
  if (apiGroup !== undefined)
    errors.push(...invalids(`${field}.apiGroup`, apiGroup, problemsOfSubdomain(apiGroup)))
  for (const [part, value] of Object.entries({ kind, name })) {
    if (value === '') errors.push(required(`${field}.${part}`))
    else errors.push(...invalids(`${field}.${part}`, value, problemsOfPathSegment(value)))
  }
  if (scope !== 'Cluster' && scope !== 'Namespace')
    errors.push(notSupported(`${field}.scope`, scope, ['Cluster', 'Namespace']))
  else if (scope === 'Cluster') {
    if (namespace !== undefined)
      errors.push(forbidden(`${field}.namespace`, "`parameters.scope` is set to 'Cluster'"))
  } else if (namespace === undefined)
    errors.push(required(`${field}.namespace`, "`parameters.scope` is set to 'Namespace'"))
  else errors.push(...invalids(`${field}.namespace`, namespace, problemsOfLabel(namespace)))
  return errors
}

function parametersText(parameters: IngressClassParametersReference | undefined): string {
  if (parameters === undefined) return '<none>'
  const { kind, apiGroup, name } = parameters
  return `${kind}${apiGroup === undefined ? '' : `.${apiGroup}`}/${name}`
}
