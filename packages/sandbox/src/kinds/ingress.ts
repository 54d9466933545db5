import {
  type AnyObject,
  type FieldError,
  invalid,
  invalids,
  notSupported,
  problemsOfLabel,
  problemsOfPathSegment,
  problemsOfSubdomain,
  problemsOfWildcard,
  required,
  validateMeta,
  validateMetaUpdate,
  wasGivenEmpty,
} from '@portcullis/schema'
import type { TypedLocalObjectReference } from 'kubernetes-types/core/v1'
import type {
  HTTPIngressPath,
  Ingress,
  IngressBackend,
  IngressLoadBalancerStatus,
  IngressRule,
  IngressSpec,
  IngressStatus,
} from 'kubernetes-types/networking/v1'
import type { Behaviour, ClusterView } from '../resource.ts'
import { isAddress, validateAddress, warningsAboutAddress } from './addresses.ts'
import { ageColumn, column, nameColumn } from './columns.ts'
import { isDefaultClass } from './ingress-class.ts'
import { as, type Kind, specOf, statusOf } from './kind.ts'
import { problemsOfPortName, validatePort } from './ports.ts'
import { loadBalancerText } from './service.ts'
import { validateHostname } from './service-validation.ts'

const classAnnotation = 'kubernetes.io/ingress.class'
const pathTypes = ['Exact', 'ImplementationSpecific', 'Prefix'] as const

const behaviour: Behaviour = {
  defaults(object) {
    specOf(object)
    const status = statusOf<IngressStatus>(object)
    status.loadBalancer ??= {}
  },

  prepareCreate(object, cluster) {
    object.status = { loadBalancer: {} }
    setDefaultClass(object, cluster)
  },

  validate(object) {
    const { ingressClassName } = specOf<IngressSpec>(object)
    const annotation = object.metadata.annotations?.[classAnnotation]
    const errors = validateIngress(object, noLeniency)
    if (annotation !== undefined && ingressClassName !== undefined && annotation !== ingressClassName)
      errors.push(
        invalid(
          `annotations.${classAnnotation}`,
          annotation,
          'must match `ingressClassName` when both are specified',
        ),
      )
    return errors
  },

  validateUpdate: (object, old) => [
    ...validateMetaUpdate(object.metadata, old.metadata),
    ...validateIngress(object, leniencyFor(specOf<IngressSpec>(old))),
  ],

  validateStatusUpdate: (object, old) => [
    ...validateMetaUpdate(object.metadata, old.metadata),
    ...validateStatus(
      statusOf<IngressStatus>(object).loadBalancer ?? {},
      statusOf<IngressStatus>(old).loadBalancer ?? {},
    ),
  ],

  warnings(object, old) {
    const { ingressClassName } = specOf<IngressSpec>(object)
    if (old !== undefined)
      return statusWarnings(statusOf<IngressStatus>(object), statusOf<IngressStatus>(old))
    if (object.metadata.annotations?.[classAnnotation] === undefined || ingressClassName !== undefined)
      return []
    return [`annotation "${classAnnotation}" is deprecated, please use 'spec.ingressClassName' instead`]
  },
}

export const ingress: Kind = {
  group: 'networking.k8s.io',
  version: 'v1',
  kind: 'Ingress',
  plural: 'ingresses',
  singular: 'ingress',
  shortNames: ['ing'],
  categories: [],
  namespaced: true,
  subresources: ['status'],
  behaviour,
  columns: [
    nameColumn,
    column(
      'Class',
      'The IngressClass that it asks for.',
      (object) => specOf<IngressSpec>(object).ingressClassName ?? '<none>',
    ),
    column('Hosts', 'The host names of its rules.', (object) =>
      hostsText(specOf<IngressSpec>(object).rules ?? []),
    ),
    column('Address', 'Where it is reached.', (object) =>
      loadBalancerText(as<Ingress>(object).status?.loadBalancer),
    ),
    column('Ports', 'The ports that it opens.', (object) =>
      (specOf<IngressSpec>(object).tls ?? []).length > 0 ? '80, 443' : '80',
    ),
    ageColumn,
  ],
}

