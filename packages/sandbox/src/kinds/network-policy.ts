import {
  type FieldError,
  forbidden,
  holdsGivenEmpty,
  invalid,
  notSupported,
  problemsOfSubdomain,
  required,
  validateMeta,
  validateMetaUpdate,
} from '@portcullis/schema'
import type {
  IPBlock,
  NetworkPolicyEgressRule,
  NetworkPolicyIngressRule,
  NetworkPolicyPeer,
  NetworkPolicyPort,
  NetworkPolicySpec,
} from 'kubernetes-types/networking/v1'
import type { Behaviour } from '../resource.ts'
import { containsNetwork, validateCidr, warningsAboutCidr } from './addresses.ts'
import { ageColumn, column, nameColumn } from './columns.ts'
import { type Kind, specOf } from './kind.ts'
import { selectorText, validateLabelSelector } from './label-selector.ts'
import { validatePort, validatePortOrName } from './ports.ts'
import { isSemanticallyEqual } from './semantic-equal.ts'

/** In the order in which the server lists them here, and not elsewhere. */
const protocols = ['TCP', 'UDP', 'SCTP'] as const

/** Policies are kept and checked, as everything is; the sandbox has no network between pods to hold to them. */
const behaviour: Behaviour = {
  defaults(object) {
    const spec = specOf<Partial<NetworkPolicySpec>>(object)
    spec.podSelector ??= {}
    for (const { ports = [] } of [...(spec.ingress ?? []), ...(spec.egress ?? [])])
      for (const port of ports) port.protocol ??= 'TCP'
    if ((spec.policyTypes ?? []).length > 0) return
    spec.policyTypes = (spec.egress ?? []).length > 0 ? ['Ingress', 'Egress'] : ['Ingress']
  },

  validate: (object) => [
    ...validateMeta(object.metadata, { namespaced: true, name: problemsOfSubdomain }),
    ...validateSpec(specOf<NetworkPolicySpec>(object), []),
  ],

  validateUpdate: (object, old) => [
    ...validateMetaUpdate(object.metadata, old.metadata),
    ...validateSpec(specOf<NetworkPolicySpec>(object), rangesIn(specOf<NetworkPolicySpec>(old))),
  ],

  /** Go compares these strictly: a list that is given empty is not one that is absent, as the stored one always is. */
  newGeneration: (object, old) => !isSemanticallyEqual(object.spec, old.spec) || holdsGivenEmpty(object.spec),

  warnings: (object) =>
    peersIn(specOf<NetworkPolicySpec>(object)).flatMap(({ peer: { ipBlock }, field }) => {
      if (ipBlock === undefined) return []
      const { cidr, except = [] } = ipBlock
      return [
        ...warningsAboutCidr(`${field}.ipBlock.cidr`, cidr),
        ...except.flatMap((range, index) => warningsAboutCidr(`${field}.ipBlock.except[${index}]`, range)),
      ]
    }),
}

export const networkPolicy: Kind = {
  group: 'networking.k8s.io',
  version: 'v1',
  kind: 'NetworkPolicy',
  plural: 'networkpolicies',
  singular: 'networkpolicy',
  shortNames: ['netpol'],
  categories: [],
  namespaced: true,
  subresources: [],
  behaviour,
  columns: [
    nameColumn,
    column(
      'Pod-Selector',
      'The pods that it is about.',
      (object) => selectorText(specOf<NetworkPolicySpec>(object).podSelector) || '<none>',
    ),
    ageColumn,
  ],
}

function validateSpec(spec: NetworkPolicySpec, rangesBefore: readonly string[]): FieldError[] {
  const { podSelector, ingress = [], egress = [], policyTypes = [] } = spec
  const errors = validateLabelSelector(podSelector, 'spec.podSelector')
  for (const [index, rule] of ingress.entries())
    errors.push(...validateRule(rule, `spec.ingress[${index}]`, rangesBefore))
  for (const [index, rule] of egress.entries())
    errors.push(...validateRule(rule, `spec.egress[${index}]`, rangesBefore))
  if (policyTypes.length > 2) {
    errors.push(invalid('spec.policyTypes', policyTypes, 'may not specify more than two policyTypes'))
    return errors
  }
  for (const [index, type] of policyTypes.entries())
    if (type !== 'Ingress' && type !== 'Egress')
      errors.push(notSupported(`spec.policyTypes[${index}]`, type, ['Ingress', 'Egress']))
  return errors
}

