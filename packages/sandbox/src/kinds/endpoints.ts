import {
  type AnyObject,
  type FieldError,
  invalids,
  problemsOfLabel,
  problemsOfQualifiedName,
  problemsOfSubdomain,
  required,
  validateMeta,
  validateMetaUpdate,
} from '@portcullis/schema'
import type { EndpointAddress, EndpointPort, EndpointSubset, Endpoints } from 'kubernetes-types/core/v1'
import type { Behaviour } from '../resource.ts'
import { isAddress6, validateAddress, validateReachable } from './addresses.ts'
import { ageColumn, column, nameColumn } from './columns.ts'
import { as, type Kind } from './kind.ts'
import { validatePort, validateProtocol } from './ports.ts'
import { isSemanticallyEqual } from './semantic-equal.ts'

const deprecation = 'v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice'

const behaviour: Behaviour = {
  defaults(object) {
    for (const { ports = [] } of as<Endpoints>(object).subsets ?? [])
      for (const port of ports) if (!port.protocol) port.protocol = 'TCP'
  },

  validate: (object) => validate(object, undefined),

  validateUpdate: (object, old) => [
    ...validateMetaUpdate(object.metadata, old.metadata),
    ...validate(object, old),
  ],

  deprecation,
  warnings: () => [deprecation],

  keepsGeneration: false,
  createsOnUpdate: true,
}

export const endpoints: Kind = {
  group: '',
  version: 'v1',
  kind: 'Endpoints',
  plural: 'endpoints',
  singular: 'endpoints',
  shortNames: ['ep'],
  categories: [],
  namespaced: true,
  subresources: [],
  behaviour,
  columns: [
    nameColumn,
    column('Endpoints', 'Where the Service leads to.', (object) => text(as<Endpoints>(object).subsets ?? [])),
    ageColumn,
  ],
}

function validate(object: AnyObject, old: AnyObject | undefined): FieldError[] {
  const { subsets = [] } = as<Endpoints>(object)
  const unchanged = old !== undefined && isSemanticallyEqual(subsets, as<Endpoints>(old).subsets)
  return [
    ...validateMeta(object.metadata, { namespaced: true, name: problemsOfSubdomain }),
    ...(unchanged ? [] : subsets.flatMap((subset, index) => validateSubset(subset, `subsets[${index}]`))),
  ]
}

function validateSubset(subset: EndpointSubset, field: string): FieldError[] {
  const { addresses = [], notReadyAddresses = [], ports = [] } = subset
  const errors: FieldError[] = []
  if (addresses.length === 0 && notReadyAddresses.length === 0)
    errors.push(required(field, 'must specify `addresses` or `notReadyAddresses`'))
  for (const [name, list] of Object.entries({ addresses, notReadyAddresses }))
    for (const [index, address] of list.entries())
      errors.push(...validateEndpoint(address, `${field}.${name}[${index}]`))
  for (const [index, port] of ports.entries())
    errors.push(...validateEndpointPort(port, `${field}.ports[${index}]`, ports.length > 1))
  return errors
}

function validateEndpoint({ ip, hostname = '', nodeName }: EndpointAddress, field: string): FieldError[] {
  return [
    ...validateAddress(`${field}.ip`, ip),
    ...(hostname === '' ? [] : invalids(`${field}.hostname`, hostname, problemsOfLabel(hostname))),
    ...(nodeName === undefined ? [] : invalids(`${field}.nodeName`, nodeName, problemsOfSubdomain(nodeName))),
    ...validateReachable(`${field}.ip`, ip),
  ]
}

function validateEndpointPort(port: EndpointPort, field: string, named: boolean): FieldError[] {
  const { name = '', protocol, appProtocol } = port
  const errors: FieldError[] = []
  if (name !== '') errors.push(...invalids(`${field}.name`, name, problemsOfLabel(name)))
  else if (named) errors.push(required(`${field}.name`))
  errors.push(...validatePort(`${field}.port`, port.port))
  errors.push(...validateProtocol(`${field}.protocol`, protocol))
  if (appProtocol !== undefined)
    errors.push(...invalids(`${field}.appProtocol`, appProtocol, problemsOfQualifiedName(appProtocol)))
  return errors
}

function text(subsets: readonly EndpointSubset[]): string {
  if (subsets.length === 0) return '<none>'
  const all = subsets.flatMap(({ addresses = [], ports = [] }) =>
    ports.length === 0
      ? addresses.map(({ ip }) => ip)
      : ports.flatMap(({ port }) =>
          addresses.map(({ ip }) => (isAddress6(ip) ? `[${ip}]:${port}` : `${ip}:${port}`)),
        ),
  )
  return all.length > 3 ? `${all.slice(0, 3).join(',')} + ${all.length - 3} more...` : all.join(',')
}