/** The newest of the classes that are marked as default; of equally new ones the first by name. */
function setDefaultClass(object: AnyObject, cluster: ClusterView): void {
  const spec = specOf<IngressSpec>(object)
  if (spec.ingressClassName !== undefined || object.metadata.annotations?.[classAnnotation] !== undefined)
    return
  const [chosen] = [...cluster.list({ group: 'networking.k8s.io', plural: 'ingressclasses' })]
    .filter(isDefaultClass)
    .map(({ metadata }) => ({ name: metadata.name ?? '', created: metadata.creationTimestamp ?? '' }))
    .sort((a, b) => (a.created === b.created ? (a.name < b.name ? -1 : 1) : a.created > b.created ? -1 : 1))
  if (chosen !== undefined) spec.ingressClassName = chosen.name
}

/** What an object that was stored under older rules may keep. */
interface Leniency {
  readonly secretNames: boolean
  readonly wildcardRules: boolean
}

const noLeniency: Leniency = { secretNames: false, wildcardRules: false }

function leniencyFor({ tls = [], rules = [] }: IngressSpec): Leniency {
  return {
    secretNames: tls.some(
      ({ secretName = '' }) => secretName !== '' && problemsOfSubdomain(secretName).length > 0,
    ),
    wildcardRules: rules.some(
      (rule) => (rule.host ?? '').includes('*') && validateRuleValue(rule, '').length > 0,
    ),
  }
}

function validateIngress(object: AnyObject, leniency: Leniency): FieldError[] {
  const spec = specOf<IngressSpec>(object)
  const { rules = [], tls = [], defaultBackend, ingressClassName } = spec
  const errors = validateMeta(object.metadata, { namespaced: true, name: problemsOfSubdomain })
  if (rules.length === 0 && defaultBackend === undefined)
    errors.push(
      invalid(
        'spec',
        spec.rules ?? (wasGivenEmpty(spec, 'rules') ? [] : null),
        'either `defaultBackend` or `rules` must be specified',
      ),
    )
  if (defaultBackend !== undefined) errors.push(...validateBackend(defaultBackend, 'spec.defaultBackend'))
  for (const [index, rule] of rules.entries())
    errors.push(...validateRule(rule, `spec.rules[${index}]`, leniency))
  for (const [index, { hosts = [], secretName = '' }] of tls.entries()) {
    const field = `spec.tls[${index}]`
    for (const [position, host] of hosts.entries())
      errors.push(...invalids(`${field}.hosts[${position}]`, host, problemsOfHost(host)))
    if (!leniency.secretNames && secretName !== '')
      errors.push(...invalids(`${field}.secretName`, secretName, problemsOfSubdomain(secretName)))
  }
  if (ingressClassName !== undefined)
    errors.push(...invalids('spec.ingressClassName', ingressClassName, problemsOfSubdomain(ingressClassName)))
  return errors
}

function problemsOfHost(host: string): string[] {
  return host.includes('*') ? problemsOfWildcard(host) : problemsOfSubdomain(host)
}

function validateRule(rule: IngressRule, field: string, leniency: Leniency): FieldError[] {
  const errors: FieldError[] = []
  const { host = '' } = rule
  if (host !== '') {
    if (isAddress(host)) errors.push(invalid(`${field}.host`, host, 'must be a DNS name, not an IP address'))
    errors.push(...invalids(`${field}.host`, host, problemsOfHost(host)))
  }
  if (!host.includes('*') || !leniency.wildcardRules) errors.push(...validateRuleValue(rule, field))
  return errors
}

function validateRuleValue({ http }: IngressRule, field: string): FieldError[] {
  if (http === undefined) return []
  // Written by hand, `paths` may be missing for all that the types say.
  const paths: HTTPIngressPath[] | undefined = http.paths
  if ((paths ?? []).length === 0) return [required(`${field}.http.paths`)]
  return paths.flatMap((path, index) => validatePath(path, `${field}.http.paths[${index}]`))
}

