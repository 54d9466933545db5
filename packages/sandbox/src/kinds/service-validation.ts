import {
  duplicate,
  type FieldError,
  forbidden,
  immutable,
  invalid,
  invalids,
  notSupported,
  problemsOfLabel,
  problemsOfQualifiedName,
  problemsOfSubdomain,
  required,
  validateLabels,
} from '@portcullis/schema'
import type { LoadBalancerStatus, ServicePort, ServiceSpec } from 'kubernetes-types/core/v1'
import type { ObjectMeta } from 'kubernetes-types/meta/v1'
import { isAddress, validateAddress, validateCidr, validateReachable } from './addresses.ts'
import { validatePort, validatePortOrName, validateProtocol } from './ports.ts'
import { validateClusterIps } from './service-cluster-ips.ts'
import { isExternallyAccessible, isHeadless, needsHealthCheck, nodePortOf } from './service-types.ts'

const types = ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort'] as const
const sourceRangesAnnotation = 'service.beta.kubernetes.io/load-balancer-source-ranges'
const topologyHints = 'service.kubernetes.io/topology-aware-hints'
const topologyMode = 'service.kubernetes.io/topology-mode'
const forLoadBalancers = "may only be used when `type` is 'LoadBalancer'"

interface Service {
  readonly metadata: ObjectMeta
  readonly spec: ServiceSpec
}

export function validateService({ metadata, spec }: Service, old: Service | undefined): FieldError[] {
  const before = old?.spec
  return [
    ...validateTopologyAnnotations(metadata),
    ...validateType(spec),
    ...validatePorts(spec),
    ...validateLabels(spec.selector, 'spec.selector'),
    ...validateAffinity(spec),
    ...validateClusterIps(spec, before),
    ...(spec.externalIPs ?? []).flatMap((address, index) => {
      const field = `spec.externalIPs[${index}]`
      const errors = validateAddress(field, address, before?.externalIPs)
      return errors.length > 0 ? errors : validateReachable(field, address)
    }),
    ...validateTypeName(spec),
    ...validateNodePorts(spec),
    ...validateSourceRanges({ metadata, spec }, old),
    ...(spec.allocateLoadBalancerNodePorts !== undefined && spec.type !== 'LoadBalancer'
      ? [forbidden('spec.allocateLoadBalancerNodePorts', forLoadBalancers)]
      : []),
    ...validateLoadBalancerClass(spec),
    ...validateTrafficPolicies(spec),
  ]
}

export function validateLoadBalancerClassUpdate(spec: ServiceSpec, before: ServiceSpec): FieldError[] {
  const changed =
    spec.type === 'LoadBalancer' &&
    before.type === 'LoadBalancer' &&
    spec.loadBalancerClass !== before.loadBalancerClass
  return [
    ...(changed
      ? [invalid('spec.loadBalancerClass', spec.loadBalancerClass ?? null, 'may not change once set')]
      : []),
    ...validateLoadBalancerClass(spec),
  ]
}

export function validateHealthCheckPortUpdate(spec: ServiceSpec, before: ServiceSpec): FieldError[] {
  return needsHealthCheck(spec) &&
    needsHealthCheck(before) &&
    (spec.healthCheckNodePort ?? 0) !== (before.healthCheckNodePort ?? 0)
    ? [forbidden('spec.healthCheckNodePort', immutable)]
    : []
}

export function validateLoadBalancerStatus(
  { ingress = [] }: LoadBalancerStatus,
  old: LoadBalancerStatus,
  spec: ServiceSpec,
): FieldError[] {
  const field = 'status.loadBalancer.ingress'
  if (spec.type !== 'LoadBalancer')
    return ingress.length === 0
      ? []
      : [forbidden(field, "may only be used when `spec.type` is 'LoadBalancer'")]
  const before = (old.ingress ?? []).map(({ ip = '' }) => ip)
  return ingress.flatMap(({ ip = '', hostname = '', ipMode }, index) => {
    const at = `${field}[${index}]`
    const errors = ip === '' ? [] : validateAddress(`${at}.ip`, ip, before)
    if (ipMode === undefined) {
      if (ip !== '') errors.push(required(`${at}.ipMode`, 'must be specified when `ip` is set'))
    } else if (ip === '') errors.push(forbidden(`${at}.ipMode`, 'may not be specified when `ip` is not set'))
    else if (ipMode !== 'VIP' && ipMode !== 'Proxy')
      errors.push(notSupported(`${at}.ipMode`, ipMode, ['Proxy', 'VIP']))
    return [...errors, ...validateHostname(`${at}.hostname`, hostname)]
  })
}

