import {
  compareQuantities,
  duplicate,
  type FieldError,
  forbidden,
  invalid,
  invalids,
  nanosOf,
  nonNegative,
  notFound,
  notSupported,
  problemsOfConfigKey,
  problemsOfEnvironmentName,
  problemsOfHttpHeader,
  problemsOfLabel,
  problemsOfSubdomain,
  required,
} from '@portcullis/schema'
import type {
  Container,
  ContainerPort,
  EnvVar,
  LifecycleHandler,
  PodSpec,
  Probe,
  VolumeMount,
} from 'kubernetes-types/core/v1'
import { problemsOfPortName, validatePort, validatePortOrName, validateProtocol } from './ports.ts'

const onlySidecars = 'may not be set for init containers without restartPolicy=Always'

/** The containers of a pod and, behind them, those that run before them. */
export function validateContainers(spec: PodSpec, field: string, volumes: ReadonlySet<string>): FieldError[] {
  const containers = (spec.containers as Container[] | undefined) ?? []
  const names = new Set<string>()
  const errors: FieldError[] = []
  if (containers.length === 0) errors.push(required(`${field}.containers`))
  for (const [index, container] of containers.entries()) {
    const at = `${field}.containers[${index}]`
    errors.push(...validateContainer(container, at, volumes))
    if (names.has(container.name)) errors.push(duplicate(`${at}.name`, container.name))
    names.add(container.name)
    errors.push(...validateProbes(container, at))
  }
  errors.push(...validateHostPorts(containers, `${field}.containers`))
  return [
    ...errors,
    ...validateInitContainers(spec.initContainers ?? [], `${field}.initContainers`, names, volumes),
  ]
}

function validateInitContainers(
  containers: readonly Container[],
  field: string,
  names: Set<string>,
  volumes: ReadonlySet<string>,
): FieldError[] {
  return containers.flatMap((container, index) => {
    const at = `${field}[${index}]`
    const errors = validateContainer(container, at, volumes)
    if (names.has(container.name)) errors.push(duplicate(`${at}.name`, container.name))
    else if (container.name) names.add(container.name)
    errors.push(...validateHostPorts([container], field))
    if (container.restartPolicy === 'Always') return [...errors, ...validateProbes(container, at)]
    for (const part of ['lifecycle', 'livenessProbe', 'readinessProbe', 'startupProbe'] as const)
      if (container[part] !== undefined) errors.push(forbidden(`${at}.${part}`, onlySidecars))
    return errors
  })
}

function validateContainer(container: Container, field: string, volumes: ReadonlySet<string>): FieldError[] {
  const errors: FieldError[] = []
  const { image = '', terminationMessagePolicy: messages = '', imagePullPolicy: pull = '' } = container
  const name = container.name ?? ''
  if (name === '') errors.push(required(`${field}.name`))
  else errors.push(...invalids(`${field}.name`, name, problemsOfLabel(name)))
  if (image === '') errors.push(required(`${field}.image`))
  if (messages !== 'File' && messages !== 'FallbackToLogsOnError')
    errors.push(
      notSupported(`${field}.terminationMessagePolicy`, messages, ['File', 'FallbackToLogsOnError']),
    )
  errors.push(...validatePorts(container.ports ?? [], `${field}.ports`))
  errors.push(...validateEnvironment(container.env ?? [], `${field}.env`))
  errors.push(...validateMounts(container.volumeMounts ?? [], `${field}.volumeMounts`, volumes))
  if (!['Always', 'IfNotPresent', 'Never'].includes(pull))
    errors.push(notSupported(`${field}.imagePullPolicy`, pull, ['Always', 'IfNotPresent', 'Never']))
  return [...errors, ...validateResources(container, `${field}.resources`)]
}