function validateRule(
  rule: NetworkPolicyIngressRule & NetworkPolicyEgressRule,
  field: string,
  rangesBefore: readonly string[],
): FieldError[] {
  const ports = (rule.ports ?? []).flatMap((port, index) =>
    validatePolicyPort(port, `${field}.ports[${index}]`),
  )
  const peers = peersOf(rule, field).flatMap(({ peer, field }) => validatePeer(peer, field, rangesBefore))
  return [...ports, ...peers]
}

function validatePolicyPort({ protocol, port, endPort }: NetworkPolicyPort, field: string): FieldError[] {
  const isKnown = protocol === undefined || protocols.some((one) => one === protocol)
  const errors = isKnown ? [] : [notSupported(`${field}.protocol`, protocol, protocols)]
  const end = `${field}.endPort`
  if (port === undefined)
    return endPort === undefined
      ? errors
      : [...errors, invalid(end, endPort, 'may not be specified when `port` is not specified')]
  if (typeof port === 'string') {
    if (endPort !== undefined)
      errors.push(invalid(end, endPort, 'may not be specified when `port` is non-numeric'))
    return [...errors, ...validatePortOrName(`${field}.port`, port)]
  }
  errors.push(...validatePort(`${field}.port`, port))
  if (endPort === undefined) return errors
  // Of the two the server quotes the port.
  if (endPort < port) errors.push(invalid(end, port, 'must be greater than or equal to `port`'))
  return [...errors, ...validatePort(end, endPort)]
}

function validatePeer(
  { podSelector, namespaceSelector, ipBlock }: NetworkPolicyPeer,
  field: string,
  rangesBefore: readonly string[],
): FieldError[] {
  const errors = [
    ...validateLabelSelector(podSelector, `${field}.podSelector`),
    ...validateLabelSelector(namespaceSelector, `${field}.namespaceSelector`),
    ...(ipBlock === undefined ? [] : validateIpBlock(ipBlock, `${field}.ipBlock`, rangesBefore)),
  ]
  const hasSelector = podSelector !== undefined || namespaceSelector !== undefined
  if (ipBlock === undefined) return hasSelector ? errors : [...errors, required(field, 'must specify a peer')]
  return hasSelector ? [...errors, forbidden(field, 'may not specify both ipBlock and another peer')] : errors
}

function validateIpBlock(
  { cidr = '', except = [] }: Partial<IPBlock>,
  field: string,
  before: readonly string[],
): FieldError[] {
  if (cidr === '') return [required(`${field}.cidr`)]
  const errors = validateCidr(`${field}.cidr`, cidr, before)
  for (const [index, range] of except.entries()) {
    const at = `${field}.except[${index}]`
    errors.push(...validateCidr(at, range, before))
    if (containsNetwork(cidr, range) === false)
      errors.push(invalid(at, range, 'must be a strict subset of `cidr`'))
  }
  return errors
}

interface PlacedPeer {
  readonly peer: NetworkPolicyPeer
  readonly field: string
}

function peersOf(
  { from, to }: NetworkPolicyIngressRule & NetworkPolicyEgressRule,
  field: string,
): readonly PlacedPeer[] {
  const place = (name: string) => (peer: NetworkPolicyPeer, index: number) => ({
    peer,
    field: `${field}.${name}[${index}]`,
  })
  return [...(from ?? []).map(place('from')), ...(to ?? []).map(place('to'))]
}

function peersIn({ ingress = [], egress = [] }: NetworkPolicySpec): readonly PlacedPeer[] {
  return [
    ...ingress.flatMap((rule, index) => peersOf(rule, `spec.ingress[${index}]`)),
    ...egress.flatMap((rule, index) => peersOf(rule, `spec.egress[${index}]`)),
  ]
}

/** What was there before may stay, however it is written, and wherever. */
function rangesIn(spec: NetworkPolicySpec): readonly string[] {
  return peersIn(spec).flatMap(({ peer: { ipBlock } }) =>
    ipBlock === undefined ? [] : [ipBlock.cidr, ...(ipBlock.except ?? [])],
  )
}
