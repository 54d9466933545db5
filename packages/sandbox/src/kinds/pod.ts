import { timestamp } from '@portcullis/kube'
import {
  type AnyObject,
  compareQuantities,
  type FieldError,
  forbidden,
  immutable,
  invalid,
  invalids,
  nanosOf,
  problemsOfQualifiedName,
  problemsOfSubdomain,
  validateMeta,
  validateMetaUpdate,
} from '@portcullis/schema'
import type {
  Container,
  PodSpec,
  PodStatus,
  ResourceRequirements,
  Toleration,
} from 'kubernetes-types/core/v1'
import type { Behaviour } from '../resource.ts'
import { familyOf, validateAddress } from './addresses.ts'
import { type Kind, specOf, statusOf } from './kind.ts'
import { podColumns } from './pod-columns.ts'
import { validatePodSpec } from './pod-spec.ts'
import { allContainers, setPodDefaults, setPodSpecDefaults } from './pod-spec-defaults.ts'
import { podSpecWarnings } from './pod-warnings.ts'
import { isSemanticallyEqual } from './semantic-equal.ts'

/** Pods leave a node that is gone after five minutes, unless they say otherwise. */
const patience = 300

const updatable = [
  '`spec.containers[*].image`',
  '`spec.initContainers[*].image`',
  '`spec.activeDeadlineSeconds`',
  '`spec.tolerations` (only additions to existing tolerations)',
  '`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)',
].join(',')

/** As on the real test bed, no admission puts service accounts and their tokens into pods. */
const behaviour: Behaviour = {
  defaults(object) {
    const spec = specOf<PodSpec>(object)
    setPodSpecDefaults(spec)
    setPodDefaults(spec)
    statusOf(object)
  },

  refusal: (object) => priorityRefusal(specOf<PodSpec>(object)),

  prepareCreate(object) {
    const spec = specOf<PodSpec>(object)
    if ((spec.terminationGracePeriodSeconds ?? 0) < 0) spec.terminationGracePeriodSeconds = 1
    setPriority(spec)
    addDefaultTolerations(spec)
    const gated = (spec.schedulingGates ?? []).length > 0
    object.status = {
      phase: 'Pending',
      qosClass: qualityOf(spec),
      ...(gated ? { conditions: [gatedCondition] } : {}),
    }
  },

  prepareUpdate(object) {
    addDefaultTolerations(specOf<PodSpec>(object))
  },

  prepareStatusUpdate(object, old) {
    const status = statusOf<PodStatus>(object)
    const { qosClass } = statusOf<PodStatus>(old)
    if (!status.qosClass && qosClass !== undefined) status.qosClass = qosClass
    const { ownerReferences } = old.metadata
    if (ownerReferences === undefined) delete object.metadata.ownerReferences
    else object.metadata.ownerReferences = ownerReferences
    setAddresses(status)
  },

  validate(object) {
    const spec = specOf<PodSpec>(object)
    const errors = validatePod(object)
    if ((spec.ephemeralContainers ?? []).length > 0)
      errors.push(forbidden('spec.ephemeralContainers', 'cannot be set on create'))
    if (spec.nodeName && (spec.schedulingGates ?? []).length > 0)
      errors.push(forbidden('spec.nodeName', 'cannot be set until all schedulingGates have been cleared'))
    return errors
  },

  validateUpdate: (object, old) => [
    ...validateMetaUpdate(object.metadata, old.metadata),
    ...validatePod(object),
    ...validateSpecUpdate(specOf<PodSpec>(object), specOf<PodSpec>(old)),
  ],

  validateStatusUpdate: (object, old) => [
    ...validateMetaUpdate(object.metadata, old.metadata),
    ...validateStatusUpdate(statusOf<PodStatus>(object), statusOf<PodStatus>(old), specOf<PodSpec>(old)),
  ],

  /** Not on updates: they are the work of programs, and many. */
  warnings: (object, old) => (old === undefined ? podSpecWarnings(specOf<PodSpec>(object), 'spec') : []),

  selectableFields(object) {
    const spec = specOf<PodSpec>(object)
    const status = statusOf<PodStatus>(object)
    return {
      'spec.nodeName': spec.nodeName ?? '',
      'spec.restartPolicy': spec.restartPolicy ?? '',
      'spec.schedulerName': spec.schedulerName ?? '',
      'spec.serviceAccountName': spec.serviceAccountName ?? '',
      'spec.hostNetwork': String(spec.hostNetwork ?? false),
      'status.phase': status.phase ?? '',
      'status.podIP': status.podIPs?.[0]?.ip ?? '',
      // May be asked for, and never says anything.
      'status.podIPs': '',
      'status.nominatedNodeName': status.nominatedNodeName ?? '',
    }
  },

  /** A pod that is not scheduled, or has ended, is deleted at once. */
  gracePeriodSeconds(object) {
    const { nodeName, terminationGracePeriodSeconds = 0 } = specOf<PodSpec>(object)
    const { phase } = statusOf<PodStatus>(object)
    if (!nodeName || phase === 'Failed' || phase === 'Succeeded') return 0
    return terminationGracePeriodSeconds < 0 ? 1 : terminationGracePeriodSeconds
  },

  returnsDeleted: true,
}