function validatePath({ path = '', pathType, backend }: HTTPIngressPath, field: string): FieldError[] {
  // The schema lets an absent type through; Go has no type then.
  if (((pathType as string | null | undefined) ?? undefined) === undefined)
    return [required(`${field}.pathType`, 'pathType must be specified')]
  const errors: FieldError[] = []
  const refuse = (detail: string) => errors.push(invalid(`${field}.path`, path, detail))
  if (pathType === 'Exact' || pathType === 'Prefix') {
    if (!path.startsWith('/')) refuse('must be an absolute path')
    for (const part of ['//', '/./', '/../', '%2f', '%2F'])
      if (path.includes(part)) refuse(`must not contain '${part}'`)
    for (const end of ['/..', '/.']) if (path.endsWith(end)) refuse(`cannot end with '${end}'`)
  } else if (pathType === 'ImplementationSpecific') {
    if (path !== '' && !path.startsWith('/')) refuse('must be an absolute path')
  } else errors.push(notSupported(`${field}.pathType`, pathType, pathTypes))
  return [...errors, ...validateBackend(backend ?? {}, `${field}.backend`)]
}

function validateBackend({ resource, service }: IngressBackend, field: string): FieldError[] {
  if (resource !== undefined && service !== undefined)
    return [invalid(field, '', 'cannot set both resource and service backends')]
  if (resource !== undefined) return validateReference(resource, `${field}.resource`)
  if (service === undefined) return [invalid(field, '', 'resource or service backend is required')]
  const { name } = service
  const errors =
    name === ''
      ? [required(`${field}.service.name`)]
      : invalids(`${field}.service.name`, name, problemsOfLabel(name))
  const portName = service.port?.name ?? ''
  const portNumber = service.port?.number ?? 0
  if (portName !== '' && portNumber !== 0)
    errors.push(invalid(field, '', 'cannot set both port name & port number'))
  else if (portName !== '')
    errors.push(...invalids(`${field}.service.port.name`, portName, problemsOfPortName(portName)))
  else if (portNumber !== 0) errors.push(...validatePort(`${field}.service.port.number`, portNumber))
  else errors.push(required(field, 'port name or number is required'))
  return errors
}

function validateReference(reference: TypedLocalObjectReference, field: string): FieldError[] {
  const { kind, name } = reference
  // Go writes an absent group as null.
  const group = (reference.apiGroup as string | null | undefined) ?? undefined
  return [
    ...(group === undefined ? [] : invalids(`${field}.apiGroup`, group, problemsOfSubdomain(group))),
    ...(kind === ''
      ? [required(`${field}.kind`)]
      : invalids(`${field}.kind`, kind, problemsOfPathSegment(kind))),
    ...(name === ''
      ? [required(`${field}.name`)]
      : invalids(`${field}.name`, name, problemsOfPathSegment(name))),
  ]
}

function validateStatus(status: IngressLoadBalancerStatus, old: IngressLoadBalancerStatus): FieldError[] {
  const before = (old.ingress ?? []).map(({ ip = '' }) => ip)
  return (status.ingress ?? []).flatMap(({ ip = '', hostname = '' }, index) => {
    const field = `status.loadBalancer.ingress[${index}]`
    return [
      ...(ip === '' ? [] : validateAddress(`${field}.ip`, ip, before)),
      ...validateHostname(`${field}.hostname`, hostname),
    ]
  })
}

function statusWarnings({ loadBalancer = {} }: IngressStatus, old: IngressStatus): string[] {
  if (JSON.stringify(loadBalancer) === JSON.stringify(old.loadBalancer ?? {})) return []
  return (loadBalancer.ingress ?? []).flatMap(({ ip = '' }, index) =>
    warningsAboutAddress(`status.loadBalancer.ingress[${index}]`, ip),
  )
}

/** The first three, and how many rules there are beyond them. */
function hostsText(rules: readonly IngressRule[]): string {
  const hosts: string[] = []
  let more = false
  for (const { host = '' } of rules) {
    more ||= hosts.length === 3
    if (!more && host !== '') hosts.push(host)
  }
  if (hosts.length === 0) return '*'
  return more ? `${hosts.join(',')} + ${rules.length - 3} more...` : hosts.join(',')
}
