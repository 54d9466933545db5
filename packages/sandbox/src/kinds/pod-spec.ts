import {
  duplicate,
  type FieldError,
  forbidden,
  invalid,
  invalids,
  notSupported,
  problemsOfLabel,
  problemsOfLabelValue,
  problemsOfQualifiedName,
  problemsOfSubdomain,
  required,
  validateLabels,
} from '@portcullis/schema'
import type {
  Affinity,
  NodeSelectorRequirement,
  NodeSelectorTerm,
  PodAffinityTerm,
  PodSchedulingGate,
  PodSpec,
  Toleration,
  TopologySpreadConstraint,
  Volume,
} from 'kubernetes-types/core/v1'
import { validateAddress } from './addresses.ts'
import { validateContainers } from './containers.ts'
import { validateLabelSelector } from './label-selector.ts'

const effects = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'] as const

/** What is checked of a pod spec, in a pod or in a template. */
export function validatePodSpec(spec: PodSpec, field: string, inPod: boolean): FieldError[] {
  const errors: FieldError[] = []
  const { volumes, errors: volumeErrors } = validateVolumes(spec.volumes ?? [], `${field}.volumes`)
  errors.push(...volumeErrors)
  errors.push(...validateContainers(spec, field, volumes))
  errors.push(...validateHostNetwork(spec, field, inPod))
  const { restartPolicy = '', dnsPolicy = '' } = spec
  if (!['Always', 'OnFailure', 'Never'].includes(restartPolicy))
    errors.push(notSupported(`${field}.restartPolicy`, restartPolicy, ['Always', 'OnFailure', 'Never']))
  const dnsPolicies = ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None']
  if (!dnsPolicies.includes(dnsPolicy))
    errors.push(notSupported(`${field}.dnsPolicy`, dnsPolicy, dnsPolicies))
  errors.push(...validateLabels(spec.nodeSelector, `${field}.nodeSelector`))
  if (spec.shareProcessNamespace && spec.hostPID)
    errors.push(
      invalid(
        `${field}.securityContext.shareProcessNamespace`,
        true,
        'ShareProcessNamespace and HostPID cannot both be enabled',
      ),
    )
  errors.push(...validateAffinity(spec.affinity ?? {}, `${field}.affinity`))
  errors.push(...validateDns(spec, `${field}.dnsConfig`))
  errors.push(...validateGates(spec.schedulingGates ?? [], `${field}.schedulingGates`))
  errors.push(...validateSpread(spec.topologySpreadConstraints ?? [], `${field}.topologySpreadConstraints`))
  for (const part of ['serviceAccountName', 'nodeName'] as const)
    if (spec[part]) errors.push(...invalids(`${field}.${part}`, spec[part], problemsOfSubdomain(spec[part])))
  const deadline = spec.activeDeadlineSeconds
  if (deadline !== undefined && (deadline < 1 || deadline > 2147483647))
    errors.push(
      invalid(`${field}.activeDeadlineSeconds`, deadline, 'must be between 1 and 2147483647, inclusive'),
    )
  for (const part of ['hostname', 'subdomain'] as const)
    if (spec[part]) errors.push(...invalids(`${field}.${part}`, spec[part], problemsOfLabel(spec[part])))
  errors.push(...validateTolerations(spec.tolerations ?? [], `${field}.tolerations`))
  if (spec.priorityClassName)
    errors.push(
      ...invalids(
        `${field}.priorityClassName`,
        spec.priorityClassName,
        problemsOfSubdomain(spec.priorityClassName),
      ),
    )
  return errors
}

function validateDns({ dnsPolicy, dnsConfig }: PodSpec, field: string): FieldError[] {
  const servers = dnsConfig?.nameservers ?? []
  if (dnsPolicy === 'None') {
    if (dnsConfig === undefined) return [required(field, 'must provide `dnsConfig` when `dnsPolicy` is None')]
    if (servers.length === 0)
      return [
        required(`${field}.nameservers`, 'must provide at least one DNS nameserver when `dnsPolicy` is None'),
      ]
  }
  return [
    ...(servers.length > 3
      ? [invalid(`${field}.nameservers`, servers, 'must not have more than 3 nameservers')]
      : []),
    ...servers.flatMap((server, index) => validateAddress(`${field}.nameservers[${index}]`, server)),
  ]
}

function validateGates(gates: readonly PodSchedulingGate[], field: string): FieldError[] {
  return gates.flatMap(({ name }, index) => [
    ...invalids(`${field}[${index}]`, name, problemsOfQualifiedName(name)),
    ...(gates.findIndex((gate) => gate.name === name) < index ? [duplicate(`${field}[${index}]`, name)] : []),
  ])
}

