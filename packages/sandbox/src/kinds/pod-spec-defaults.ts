import type {
  Container,
  HTTPGetAction,
  PodSpec,
  Probe,
  ResourceRequirements,
  Volume,
} from 'kubernetes-types/core/v1'
import { roundUpAmounts } from './resource-list.ts'

/** What every pod spec gets, in a pod as in a template. */
export function setPodSpecDefaults(spec: PodSpec): void {
  if (!spec.dnsPolicy) spec.dnsPolicy = 'ClusterFirst'
  if (!spec.restartPolicy) spec.restartPolicy = 'Always'
  spec.securityContext ??= {}
  spec.terminationGracePeriodSeconds ??= 30
  if (!spec.schedulerName) spec.schedulerName = 'default-scheduler'
  // One account under two names, for the sake of very old clients.
  const account = spec.serviceAccountName || spec.serviceAccount
  if (account) {
    spec.serviceAccountName = account
    spec.serviceAccount = account
  }
  for (const volume of spec.volumes ?? []) setVolumeDefaults(volume)
  for (const container of allContainers(spec)) setContainerDefaults(container)
}

/** What a pod gets beside: a template does not have these until a pod is made of it. */
export function setPodDefaults(spec: PodSpec): void {
  for (const { resources } of allContainers(spec)) {
    if (resources?.limits === undefined) continue
    resources.requests = { ...resources.limits, ...resources.requests }
  }
  const { resources } = spec as { resources?: ResourceRequirements }
  if (resources !== undefined) {
    roundUpAmounts(resources.limits)
    roundUpAmounts(resources.requests)
    if (resources.limits !== undefined) resources.requests = { ...resources.limits, ...resources.requests }
  }
  spec.enableServiceLinks ??= true
  if (spec.hostNetwork !== true) return
  for (const { ports = [] } of allContainers(spec))
    for (const port of ports) if (!port.hostPort) port.hostPort = port.containerPort
}

export function allContainers({ containers, initContainers = [] }: PodSpec): Container[] {
  // Written by hand, `containers` may be missing for all that the types say.
  return [...((containers as Container[] | undefined) ?? []), ...initContainers]
}

/** Without a tag, or with this one, an image is looked for again at each start; not what is no image's name at all. */
export function isLatest(image: string): boolean {
  const parts = image.split('/')
  const [last = '', tag, ...more] = (parts.pop() ?? '').split(':')
  const [first = ''] = parts
  const isRegistry = /[.:]/.test(first) || first === 'localhost' || first !== first.toLowerCase()
  const path = [...(isRegistry ? parts.slice(1) : parts), last]
  if (more.length > 0 || !path.every((part) => repository.test(part))) return false
  return tag === undefined || tag === 'latest'
}

/** One part of it: what is between slashes. */
const repository = /^[a-z0-9]+(?:[._-]+[a-z0-9]+)*$/

function setContainerDefaults(container: Container): void {
  if (!container.imagePullPolicy)
    container.imagePullPolicy = isLatest(container.image ?? '') ? 'Always' : 'IfNotPresent'
  if (!container.terminationMessagePath) container.terminationMessagePath = '/dev/termination-log'
  if (!container.terminationMessagePolicy) container.terminationMessagePolicy = 'File'
  container.resources ??= {}
  roundUpAmounts(container.resources.limits)
  roundUpAmounts(container.resources.requests)
  for (const port of container.ports ?? []) if (!port.protocol) port.protocol = 'TCP'
  for (const { valueFrom } of container.env ?? [])
    if (valueFrom?.fieldRef !== undefined && !valueFrom.fieldRef.apiVersion)
      valueFrom.fieldRef.apiVersion = 'v1'
  for (const probe of [container.livenessProbe, container.readinessProbe, container.startupProbe])
    if (probe !== undefined) setProbeDefaults(probe)
  const { postStart, preStop } = container.lifecycle ?? {}
  for (const handler of [postStart, preStop])
    if (handler?.httpGet !== undefined) setGetDefaults(handler.httpGet)
}

function setProbeDefaults(probe: Probe): void {
  if (!probe.timeoutSeconds) probe.timeoutSeconds = 1
  if (!probe.periodSeconds) probe.periodSeconds = 10
  if (!probe.successThreshold) probe.successThreshold = 1
  if (!probe.failureThreshold) probe.failureThreshold = 3
  if (probe.httpGet !== undefined) setGetDefaults(probe.httpGet)
  if (probe.grpc !== undefined) probe.grpc.service ??= ''
}

function setGetDefaults(action: HTTPGetAction): void {
  if (!action.path) action.path = '/'
  if (!action.scheme) action.scheme = 'HTTP'
}

function setVolumeDefaults(volume: Volume): void {
  const { secret, configMap, downwardAPI, projected, hostPath } = volume
  if (secret !== undefined) secret.defaultMode ??= 0o644
  if (configMap !== undefined) configMap.defaultMode ??= 0o644
  if (downwardAPI !== undefined) downwardAPI.defaultMode ??= 0o644
  if (projected !== undefined) projected.defaultMode ??= 0o644
  if (hostPath !== undefined) hostPath.type ??= ''
  for (const { serviceAccountToken, downwardAPI: fields } of projected?.sources ?? []) {
    if (serviceAccountToken !== undefined) serviceAccountToken.expirationSeconds ??= 3600
    for (const { fieldRef } of fields?.items ?? []) if (fieldRef !== undefined) fieldRef.apiVersion ??= 'v1'
  }
  for (const { fieldRef } of downwardAPI?.items ?? [])
    if (fieldRef !== undefined) fieldRef.apiVersion ??= 'v1'
  if (Object.keys(volume).every((key) => key === 'name')) volume.emptyDir = {}
}
