import {
  type AnyObject,
  type FieldError,
  problemsOfLabel,
  validateMeta,
  validateMetaUpdate,
} from '@portcullis/schema'
import type {
  LoadBalancerStatus,
  Service,
  ServicePort,
  ServiceSpec,
  ServiceStatus,
} from 'kubernetes-types/core/v1'
import type { Behaviour } from '../resource.ts'
import { warningsAboutAddress } from './addresses.ts'
import { ageColumn, column, nameColumn } from './columns.ts'
import { as, type Kind, specOf, statusOf } from './kind.ts'
import { labelsText } from './label-selector.ts'
import { allocateForCreate, allocateForUpdate } from './service-allocation.ts'
import { validateClusterIpsUpdate, validateFamiliesUpdate } from './service-cluster-ips.ts'
import {
  isExternallyAccessible,
  isHeadless,
  mayHaveNodePorts,
  needsClusterIp,
  needsHealthCheck,
  nodePortOf,
  nodePortsOf,
} from './service-types.ts'
import {
  validateHealthCheckPortUpdate,
  validateLoadBalancerClassUpdate,
  validateLoadBalancerStatus,
  validateService,
} from './service-validation.ts'

interface FullService extends Service {
  metadata: NonNullable<Service['metadata']>
  spec: ServiceSpec
  status: ServiceStatus
}

/** Why a Service did not get all that it needs. It is reported when the Service is validated. */
const failures = new WeakMap<AnyObject, FieldError[]>()

const behaviour: Behaviour = {
  defaults(object) {
    const spec = specOf<ServiceSpec>(object)
    const status = statusOf<ServiceStatus>(object)
    status.loadBalancer ??= {}
    setDefaults(spec, status.loadBalancer)
  },

  prepareCreate(object, cluster) {
    object.status = { loadBalancer: {} }
    failures.set(object, allocateForCreate(object, cluster))
  },

  prepareUpdate(object, old, cluster) {
    failures.set(object, allocateForUpdate(object, old, cluster))
    dropWhatTheTypeNoLongerNeeds(as<FullService>(object), as<FullService>(old))
  },

  validate(object) {
    const failed = failures.get(object) ?? []
    if (failed.length > 0) return failed
    return [
      ...validateMeta(object.metadata, { namespaced: true, name: problemsOfLabel }),
      ...validateService(as<FullService>(object), undefined),
    ]
  },

  validateUpdateFirst: (object) => failures.get(object) ?? [],

  validateUpdate(object, old) {
    const now = as<FullService>(object)
    const before = as<FullService>(old)
    return [
      ...validateMetaUpdate(object.metadata, old.metadata),
      ...validateClusterIpsUpdate(now.spec, before.spec),
      ...validateFamiliesUpdate(now.spec, before.spec),
      ...validateLoadBalancerClassUpdate(now.spec, before.spec),
      ...validateHealthCheckPortUpdate(now.spec, before.spec),
      ...validateService(now, before),
    ]
  },

  validateStatusUpdate(object, old) {
    const status = statusOf<ServiceStatus>(object)
    const before = statusOf<ServiceStatus>(old)
    return [
      ...validateMetaUpdate(object.metadata, old.metadata),
      ...validateLoadBalancerStatus(
        status.loadBalancer ?? {},
        before.loadBalancer ?? {},
        specOf<ServiceSpec>(object),
      ),
    ]
  },

  /** A write of the status gets no warnings about the spec. */
  warnings(object, _, subresource) {
    const { loadBalancer = {} } = statusOf<ServiceStatus>(object)
    if (subresource !== 'status') return warnings(as<FullService>(object))
    return (loadBalancer.ingress ?? []).flatMap(({ ip = '' }, index) =>
      warningsAboutAddress(`status.loadBalancer.ingress[${index}]`, ip),
    )
  },

  /**
   * The policy means nothing for a type without address, and was given to it by default once; and there was a time
   * before a Service could have several addresses.
   */
  shown(object) {
    const { internalTrafficPolicy, ...spec } = specOf<ServiceSpec>(object)
    const { clusterIP = '', clusterIPs = [], type } = spec
    const isHiding = type === 'ExternalName' && internalTrafficPolicy !== undefined
    const isFromBefore = clusterIP !== '' && clusterIPs.length === 0
    if (!isHiding && !isFromBefore) return object
    const shown = isHiding ? spec : { ...spec, internalTrafficPolicy }
    return { ...object, spec: isFromBefore ? { ...shown, clusterIPs: [clusterIP] } : shown }
  },

  selectableFields(object) {
    const { clusterIP = '', type = '' } = specOf<ServiceSpec>(object)
    return { 'spec.clusterIP': clusterIP, 'spec.type': type }
  },

  keepsGeneration: false,
  createsOnUpdate: true,
  returnsDeleted: true,
}