function validateSpread(constraints: readonly TopologySpreadConstraint[], field: string): FieldError[] {
  return constraints.flatMap(
    ({ maxSkew, topologyKey, whenUnsatisfiable: otherwise, labelSelector }, index) => {
      const at = `${field}[${index}]`
      const choices = ['DoNotSchedule', 'ScheduleAnyway']
      return [
        ...(maxSkew > 0 ? [] : [invalid(`${at}.maxSkew`, maxSkew, 'must be greater than zero')]),
        ...(topologyKey === '' ? [required(`${at}.topologyKey`, 'can not be empty')] : []),
        ...(choices.includes(otherwise) ? [] : [notSupported(`${at}.whenUnsatisfiable`, otherwise, choices)]),
        ...validateLabelSelector(labelSelector, `${at}.labelSelector`),
      ]
    },
  )
}

export function validateTaintEffect(effect: string, field: string): FieldError[] {
  if (effect === '') return [required(field)]
  return effects.some((one) => one === effect) ? [] : [notSupported(field, effect, effects)]
}

export function validateTolerations(tolerations: readonly Toleration[], field: string): FieldError[] {
  return tolerations.flatMap(
    ({ key = '', operator = '', value = '', effect = '', tolerationSeconds }, index) => {
      const at = `${field}[${index}]`
      const errors = key === '' ? [] : invalids(`${at}.key`, key, problemsOfQualifiedName(key))
      if (key === '' && operator !== 'Exists')
        errors.push(
          invalid(
            `${at}.operator`,
            operator,
            'operator must be Exists when `key` is empty, which means "match all values and all keys"',
          ),
        )
      if (tolerationSeconds !== undefined && effect !== 'NoExecute')
        errors.push(
          invalid(`${at}.effect`, effect, "effect must be 'NoExecute' when `tolerationSeconds` is set"),
        )
      if (operator === 'Equal' || operator === '') {
        const problems = problemsOfLabelValue(value)
        if (problems.length > 0) errors.push(invalid(`${at}.operator`, value, problems.join(';')))
      } else if (operator === 'Exists') {
        if (value !== '')
          errors.push(invalid(`${at}.operator`, value, "value must be empty when `operator` is 'Exists'"))
      } else {
        const compares = operator === 'Lt' || operator === 'Gt'
        const known = compares ? ['Equal', 'Exists', 'Lt', 'Gt'] : ['Equal', 'Exists']
        errors.push(notSupported(`${at}.operator`, operator, known))
      }
      return effect === '' ? errors : [...errors, ...validateTaintEffect(effect, `${at}.effect`)]
    },
  )
}

function validateVolumes(
  volumes: readonly Volume[],
  field: string,
): { volumes: Set<string>; errors: FieldError[] } {
  const names = new Set<string>()
  const errors: FieldError[] = []
  for (const [index, volume] of volumes.entries()) {
    const at = `${field}[${index}]`
    const { name } = volume
    const wrong = validateVolumeSource(volume, at)
    if (name === '') wrong.push(required(`${at}.name`))
    else wrong.push(...invalids(`${at}.name`, name, problemsOfLabel(name)))
    if (names.has(name)) wrong.push(duplicate(`${at}.name`, name))
    if (wrong.length === 0) names.add(name)
    errors.push(...wrong)
  }
  return { volumes: names, errors }
}

function validateVolumeSource(volume: Volume, field: string): FieldError[] {
  const sources = Object.keys(volume).filter((key) => key !== 'name')
  const [first = ''] = sources
  const errors = sources
    .slice(1)
    .map((source) => forbidden(`${field}.${source}`, 'may not specify more than 1 volume type'))
  if (first === 'hostPath' && !volume.hostPath?.path) errors.push(required(`${field}.hostPath.path`))
  if (first === 'hostPath' && (volume.hostPath?.path ?? '').split('/').includes('..'))
    errors.push(invalid(`${field}.hostPath.path`, volume.hostPath?.path, "must not contain '..'"))
  if (first === 'secret' && !volume.secret?.secretName) errors.push(required(`${field}.secret.secretName`))
  if (first === 'configMap' && !volume.configMap?.name) errors.push(required(`${field}.configMap.name`))
  if (first === 'persistentVolumeClaim' && !volume.persistentVolumeClaim?.claimName)
    errors.push(required(`${field}.persistentVolumeClaim.claimName`))
  return errors
}

