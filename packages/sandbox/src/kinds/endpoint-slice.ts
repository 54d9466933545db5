import {
  type AnyObject,
  duplicate,
  type FieldError,
  immutable,
  invalid,
  invalids,
  notSupported,
  problemsOfLabel,
  problemsOfLabelValue,
  problemsOfQualifiedName,
  problemsOfSubdomain,
  required,
  tooMany,
  validateMeta,
} from '@portcullis/schema'
import type { Endpoint, EndpointPort, EndpointSlice } from 'kubernetes-types/discovery/v1'
import type { Behaviour } from '../resource.ts'
import {
  isAddress6,
  validateAddress,
  validateCanonicalAddress,
  validateReachable,
  warningsAboutAddress,
} from './addresses.ts'
import { ageColumn, column, firstThree, nameColumn } from './columns.ts'
import { as, type Kind } from './kind.ts'
import { validateProtocol } from './ports.ts'
import { isSemanticallyEqual } from './semantic-equal.ts'

const types = ['FQDN', 'IPv4', 'IPv6'] as const
const controllers = ['endpointslice-controller.k8s.io', 'endpointslicemirroring-controller.k8s.io']
const managedBy = 'endpointslice.kubernetes.io/managed-by'

const behaviour: Behaviour = {
  defaults(object) {
    for (const port of as<EndpointSlice>(object).ports ?? []) {
      port.name ??= ''
      port.protocol ??= 'TCP'
    }
    if (!Array.isArray(object.endpoints)) object.endpoints = null
    if (!Array.isArray(object.ports)) object.ports = null
  },

  /** Written by older clients only. */
  prepareCreate: dropOldTopology,
  prepareUpdate: dropOldTopology,

  validate: (object) => validate(object, undefined),

  validateUpdate(object, old) {
    const { addressType } = as<EndpointSlice>(object)
    return [
      ...validate(object, old),
      ...(addressType === as<EndpointSlice>(old).addressType
        ? []
        : [invalid('addressType', addressType, immutable)]),
    ]
  },

  warnings(object, old) {
    const { addressType, endpoints, metadata } = as<EndpointSlice>(object)
    const first = old === undefined && addressType === 'FQDN'
    const trusted = controllers.includes(metadata?.labels?.[managedBy] ?? '')
    return [
      ...(first ? ['spec.addressType: FQDN endpoints are deprecated'] : []),
      ...(trusted ? [] : listOf(endpoints)).flatMap(({ addresses }, index) =>
        listOf(addresses).flatMap((address, position) =>
          warningsAboutAddress(`endpoints[${index}].addresses[${position}]`, address),
        ),
      ),
    ]
  },

  keepsGeneration: true,

  newGeneration(object, old) {
    const { metadata, ...now } = object
    const { metadata: metadataBefore, ...before } = old
    return (
      !isSemanticallyEqual(now, before) ||
      !isSemanticallyEqual(metadata.labels ?? {}, metadataBefore.labels ?? {})
    )
  },
}

export const endpointSlice: Kind = {
  group: 'discovery.k8s.io',
  version: 'v1',
  kind: 'EndpointSlice',
  plural: 'endpointslices',
  singular: 'endpointslice',
  shortNames: [],
  categories: [],
  namespaced: true,
  subresources: [],
  behaviour,
  columns: [
    nameColumn,
    column(
      'AddressType',
      'What kind of addresses it holds.',
      (object) => as<EndpointSlice>(object).addressType ?? '',
    ),
    column('Ports', 'Where the endpoints listen.', (object) =>
      firstThree(
        listOf(as<EndpointSlice>(object).ports).map(({ port, name }) => String(port ?? name ?? '*')),
      ),
    ),
    column('Endpoints', 'Where the Service leads to.', (object) =>
      firstThree(listOf(as<EndpointSlice>(object).endpoints).flatMap(({ addresses }) => listOf(addresses))),
    ),
    ageColumn,
  ],
}

/** Go writes an absent list as null. */
function listOf<T>(list: readonly T[] | null | undefined): readonly T[] {
  return list ?? []
}