/** The host name of a load balancer. */
export function validateHostname(field: string, hostname: string): FieldError[] {
  if (hostname === '') return []
  return [
    ...invalids(field, hostname, problemsOfSubdomain(hostname)),
    ...(isAddress(hostname) ? [invalid(field, hostname, 'must be a DNS name, not an IP address')] : []),
  ]
}

function validateTopologyAnnotations({ annotations = {} }: ObjectMeta): FieldError[] {
  const hints = annotations[topologyHints]
  const mode = annotations[topologyMode]
  if (hints === undefined || mode === undefined || hints === mode) return []
  const field = `metadata.annotations[${topologyMode}]`
  return [invalid(field, mode, `must match annotations[${topologyHints}] when both are specified`)]
}

function validateType(spec: ServiceSpec): FieldError[] {
  const errors: FieldError[] = []
  const { type, ports = [], clusterIPs = [], ipFamilies = [], ipFamilyPolicy, externalName = '' } = spec
  if (ports.length === 0 && !isHeadless(spec) && type !== 'ExternalName') errors.push(required('spec.ports'))
  if ((type === 'LoadBalancer' || type === 'NodePort') && isHeadless(spec))
    errors.push(invalid('spec.clusterIPs[0]', clusterIPs[0], `may not be set to 'None' for ${type} services`))
  if (type !== 'ExternalName') return errors
  const unwanted = 'may not be set for ExternalName services'
  if (clusterIPs.length > 0) errors.push(forbidden('spec.clusterIPs', unwanted))
  if (ipFamilies.length > 0) errors.push(forbidden('spec.ipFamilies', unwanted))
  if (ipFamilyPolicy !== undefined) errors.push(forbidden('spec.ipFamilyPolicy', unwanted))
  const name = externalName.replace(/\.$/, '')
  if (name === '') errors.push(required('spec.externalName'))
  else errors.push(...invalids('spec.externalName', name, problemsOfSubdomain(name)))
  return errors
}

function validatePorts({ ports = [] }: ServiceSpec): FieldError[] {
  const names = new Set<string>()
  return ports.flatMap((port, index) => {
    const field = `spec.ports[${index}]`
    const errors: FieldError[] = []
    const { name = '', protocol, targetPort, appProtocol } = port
    if (name === '') {
      if (ports.length > 1) errors.push(required(`${field}.name`))
    } else {
      errors.push(...invalids(`${field}.name`, name, problemsOfLabel(name)))
      if (names.has(name)) errors.push(duplicate(`${field}.name`, name))
      names.add(name)
    }
    errors.push(...validatePort(`${field}.port`, port.port))
    errors.push(...validateProtocol(`${field}.protocol`, protocol))
    errors.push(...validatePortOrName(`${field}.targetPort`, targetPort ?? 0))
    if (appProtocol !== undefined)
      errors.push(...invalids(`${field}.appProtocol`, appProtocol, problemsOfQualifiedName(appProtocol)))
    return errors
  })
}

function validateAffinity({
  sessionAffinity = '',
  sessionAffinityConfig: config,
}: ServiceSpec): FieldError[] {
  const field = 'spec.sessionAffinity'
  if (sessionAffinity === 'None')
    return config === undefined
      ? []
      : [forbidden('spec.sessionAffinityConfig', 'must not be set when session affinity is None')]
  if (sessionAffinity !== 'ClientIP')
    return sessionAffinity === ''
      ? [required(field)]
      : [notSupported(field, sessionAffinity, ['ClientIP', 'None'])]
  const seconds = config?.clientIP?.timeoutSeconds ?? 0
  if (seconds > 0 && seconds <= 86400) return []
  return [
    invalid(
      'spec.sessionAffinityConfig.clientIP.timeoutSeconds',
      seconds,
      'must be greater than 0 and less than 86400',
    ),
  ]
}

function validateTypeName({ type = '' }: ServiceSpec): FieldError[] {
  if (type === '') return [required('spec.type')]
  return types.some((one) => one === type) ? [] : [notSupported('spec.type', type, types)]
}

