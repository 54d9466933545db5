import type { Cached, DeepReadonly } from '@portcullis/kube'
import type { Node, Pod, Service, ServicePort } from 'kubernetes-types/core/v1'
import { matchesLabels } from '../label-selector.ts'
import { isFinished, isReady, isTerminating } from '../pods.ts'

/** A pod behind a Service. */
export interface ServiceEndpoint {
  readonly pod: Cached<Pod>
  readonly ip: string
  readonly nodeName: string | undefined
  readonly zone: string | undefined
  readonly ready: boolean
  readonly serving: boolean
  readonly terminating: boolean
}

export interface EndpointPort {
  readonly name: string
  readonly port: number
  readonly protocol: string
  readonly appProtocol?: string
}

/** Endpoints that are reached at the same ports: a named port may be another number in each pod. */
export interface EndpointGroup {
  readonly ports: readonly EndpointPort[]
  readonly endpoints: readonly ServiceEndpoint[]
}

export function isSelecting({ spec }: Cached<Service>): boolean {
  return spec?.type !== 'ExternalName' && Object.keys(spec?.selector ?? {}).length > 0
}

export function selects({ spec }: Cached<Service>, { metadata }: Cached<Pod>): boolean {
  return matchesLabels(spec?.selector ?? {}, metadata.labels)
}

/** The pods behind a Service, by the ports at which they are reached; in a fixed order. */
export function groupsOf(
  service: Cached<Service>,
  pods: Iterable<Cached<Pod>>,
  nodeOf: (name: string) => Cached<Node> | undefined,
): EndpointGroup[] {
  const groups = new Map<string, { ports: EndpointPort[]; endpoints: ServiceEndpoint[] }>()
  for (const pod of pods) {
    const ip = pod.status?.podIP
    if (ip === undefined || ip === '' || isFinished(pod) || !selects(service, pod)) continue
    const ports = portsOf(service, pod)
    const id = JSON.stringify(ports)
    const group = groups.get(id) ?? { ports, endpoints: [] }
    groups.set(id, group)
    const always = service.spec?.publishNotReadyAddresses === true
    const terminating = isTerminating(pod)
    const { nodeName } = pod.spec ?? {}
    group.endpoints.push({
      pod,
      ip,
      nodeName,
      zone: nodeOf(nodeName ?? '')?.metadata.labels?.['topology.kubernetes.io/zone'],
      ready: always || (isReady(pod) && !terminating),
      serving: isReady(pod),
      terminating,
    })
  }
  return [...groups]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, { ports, endpoints }]) => ({
      ports,
      endpoints: endpoints.sort((a, b) => (a.pod.metadata.name < b.pod.metadata.name ? -1 : 1)),
    }))
}

function portsOf({ spec }: Cached<Service>, pod: Cached<Pod>): EndpointPort[] {
  return (spec?.ports ?? []).flatMap((servicePort) => {
    const port = targetPort(servicePort, pod)
    if (port === undefined) return []
    const { name = '', protocol = 'TCP', appProtocol } = servicePort
    return [{ name, port, protocol, ...(appProtocol !== undefined && { appProtocol }) }]
  })
}

function targetPort(
  { targetPort: target, port, protocol = 'TCP' }: DeepReadonly<ServicePort>,
  { spec }: Cached<Pod>,
): number | undefined {
  if (target === undefined) return port
  if (typeof target === 'number') return target === 0 ? port : target
  for (const container of spec?.containers ?? []) {
    for (const candidate of container.ports ?? []) {
      if (candidate.name === target && (candidate.protocol ?? 'TCP') === protocol)
        return candidate.containerPort
    }
  }
  return undefined
}

export function targetRef({ metadata: { namespace = '', name, uid } }: Cached<Pod>) {
  return { kind: 'Pod', namespace, name, uid }
}