export const pod: Kind = {
  group: '',
  version: 'v1',
  kind: 'Pod',
  plural: 'pods',
  singular: 'pod',
  shortNames: ['po'],
  categories: ['all'],
  namespaced: true,
  subresources: ['status', 'binding', 'log'],
  behaviour,
  columns: podColumns,
}

/**
 * What the scheduler does through `binding`: the pod gets its node, once. Returns why not, which the server answers
 * as a Conflict on `pods/binding`.
 */
export function bind(object: AnyObject, node: string, now: Date): string | undefined {
  const spec = specOf<PodSpec>(object)
  const { name, deletionTimestamp } = object.metadata
  if (deletionTimestamp !== undefined) return `pod ${name} is being deleted, cannot be assigned to a host`
  if (spec.nodeName) return `pod ${name} is already assigned to node "${spec.nodeName}"`
  if ((spec.schedulingGates ?? []).length > 0) return `pod ${name} has non-empty .spec.schedulingGates`
  spec.nodeName = node
  const status = statusOf<PodStatus>(object)
  const scheduled = {
    type: 'PodScheduled',
    status: 'True',
    lastProbeTime: null as unknown as string,
    lastTransitionTime: timestamp(now),
  }
  status.conditions = [...(status.conditions ?? []).filter(({ type }) => type !== 'PodScheduled'), scheduled]
  return undefined
}

/** What kind of service the scheduler and the kubelet owe to a pod. */
export function qualityOf(spec: PodSpec): 'Guaranteed' | 'Burstable' | 'BestEffort' {
  const names = ['cpu', 'memory'] as const
  let any = false
  let guaranteed = true
  // Where the pod as a whole says what it needs, its containers do not matter.
  const whole = (spec as { resources?: ResourceRequirements }).resources
  const parts = whole === undefined ? allContainers(spec) : [{ resources: whole }]
  for (const { resources = {} } of parts) {
    for (const name of names) {
      const request = resources.requests?.[name]
      const limit = resources.limits?.[name]
      const hasRequest = request !== undefined && nanosOf(request) !== 0n
      const hasLimit = limit !== undefined && nanosOf(limit) !== 0n
      any ||= hasRequest || hasLimit
      guaranteed &&= hasLimit && (!hasRequest || compareQuantities(request, limit) === 0)
    }
  }
  if (!any) return 'BestEffort'
  return guaranteed ? 'Guaranteed' : 'Burstable'
}

const gatedCondition = {
  type: 'PodScheduled',
  status: 'False',
  reason: 'SchedulingGated',
  message: 'Scheduling is blocked due to non-empty scheduling gates',
  lastProbeTime: null,
  lastTransitionTime: null,
}

/** The two classes that every cluster has. */
const priorities = new Map([
  ['', 0],
  ['system-node-critical', 2000001000],
  ['system-cluster-critical', 2000000000],
])

function priorityRefusal({
  priorityClassName: name = '',
  priority,
  preemptionPolicy,
}: PodSpec): string | undefined {
  const computed = priorities.get(name)
  if (computed === undefined) return `no PriorityClass with name ${name} was found`
  const instead = (value: string | number) =>
    `must not be provided in pod spec; priority admission controller computed ${value} from the given PriorityClass name`
  if (priority !== undefined && priority !== computed)
    return `the integer value of priority (${priority}) ${instead(computed)}`
  if (preemptionPolicy !== undefined && preemptionPolicy !== 'PreemptLowerPriority')
    return `the string value of PreemptionPolicy (${preemptionPolicy}) ${instead('PreemptLowerPriority')}`
  return undefined
}

function setPriority(spec: PodSpec): void {
  spec.priority = priorities.get(spec.priorityClassName ?? '') ?? 0
  spec.preemptionPolicy ??= 'PreemptLowerPriority'
}

function addDefaultTolerations(spec: PodSpec): void {
  const tolerations = spec.tolerations ?? []
  const missing = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'].filter(
    (taint) =>
      !tolerations.some(
        ({ key = '', effect = '' }) =>
          (key === taint || key === '') && (effect === 'NoExecute' || effect === ''),
      ),
  )
  if (missing.length === 0) return
  spec.tolerations = [
    ...tolerations,
    ...missing.map((key) => ({ key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: patience })),
  ]
}

function validatePod(object: AnyObject): FieldError[] {
  return [
    ...validateMeta(object.metadata, { namespaced: true, name: problemsOfSubdomain }),
    ...validatePodSpec(specOf<PodSpec>(object), 'spec', true),
  ]
}