function validateNodePorts({ type, ports = [] }: ServiceSpec): FieldError[] {
  const errors: FieldError[] = []
  if (type === 'ClusterIP')
    for (const [index, port] of ports.entries())
      if (nodePortOf(port) !== 0)
        errors.push(forbidden(`spec.ports[${index}].nodePort`, "may not be used when `type` is 'ClusterIP'"))
  const nodePorts = new Set<string>()
  for (const [index, port] of ports.entries()) {
    const nodePort = nodePortOf(port)
    if (nodePort === 0) continue
    const key = `${port.protocol ?? ''} ${nodePort}`
    if (nodePorts.has(key)) errors.push(duplicate(`spec.ports[${index}].nodePort`, nodePort))
    nodePorts.add(key)
  }
  const seen = new Set<string>()
  for (const [index, port] of ports.entries()) {
    const key = `${port.protocol ?? ''} ${port.port}`
    if (seen.has(key)) errors.push(duplicate(`spec.ports[${index}]`, asGoHasIt(port)))
    seen.add(key)
  }
  return errors
}

/** The server prints its internal structure here, with nothing in it but what was compared. */
function asGoHasIt({ protocol = '', port }: ServicePort): unknown {
  return { Name: '', Protocol: protocol, AppProtocol: null, Port: port, TargetPort: 0, NodePort: 0 }
}

/** The field is spelled with a capital letter in these messages. */
function validateSourceRanges({ metadata, spec }: Service, old: Service | undefined): FieldError[] {
  const misplaced = spec.type !== 'LoadBalancer'
  const ranges = spec.loadBalancerSourceRanges ?? []
  if (ranges.length > 0) {
    const field = 'spec.LoadBalancerSourceRanges'
    const before = (old?.spec.loadBalancerSourceRanges ?? []).map((range) => range.trim())
    return [
      ...(misplaced ? [forbidden(field, forLoadBalancers)] : []),
      ...ranges.flatMap((range, index) => validateCidr(`${field}[${index}]`, range.trim(), before)),
    ]
  }
  const annotation = metadata.annotations?.[sourceRangesAnnotation]
  if (annotation === undefined) return []
  const field = `metadata.annotations[${sourceRangesAnnotation}]`
  const unchanged =
    old !== undefined && (old.metadata.annotations?.[sourceRangesAnnotation] ?? '') === annotation
  const values = unchanged || annotation.trim() === '' ? [] : annotation.trim().split(',')
  return [
    ...(misplaced ? [forbidden(field, forLoadBalancers)] : []),
    ...values.flatMap((value) => validateCidr(field, value.trim())),
  ]
}

function validateLoadBalancerClass({ type, loadBalancerClass }: ServiceSpec): FieldError[] {
  const field = 'spec.loadBalancerClass'
  if (loadBalancerClass === undefined) return []
  if (type !== 'LoadBalancer') return [forbidden(field, forLoadBalancers)]
  return invalids(field, loadBalancerClass, problemsOfQualifiedName(loadBalancerClass))
}

function validateTrafficPolicies(spec: ServiceSpec): FieldError[] {
  const errors: FieldError[] = []
  const { type, externalTrafficPolicy = '', internalTrafficPolicy, healthCheckNodePort = 0 } = spec
  const { trafficDistribution } = spec
  if (!isExternallyAccessible(spec)) {
    if (externalTrafficPolicy !== '')
      errors.push(
        invalid(
          'spec.externalTrafficPolicy',
          externalTrafficPolicy,
          'may only be set for externally-accessible services',
        ),
      )
  } else if (externalTrafficPolicy === '') errors.push(required('spec.externalTrafficPolicy'))
  else if (externalTrafficPolicy !== 'Cluster' && externalTrafficPolicy !== 'Local')
    errors.push(notSupported('spec.externalTrafficPolicy', externalTrafficPolicy, ['Cluster', 'Local']))
  if (needsHealthCheck(spec)) {
    if (healthCheckNodePort === 0) errors.push(required('spec.healthCheckNodePort'))
    else errors.push(...validatePort('spec.healthCheckNodePort', healthCheckNodePort))
  } else if (healthCheckNodePort !== 0)
    errors.push(
      invalid(
        'spec.healthCheckNodePort',
        healthCheckNodePort,
        "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'",
      ),
    )
  if (internalTrafficPolicy === undefined) {
    if (type === 'NodePort' || type === 'LoadBalancer' || type === 'ClusterIP')
      errors.push(required('spec.internalTrafficPolicy'))
  } else if (internalTrafficPolicy !== 'Cluster' && internalTrafficPolicy !== 'Local')
    errors.push(notSupported('spec.internalTrafficPolicy', internalTrafficPolicy, ['Cluster', 'Local']))
  const distributions = ['PreferClose', 'PreferSameZone', 'PreferSameNode']
  if (trafficDistribution !== undefined && !distributions.includes(trafficDistribution))
    errors.push(notSupported('spec.trafficDistribution', trafficDistribution, distributions))
  return errors
}