export const service: Kind = {
  group: '',
  version: 'v1',
  kind: 'Service',
  plural: 'services',
  singular: 'service',
  shortNames: ['svc'],
  categories: ['all'],
  namespaced: true,
  subresources: ['status'],
  behaviour,
  columns: [
    nameColumn,
    column('Type', 'How the Service is published.', (object) => specOf<ServiceSpec>(object).type ?? ''),
    column(
      'Cluster-IP',
      'Where it is reached inside the cluster.',
      (object) => specOf<ServiceSpec>(object).clusterIPs?.[0] ?? '<none>',
    ),
    column('External-IP', 'Where it is reached from outside.', (object) =>
      externalAddress(as<FullService>(object)),
    ),
    column('Port(s)', 'What it listens on.', (object) => portsText(specOf<ServiceSpec>(object).ports ?? [])),
    ageColumn,
    column(
      'Selector',
      'Which pods it leads to.',
      (object) => labelsText(specOf<ServiceSpec>(object).selector),
      { priority: 1 },
    ),
  ],
}

function setDefaults(spec: ServiceSpec, loadBalancer: LoadBalancerStatus): void {
  if (!spec.sessionAffinity) spec.sessionAffinity = 'None'
  if (spec.sessionAffinity === 'None') delete spec.sessionAffinityConfig
  if (
    spec.sessionAffinity === 'ClientIP' &&
    spec.sessionAffinityConfig?.clientIP?.timeoutSeconds === undefined
  )
    spec.sessionAffinityConfig = { clientIP: { timeoutSeconds: 10800 } }
  if (!spec.type) spec.type = 'ClusterIP'
  for (const port of spec.ports ?? []) {
    if (!port.protocol) port.protocol = 'TCP'
    if (!port.targetPort) port.targetPort = port.port
  }
  if (isExternallyAccessible(spec) && !spec.externalTrafficPolicy) spec.externalTrafficPolicy = 'Cluster'
  if (spec.type !== 'ExternalName' && ['NodePort', 'LoadBalancer', 'ClusterIP'].includes(spec.type))
    spec.internalTrafficPolicy ??= 'Cluster'
  if (spec.type !== 'LoadBalancer') return
  spec.allocateLoadBalancerNodePorts ??= true
  for (const ingress of loadBalancer.ingress ?? []) if (ingress.ip) ingress.ipMode ??= 'VIP'
}

