import {
  type AnyObject,
  duplicate,
  type FieldError,
  forbidden,
  invalid,
  invalids,
  nanosOf,
  problemsOfLabelValue,
  problemsOfQualifiedName,
  problemsOfSubdomain,
  validateMeta,
  validateMetaUpdate,
} from '@portcullis/schema'
import type { NodeSpec, NodeStatus, Taint } from 'kubernetes-types/core/v1'
import type { Behaviour } from '../resource.ts'
import { familyOf, validateCidr } from './addresses.ts'
import { ageColumn, column, nameColumn } from './columns.ts'
import { type Kind, specOf, statusOf } from './kind.ts'
import { validateTaintEffect } from './pod-spec.ts'
import { roundUpAmounts } from './resource-list.ts'

const rolePrefix = 'node-role.kubernetes.io/'
const notReady = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' }

const behaviour: Behaviour = {
  keepsStatusOnCreate: true,
  defaults: setDefaults,

  /** A new node takes no pods until someone has seen it ready. */
  prepareCreate(object) {
    setDefaults(object)
    dropUnused(object)
    const spec = specOf<NodeSpec>(object)
    const taints = spec.taints ?? []
    if (taints.some(({ key, effect }) => key === notReady.key && effect === notReady.effect)) return
    spec.taints = [...taints, { ...notReady }]
  },

  prepareStatusUpdate: dropUnused,

  validate,

  validateUpdate: (object, old) => [...validate(object), ...validateUpdate(object, old)],
  validateStatusUpdate: (object, old) => [...validate(object), ...validateUpdate(object, old)],

  selectableFields: (object) => ({
    'spec.unschedulable': String(specOf<NodeSpec>(object).unschedulable ?? false),
  }),

  keepsGeneration: false,
}

export const node: Kind = {
  group: '',
  version: 'v1',
  kind: 'Node',
  plural: 'nodes',
  singular: 'node',
  shortNames: ['no'],
  categories: [],
  namespaced: false,
  subresources: ['status'],
  behaviour,
  columns: [
    nameColumn,
    column('Status', 'Whether it is ready for pods.', statusText),
    column('Roles', 'What it is for.', rolesText),
    ageColumn,
    column(
      'Version',
      'The version of its kubelet.',
      (object) => statusOf<NodeStatus>(object).nodeInfo?.kubeletVersion ?? '',
    ),
    column('Internal-IP', 'Its address in the cluster.', addressText('InternalIP'), { priority: 1 }),
    column('External-IP', 'Its address outside.', addressText('ExternalIP'), { priority: 1 }),
    column('OS-Image', 'Its operating system.', (object) => info(object, 'osImage'), { priority: 1 }),
    column('Kernel-Version', 'Its kernel.', kernelText, { priority: 1 }),
    column(
      'Container-Runtime',
      'What runs its containers.',
      (object) => info(object, 'containerRuntimeVersion'),
      {
        priority: 1,
      },
    ),
  ],
}

const nothingKnown = {
  architecture: '',
  bootID: '',
  containerRuntimeVersion: '',
  kernelVersion: '',
  kubeProxyVersion: '',
  kubeletVersion: '',
  machineID: '',
  operatingSystem: '',
  osImage: '',
  systemUUID: '',
}

/** Where kubelets once reported their dynamic configuration: no node may begin to use it. */
function dropUnused(object: AnyObject): void {
  delete statusOf<NodeStatus>(object).config
}

function setDefaults(object: AnyObject): void {
  const spec = specOf<NodeSpec>(object)
  const status = statusOf<NodeStatus>(object)
  roundUpAmounts(status.capacity)
  roundUpAmounts(status.allocatable)
  if (status.allocatable === undefined && status.capacity !== undefined)
    status.allocatable = { ...status.capacity }
  status.daemonEndpoints ??= { kubeletEndpoint: { Port: 0 } }
  status.nodeInfo ??= { ...nothingKnown }
  // One range in two fields, for clients that know one of them only.
  if (spec.podCIDR && spec.podCIDRs?.[0] !== spec.podCIDR) spec.podCIDRs = [spec.podCIDR]
  else if (spec.podCIDRs?.[0] && !spec.podCIDR) spec.podCIDR = spec.podCIDRs[0]
}