/** Of a pod that is there, hardly more than its images may change. */
function validateSpecUpdate(spec: PodSpec, old: PodSpec): FieldError[] {
  const errors: FieldError[] = []
  for (const part of ['containers', 'initContainers'] as const) {
    const now = spec[part] ?? []
    const before = old[part] ?? []
    if (now.length !== before.length)
      return [...errors, forbidden(`spec.${part}`, 'pod updates may not add or remove containers')]
    errors.push(
      ...now.flatMap((container, index) => validateImage(container, `spec.${part}[${index}].image`)),
    )
  }
  const deadline = spec.activeDeadlineSeconds
  const before = old.activeDeadlineSeconds
  if (deadline !== undefined && before !== undefined && before < deadline)
    return [
      ...errors,
      invalid('spec.activeDeadlineSeconds', deadline, 'must be less than or equal to previous value'),
    ]
  if (deadline === undefined && before !== undefined)
    errors.push(
      invalid('spec.activeDeadlineSeconds', null, 'must not update from a positive integer to nil value'),
    )
  errors.push(...validateAddedTolerations(spec.tolerations ?? [], old.tolerations ?? []))
  if (isSemanticallyEqual(withUpdatesOf(spec, old), old)) return errors
  return [...errors, forbidden('spec', `pod updates may not change fields other than ${updatable}\n`)]
}

function validateImage({ image = '' }: Container, field: string): FieldError[] {
  return image === image.trim() ? [] : [invalid(field, image, 'must not have leading or trailing whitespace')]
}

function validateAddedTolerations(now: readonly Toleration[], before: readonly Toleration[]): FieldError[] {
  const kept = before.every((old) =>
    now.some((one) =>
      isSemanticallyEqual({ ...one, tolerationSeconds: 0 }, { ...old, tolerationSeconds: 0 }),
    ),
  )
  return kept
    ? []
    : [forbidden('spec.tolerations', 'existing toleration can not be modified except its tolerationSeconds')]
}

/** The new spec with all that may change put back. */
function withUpdatesOf(spec: PodSpec, old: PodSpec): PodSpec {
  const munged = structuredClone(spec)
  for (const part of ['containers', 'initContainers'] as const)
    for (const [index, container] of (munged[part] ?? []).entries()) {
      const image = old[part]?.[index]?.image
      if (image !== undefined) container.image = image
    }
  return {
    ...munged,
    activeDeadlineSeconds: old.activeDeadlineSeconds,
    tolerations: old.tolerations,
    schedulingGates: old.schedulingGates,
    ...((old.terminationGracePeriodSeconds ?? 0) < 0 && munged.terminationGracePeriodSeconds === 1
      ? { terminationGracePeriodSeconds: old.terminationGracePeriodSeconds }
      : {}),
  } as PodSpec
}

function validateStatusUpdate(status: PodStatus, old: PodStatus, spec: PodSpec): FieldError[] {
  const errors = (status.conditions ?? []).flatMap(({ type }, index) =>
    invalids(`status.conditions[${index}].Type`, type, problemsOfQualifiedName(type)),
  )
  const nominated = status.nominatedNodeName ?? ''
  if (nominated !== '' && nominated !== old.nominatedNodeName) {
    errors.push(...invalids('status.nominatedNodeName', nominated, problemsOfSubdomain(nominated)))
    if (spec.nodeName)
      errors.push(
        forbidden('status.nominatedNodeName', 'may not be set on pods that are already bound to a node'),
      )
  }
  if ((status.qosClass ?? '') !== (old.qosClass ?? ''))
    errors.push(invalid('status.qosClass', status.qosClass ?? '', immutable))
  if (spec.restartPolicy !== 'Always')
    for (const [index, { name, state }] of (old.containerStatuses ?? []).entries()) {
      const code = state?.terminated?.exitCode
      const may = code === undefined || (code !== 0 && spec.restartPolicy === 'OnFailure')
      const now = status.containerStatuses?.find((one) => one.name === name)
      if (!may && now !== undefined && now.state?.terminated === undefined)
        errors.push(
          forbidden(
            `status.containerStatuses[${index}].state`,
            'may not be transitioned to non-terminated state',
          ),
        )
    }
  for (const part of ['podIPs', 'hostIPs'] as const) {
    const field = `status.${part}`
    const addresses = (status[part] ?? []).map(({ ip = '' }) => ip)
    const before = (old[part] ?? []).map(({ ip = '' }) => ip)
    if (part === 'hostIPs' && addresses[0] !== undefined && addresses[0] !== (status.hostIP ?? ''))
      errors.push(invalid(`${field}[0].ip`, addresses[0], 'must be equal to `hostIP`'))
    for (const [index, address] of addresses.entries())
      errors.push(...validateAddress(`${field}[${index}]`, address, before))
    if (addresses.length > 1 && new Set(addresses.map(familyOf)).size < addresses.length)
      errors.push(
        invalid(
          field,
          addresses.map((IP) => ({ IP })),
          'may specify no more than one IP for each IP family',
        ),
      )
  }
  return errors
}

/** One address in two fields, for clients that know one of them only. */
function setAddresses(status: PodStatus): void {
  const [first] = status.podIPs ?? []
  if (status.podIP && first?.ip !== status.podIP) status.podIPs = [{ ip: status.podIP }]
  else if (first?.ip && !status.podIP) status.podIP = first.ip
}