/** On a change of type, fields that meant something for the old one only go, unless they were changed too. */
function dropWhatTheTypeNoLongerNeeds({ spec, status }: FullService, { spec: before }: FullService): void {
  const same = (field: keyof ServiceSpec) => JSON.stringify(spec[field]) === JSON.stringify(before[field])
  if (needsClusterIp(before) && !needsClusterIp(spec)) {
    if (same('clusterIP') && same('clusterIPs')) {
      delete spec.clusterIP
      delete spec.clusterIPs
    }
    if (same('ipFamilies')) delete spec.ipFamilies
    if (same('ipFamilyPolicy')) delete spec.ipFamilyPolicy
  }
  if (mayHaveNodePorts(before) && !mayHaveNodePorts(spec)) {
    const had = nodePortsOf(before)
    if (nodePortsOf(spec).every((port) => had.includes(port)))
      for (const port of spec.ports ?? []) delete port.nodePort
  }
  if (needsHealthCheck(before) && !needsHealthCheck(spec) && same('healthCheckNodePort'))
    delete spec.healthCheckNodePort
  if (before.type === 'LoadBalancer' && spec.type !== 'LoadBalancer') {
    if (same('allocateLoadBalancerNodePorts')) delete spec.allocateLoadBalancerNodePorts
    if (same('loadBalancerClass')) delete spec.loadBalancerClass
  }
  if (isExternallyAccessible(before) && !isExternallyAccessible(spec) && same('externalTrafficPolicy'))
    delete spec.externalTrafficPolicy
  if (spec.type !== 'LoadBalancer') status.loadBalancer = {}
}

function warnings({ metadata, spec }: FullService): string[] {
  const found: string[] = []
  const external = spec.externalIPs ?? []
  const headless = spec.type === 'ClusterIP' && isHeadless(spec)
  if (metadata.annotations?.['service.kubernetes.io/topology-aware-hints'] !== undefined)
    found.push(
      'annotation service.kubernetes.io/topology-aware-hints is deprecated, please use service.kubernetes.io/topology-mode instead',
    )
  if (!isHeadless(spec))
    for (const [index, address] of (spec.clusterIPs ?? []).entries())
      found.push(...warningsAboutAddress(`spec.clusterIPs[${index}]`, address))
  if (headless) {
    if (spec.loadBalancerIP) found.push('spec.loadBalancerIP is ignored for headless services')
    if (external.length > 0) found.push('spec.externalIPs is ignored for headless services')
    if (spec.sessionAffinity !== 'None') found.push('spec.SessionAffinity is ignored for headless services')
  }
  for (const [index, address] of external.entries())
    found.push(...warningsAboutAddress(`spec.externalIPs[${index}]`, address))
  if (external.length > 0 && !headless && spec.type !== 'ExternalName')
    found.push('spec.externalIPs is deprecated and may no longer be implemented in some clusters')
  if (spec.loadBalancerIP) found.push(...warningsAboutAddress('spec.loadBalancerIP', spec.loadBalancerIP))
  if (spec.type === 'ExternalName' && external.length > 0)
    found.push('spec.externalIPs is ignored when spec.type is "ExternalName"')
  if (spec.type !== 'ExternalName' && spec.externalName)
    found.push('spec.externalName is ignored when spec.type is not "ExternalName"')
  if (spec.trafficDistribution === 'PreferClose')
    found.push('spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"')
  return found
}

function externalAddress({ spec, status }: FullService): string {
  const external = spec.externalIPs ?? []
  if (spec.type === 'ExternalName') return spec.externalName ?? ''
  if (spec.type === 'LoadBalancer') {
    const balanced = loadBalancerText(status?.loadBalancer)
    const all = [...(balanced === '' ? [] : balanced.split(',')), ...external]
    return all.length === 0 ? '<pending>' : all.join(',')
  }
  return external.length === 0 ? '<none>' : external.join(',')
}

/** The addresses of a load balancer, sorted, each once. */
export function loadBalancerText(
  status: { ingress?: { ip?: string; hostname?: string }[] } | undefined,
): string {
  const addresses = (status?.ingress ?? []).map(({ ip, hostname }) => ip || hostname || '')
  return [...new Set(addresses.filter((address) => address !== ''))].sort().join(',')
}

function portsText(ports: readonly ServicePort[]): string {
  const texts = ports.map((port) => {
    const nodePort = nodePortOf(port)
    return `${port.port}${nodePort > 0 ? `:${nodePort}` : ''}/${port.protocol}`
  })
  return texts.length === 0 ? '<none>' : texts.join(',')
}