function validate(object: AnyObject): FieldError[] {
  const { taints = [], podCIDRs = [] } = specOf<NodeSpec>(object)
  const errors = [
    ...validateMeta(object.metadata, { namespaced: false, name: problemsOfSubdomain }),
    ...validateTaints(taints),
    ...validateResources(statusOf<NodeStatus>(object)),
    ...podCIDRs.flatMap((range, index) => validateCidr(`spec.podCIDRs[${index}]`, range)),
  ]
  const broken = podCIDRs.findIndex((range) => validateCidr('', range).length > 0)
  if (podCIDRs.length > 1 && broken >= 0) {
    const problem = `invalid CIDR[${broken}]: <nil> (invalid CIDR address: ${podCIDRs[broken]})`
    const message = `Internal error: invalid PodCIDRs. failed to check with dual stack with error:${problem}`
    errors.push({ reason: 'InternalError', field: 'spec.podCIDRs', message })
  }
  const families = new Set(podCIDRs.map((range) => familyOf(range.split('/')[0] ?? '')))
  if (podCIDRs.length > 1 && families.size < podCIDRs.length)
    errors.push(invalid('spec.podCIDRs', podCIDRs, 'may specify no more than one CIDR for each IP family'))
  return errors
}

function validateUpdate(object: AnyObject, old: AnyObject): FieldError[] {
  const spec = specOf<NodeSpec>(object)
  const before = specOf<NodeSpec>(old)
  const status = statusOf<NodeStatus>(object)
  const errors = [...validateMetaUpdate(object.metadata, old.metadata), ...validateResources(status)]
  const seen = new Set<string>()
  for (const [index, { type, address }] of (status.addresses ?? []).entries()) {
    const key = `${type} ${address}`
    if (seen.has(key)) errors.push(duplicate(`status.addresses[${index}]`, { Type: type, Address: address }))
    seen.add(key)
  }
  const ranges = before.podCIDRs ?? []
  const fixed = (what: string) => `node updates may not change ${what} except from "" to valid`
  if (ranges.length > 0 && ranges.length !== (spec.podCIDRs ?? []).length)
    errors.push(forbidden('spec.podCIDRs', fixed('podCIDR')))
  else
    for (const [index, range] of ranges.entries())
      if (range !== spec.podCIDRs?.[index]) errors.push(forbidden('spec.podCIDRs', fixed('podCIDR')))
  if (before.providerID && before.providerID !== spec.providerID)
    errors.push(forbidden('spec.providerID', fixed('providerID')))
  return [...errors, ...validateTaints(spec.taints ?? [])]
}

/** The server looks for taints under `metadata` in these messages. */
function validateTaints(taints: readonly Taint[]): FieldError[] {
  const seen = new Set<string>()
  return taints.flatMap(({ key, value = '', effect }, index) => {
    const field = `metadata.taints[${index}]`
    const errors = invalids(`${field}.key`, key, problemsOfQualifiedName(key))
    const problems = problemsOfLabelValue(value)
    if (problems.length > 0) errors.push(invalid(`${field}.value`, value, problems.join(';')))
    errors.push(...validateTaintEffect(effect ?? '', `${field}.effect`))
    const pair = `${key} ${effect}`
    if (seen.has(pair)) {
      const { message, ...rest } = duplicate(field, {
        Key: key,
        Value: value,
        Effect: effect,
        TimeAdded: null,
      })
      errors.push({ ...rest, message: `${message}: taints must be unique by key and effect pair` })
    }
    seen.add(pair)
    return errors
  })
}

function validateResources({ capacity, allocatable }: NodeStatus): FieldError[] {
  return Object.entries({ capacity, allocatable }).flatMap(([list, amounts]) =>
    Object.entries(amounts ?? {}).flatMap(([name, amount]) =>
      nanosOf(amount) < 0n
        ? [invalid(`status.${list}.${name}`, amount, 'must be greater than or equal to 0')]
        : [],
    ),
  )
}

function statusText(object: AnyObject): string {
  const ready = statusOf<NodeStatus>(object).conditions?.findLast(({ type }) => type === 'Ready')
  const words = [ready === undefined ? 'Unknown' : ready.status === 'True' ? 'Ready' : 'NotReady']
  if (specOf<NodeSpec>(object).unschedulable) words.push('SchedulingDisabled')
  return words.join(',')
}

function rolesText({ metadata: { labels = {} } }: AnyObject): string {
  const roles = Object.entries(labels).flatMap(([key, value]) => {
    if (key.startsWith(rolePrefix)) return [key.slice(rolePrefix.length)]
    return key === 'kubernetes.io/role' ? [value] : []
  })
  return [...new Set(roles.filter((role) => role !== ''))].sort().join(',') || '<none>'
}

function addressText(wanted: string) {
  return (object: AnyObject) =>
    statusOf<NodeStatus>(object).addresses?.find(({ type }) => type === wanted)?.address ?? '<none>'
}

function info(object: AnyObject, part: 'osImage' | 'kernelVersion' | 'containerRuntimeVersion'): string {
  return statusOf<NodeStatus>(object).nodeInfo?.[part] || '<unknown>'
}

function kernelText(object: AnyObject): string {
  const architecture = statusOf<NodeStatus>(object).nodeInfo?.architecture
  return `${info(object, 'kernelVersion')}${architecture ? ` (${architecture})` : ''}`
}