function validatePorts(ports: readonly ContainerPort[], field: string): FieldError[] {
  const names = new Set<string>()
  return ports.flatMap(({ name = '', containerPort, hostPort = 0, protocol }, index) => {
    const at = `${field}[${index}]`
    const errors: FieldError[] = []
    if (name !== '') {
      const problems = problemsOfPortName(name)
      errors.push(...invalids(`${at}.name`, name, problems))
      if (problems.length === 0 && names.has(name)) errors.push(duplicate(`${at}.name`, name))
      if (problems.length === 0) names.add(name)
    }
    if (!containerPort) errors.push(required(`${at}.containerPort`))
    else errors.push(...validatePort(`${at}.containerPort`, containerPort))
    if (hostPort !== 0) errors.push(...validatePort(`${at}.hostPort`, hostPort))
    return [...errors, ...validateProtocol(`${at}.protocol`, protocol)]
  })
}

function validateEnvironment(variables: readonly EnvVar[], field: string): FieldError[] {
  return variables.flatMap(({ name, value = '', valueFrom }, index) => {
    const at = `${field}[${index}]`
    const errors = name
      ? invalids(`${at}.name`, name, problemsOfEnvironmentName(name))
      : [required(`${at}.name`)]
    if (valueFrom === undefined) return errors
    const from = `${at}.valueFrom`
    for (const source of ['configMapKeyRef', 'secretKeyRef'] as const) {
      const reference = valueFrom[source]
      if (reference === undefined) continue
      const object = reference.name ?? ''
      errors.push(...invalids(`${from}.${source}.name`, object, problemsOfSubdomain(object)))
      if (!reference.key) errors.push(required(`${from}.${source}.key`))
      else
        errors.push(...invalids(`${from}.${source}.key`, reference.key, problemsOfConfigKey(reference.key)))
    }
    const sources = Object.keys(valueFrom).length
    if (sources === 0)
      errors.push(
        invalid(
          from,
          '',
          'must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`',
        ),
      )
    else if (value !== '') errors.push(invalid(from, '', 'may not be specified when `value` is not empty'))
    else if (sources > 1)
      errors.push(invalid(from, '', 'may not have more than one field specified at a time'))
    return errors
  })
}

function validateMounts(
  mounts: readonly VolumeMount[],
  field: string,
  volumes: ReadonlySet<string>,
): FieldError[] {
  const paths = new Set<string>()
  return mounts.flatMap(({ name, mountPath, subPath = '' }, index) => {
    const at = `${field}[${index}]`
    const errors: FieldError[] = []
    if (name === '') errors.push(required(`${at}.name`))
    if (!volumes.has(name)) errors.push(notFound(`${at}.name`, name))
    if (mountPath === '') errors.push(required(`${at}.mountPath`))
    if (paths.has(mountPath)) errors.push(invalid(`${at}.mountPath`, mountPath, 'must be unique'))
    paths.add(mountPath)
    if (subPath.startsWith('/')) errors.push(invalid(`${field}.subPath`, subPath, 'must be a relative path'))
    if (subPath.split('/').includes('..'))
      errors.push(invalid(`${field}.subPath`, subPath, "must not contain '..'"))
    return errors
  })
}

function validateResources({ resources = {} }: Container, field: string): FieldError[] {
  const { limits = {}, requests = {} } = resources
  const errors: FieldError[] = []
  for (const [part, list] of [
    ['limits', limits],
    ['requests', requests],
  ] as const)
    for (const [name, value] of Object.entries(list)) {
      const at = `${field}.${part}`
      if (!name.includes('/') && !/^(cpu|memory|ephemeral-storage|hugepages-.*)$/.test(name))
        errors.push(
          invalid(`${at}[${name}]`, name, 'must be a standard resource type or fully qualified'),
          invalid(`${at}[${name}]`, name, 'must be a standard resource for containers'),
        )
      if (nanosOf(value) < 0n)
        errors.push(invalid(`${at}[${name}]`, value, 'must be greater than or equal to 0'))
      const limit = limits[name]
      if (part === 'requests' && limit !== undefined && compareQuantities(value, limit) > 0)
        errors.push(invalid(at, value, `must be less than or equal to ${name} limit of ${limit}`))
    }
  return errors
}