function validate(object: AnyObject, old: AnyObject | undefined): FieldError[] {
  const { addressType, endpoints, ports } = as<EndpointSlice>(object)
  const type = addressType ?? ''
  const unchanged = old !== undefined && isSemanticallyEqual(endpoints, as<EndpointSlice>(old).endpoints)
  const errors = validateMeta(object.metadata, { namespaced: true, name: problemsOfSubdomain })
  if (type === '') errors.push(required('addressType'))
  else if (!types.some((one) => one === type)) errors.push(notSupported('addressType', type, types))
  errors.push(...validatePorts(listOf(ports)))
  return unchanged ? errors : [...errors, ...validateEndpoints(listOf(endpoints), type)]
}

function validatePorts(ports: readonly EndpointPort[]): FieldError[] {
  const names = new Set<string>()
  return ports.flatMap(({ name = '', protocol, appProtocol }, index) => {
    const field = `ports[${index}]`
    const errors = name === '' ? [] : invalids(`${field}.name`, name, problemsOfLabel(name))
    if (names.has(name)) errors.push(duplicate(`${field}.name`, name))
    names.add(name)
    errors.push(...validateProtocol(`${field}.protocol`, protocol))
    if (appProtocol !== undefined)
      errors.push(...invalids(`${field}.appProtocol`, appProtocol, problemsOfQualifiedName(appProtocol)))
    return errors
  })
}

function validateEndpoints(endpoints: readonly Endpoint[], type: string): FieldError[] {
  if (endpoints.length > 1000) return [tooMany('endpoints', endpoints.length, 1000)]
  return endpoints.flatMap((endpoint, index) => {
    const { nodeName, hostname, hints } = endpoint
    const addresses = listOf(endpoint.addresses)
    const field = `endpoints[${index}]`
    const errors: FieldError[] = []
    if (addresses.length === 0) errors.push(required(`${field}.addresses`, 'must contain at least 1 address'))
    else if (addresses.length > 100) errors.push(tooMany(`${field}.addresses`, addresses.length, 100))
    for (const [position, address] of addresses.entries())
      errors.push(...validateEndpointAddress(address, type, `${field}.addresses`, position))
    if (nodeName !== undefined)
      errors.push(...invalids(`${field}.nodeName`, nodeName, problemsOfSubdomain(nodeName)))
    if (hostname !== undefined)
      errors.push(...invalids(`${field}.hostname`, hostname, problemsOfLabel(hostname)))
    const zones = hints?.forZones ?? []
    for (const [position, { name }] of zones.entries()) {
      const at = `${field}.hints.forZones[${position}].name`
      if (zones.findIndex((zone) => zone.name === name) < position) errors.push(duplicate(at, name))
      errors.push(...invalids(at, name, problemsOfLabelValue(name)))
    }
    return errors
  })
}

function validateEndpointAddress(address: string, type: string, field: string, index: number): FieldError[] {
  const at = `${field}[${index}]`
  if (type === 'FQDN') return validateDomain(address, at)
  if (type !== 'IPv4' && type !== 'IPv6') return []
  const errors = type === 'IPv6' ? validateCanonicalAddress(at, address) : validateAddress(at, address)
  if (errors.length > 0) return errors
  const right = isAddress6(address) === (type === 'IPv6')
  return [
    ...(right ? [] : [invalid(field, address, `must be an ${type} address`)]),
    ...validateReachable(at, address),
  ]
}

function validateDomain(address: string, field: string): FieldError[] {
  if (address === '') return [required(field)]
  const name = address.replace(/\.$/, '')
  const problems = problemsOfSubdomain(name)
  if (problems.length > 0) return [invalid(field, name, problems.join(','))]
  return name.includes('.')
    ? []
    : [invalid(field, name, 'should be a domain with at least two segments separated by dots')]
}

function dropOldTopology(object: AnyObject): void {
  for (const endpoint of listOf(as<EndpointSlice>(object).endpoints)) delete endpoint.deprecatedTopology
}