function validateHostNetwork(spec: PodSpec, field: string, inPod: boolean): FieldError[] {
  if (spec.hostNetwork !== true) return []
  return (spec.containers ?? []).flatMap(({ ports = [] }, index) =>
    ports.flatMap(({ hostPort = 0, containerPort }, position) =>
      (inPod || hostPort !== 0) && hostPort !== containerPort
        ? [
            invalid(
              `${field}.containers[${index}].ports[${position}].hostPort`,
              hostPort,
              'must match `containerPort` when `hostNetwork` is true',
            ),
          ]
        : [],
    ),
  )
}

function validateAffinity(
  { nodeAffinity, podAffinity, podAntiAffinity }: Affinity,
  field: string,
): FieldError[] {
  const errors: FieldError[] = []
  const must = 'requiredDuringSchedulingIgnoredDuringExecution'
  const should = 'preferredDuringSchedulingIgnoredDuringExecution'
  if (nodeAffinity !== undefined) {
    const at = `${field}.nodeAffinity`
    const terms = nodeAffinity[must]?.nodeSelectorTerms
    if (nodeAffinity[must] !== undefined && (terms ?? []).length === 0)
      errors.push(required(`${at}.${must}.nodeSelectorTerms`, 'must have at least one node selector term'))
    for (const [index, term] of (terms ?? []).entries())
      errors.push(...validateNodeTerm(term, `${at}.${must}.nodeSelectorTerms[${index}]`))
    for (const [index, { weight, preference }] of (nodeAffinity[should] ?? []).entries()) {
      const term = `${at}.${should}[${index}]`
      if (weight <= 0 || weight > 100)
        errors.push(invalid(`${term}.weight`, weight, 'must be in the range 1-100'))
      errors.push(...validateNodeTerm(preference, `${term}.preference`))
    }
  }
  for (const [name, affinity] of [
    ['podAffinity', podAffinity],
    ['podAntiAffinity', podAntiAffinity],
  ] as const) {
    for (const [index, term] of (affinity?.[must] ?? []).entries())
      errors.push(...validatePodTerm(term, `${field}.${name}.${must}[${index}]`))
    for (const [index, { weight, podAffinityTerm }] of (affinity?.[should] ?? []).entries()) {
      const at = `${field}.${name}.${should}[${index}]`
      if (weight <= 0 || weight > 100)
        errors.push(invalid(`${at}.weight`, weight, 'must be in the range 1-100'))
      errors.push(...validatePodTerm(podAffinityTerm, `${at}.podAffinityTerm`))
    }
  }
  return errors
}

function validateNodeTerm({ matchExpressions = [] }: NodeSelectorTerm, field: string): FieldError[] {
  return matchExpressions.flatMap((one, index) =>
    validateNodeRequirement(one, `${field}.matchExpressions[${index}]`),
  )
}

function validateNodeRequirement(
  { key, operator, values = [] }: NodeSelectorRequirement,
  field: string,
): FieldError[] {
  const errors: FieldError[] = []
  if (operator === 'In' || operator === 'NotIn') {
    if (values.length === 0)
      errors.push(required(`${field}.values`, "must be specified when `operator` is 'In' or 'NotIn'"))
  } else if (operator === 'Exists' || operator === 'DoesNotExist') {
    if (values.length > 0)
      errors.push(
        forbidden(`${field}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"),
      )
  } else if (operator === 'Gt' || operator === 'Lt') {
    if (values.length !== 1)
      errors.push(
        required(`${field}.values`, "must be specified single value when `operator` is 'Lt' or 'Gt'"),
      )
  } else errors.push(invalid(`${field}.operator`, operator, 'not a valid selector operator'))
  errors.push(...invalids(`${field}.key`, key, problemsOfQualifiedName(key)))
  for (const [index, value] of values.entries())
    errors.push(...invalids(`${field}.values[${index}]`, value, problemsOfLabelValue(value)))
  return errors
}

function validatePodTerm(term: PodAffinityTerm, field: string): FieldError[] {
  const { labelSelector, namespaceSelector, namespaces = [], topologyKey } = term
  return [
    ...validateLabelSelector(labelSelector, `${field}.labelSelector`),
    ...validateLabelSelector(namespaceSelector, `${field}.namespaceSelector`),
    ...namespaces.flatMap((name) => invalids(`${field}.namespace`, name, problemsOfLabel(name))),
    ...(topologyKey === '' ? [required(`${field}.topologyKey`, 'can not be empty')] : []),
    ...invalids(`${field}.topologyKey`, topologyKey, problemsOfQualifiedName(topologyKey)),
  ]
}