function validateProbes(container: Container, field: string): FieldError[] {
  const { livenessProbe, readinessProbe, startupProbe, lifecycle = {} } = container
  const once = (probe: Probe | undefined, at: string) =>
    probe === undefined || (probe.successThreshold ?? 1) === 1
      ? []
      : [invalid(`${at}.successThreshold`, probe.successThreshold, 'must be 1')]
  return [
    ...(['postStart', 'preStop'] as const).flatMap((hook) =>
      lifecycle[hook] === undefined ? [] : validateHandler(lifecycle[hook], `${field}.lifecycle.${hook}`),
    ),
    ...validateProbe(livenessProbe, `${field}.livenessProbe`),
    ...once(livenessProbe, `${field}.livenessProbe`),
    ...validateProbe(readinessProbe, `${field}.readinessProbe`),
    ...(readinessProbe?.terminationGracePeriodSeconds === undefined
      ? []
      : [
          invalid(
            `${field}.readinessProbe.terminationGracePeriodSeconds`,
            readinessProbe.terminationGracePeriodSeconds,
            'must not be set for readinessProbes',
          ),
        ]),
    ...validateProbe(startupProbe, `${field}.startupProbe`),
    ...once(startupProbe, `${field}.startupProbe`),
  ]
}

function validateProbe(probe: Probe | undefined, field: string): FieldError[] {
  if (probe === undefined) return []
  const errors = validateHandler(probe, field)
  for (const part of [
    'initialDelaySeconds',
    'timeoutSeconds',
    'periodSeconds',
    'successThreshold',
    'failureThreshold',
  ] as const)
    errors.push(...nonNegative(`${field}.${part}`, probe[part]))
  const grace = probe.terminationGracePeriodSeconds
  if (grace !== undefined && grace <= 0)
    errors.push(invalid(`${field}.terminationGracePeriodSeconds`, grace, 'must be greater than 0'))
  return errors
}

/** One way to probe, and only one. */
function validateHandler(
  { exec, httpGet, tcpSocket, grpc, sleep }: Probe & LifecycleHandler,
  field: string,
): FieldError[] {
  const checks: [string, FieldError[]][] = []
  if (exec !== undefined)
    checks.push(['exec', (exec.command ?? []).length === 0 ? [required(`${field}.exec.command`)] : []])
  if (httpGet !== undefined) {
    const at = `${field}.httpGet`
    const { scheme = '' } = httpGet
    checks.push([
      'httpGet',
      [
        ...validatePortOrName(`${at}.port`, httpGet.port ?? 0),
        ...(scheme === 'HTTP' || scheme === 'HTTPS'
          ? []
          : [notSupported(`${at}.scheme`, scheme, ['HTTP', 'HTTPS'])]),
        ...(httpGet.httpHeaders ?? []).flatMap(({ name }) =>
          invalids(`${at}.httpHeaders`, name, problemsOfHttpHeader(name)),
        ),
      ],
    ])
  }
  if (tcpSocket !== undefined)
    checks.push(['tcpSocket', validatePortOrName(`${field}.tcpSocket.port`, tcpSocket.port ?? 0)])
  if (grpc !== undefined) checks.push(['grpc', validatePort(`${field}.grpc.port`, grpc.port)])
  if (sleep !== undefined) checks.push(['sleep', []])
  if (checks.length === 0) return [required(field, 'must specify a handler type')]
  return checks.flatMap(([name, errors], index) =>
    index === 0 ? errors : [forbidden(`${field}.${name}`, 'may not specify more than 1 handler type')],
  )
}

function validateHostPorts(containers: readonly Container[], field: string): FieldError[] {
  const taken = new Set<string>()
  return containers.flatMap(({ ports = [] }, index) =>
    ports.flatMap(({ hostPort = 0, hostIP = '', protocol = '' }, position) => {
      if (hostPort === 0) return []
      const key = `${protocol}/${hostIP}/${hostPort}`
      if (taken.has(key)) return [duplicate(`${field}[${index}].ports[${position}].hostPort`, key)]
      taken.add(key)
      return []
    }),
  )
}
