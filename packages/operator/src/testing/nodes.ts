import type { Cached } from '@portcullis/kube'
import type { Node, Pod, Service } from 'kubernetes-types/core/v1'
import { routerLabel, templateHashLabel } from '../ingress/names.ts'
import { anIngressController } from './a-snapshot.ts'
import type { AnyObject } from './fake-api-server.ts'
import type { Scene } from './scene.ts'

export function aNode(
  name: string,
  { labels, ...spec }: Node['spec'] & { labels?: Record<string, string> } = {},
): Cached<Node> {
  return {
    metadata: { name, uid: name, resourceVersion: '1', labels: { 'kubernetes.io/os': 'linux', ...labels } },
    spec,
  }
}

export interface PodClaim {
  readonly namespace?: string
  readonly node?: string
  readonly ports?: readonly number[]
  readonly protocol?: 'TCP' | 'UDP'
  readonly phase?: string
  /** Whose router it is. */
  readonly controller?: string
  /** Of which generation. */
  readonly hash?: string
  readonly terminating?: boolean
  /** What the scheduler reports of one that has no node. */
  readonly words?: string
  readonly nominated?: string
  readonly container?: object
}

export function aPod(name: string, claim: PodClaim = {}): Cached<Pod> {
  const { namespace = 'default', node, ports = [], protocol = 'TCP', phase = 'Running', words } = claim
  const labels = {
    ...(claim.controller && { [routerLabel]: claim.controller }),
    ...(claim.hash && { [templateHashLabel]: claim.hash }),
  }
  const scheduled = { type: 'PodScheduled', status: node ? 'True' : 'False', message: words }
  return {
    metadata: {
      namespace,
      name,
      uid: name,
      resourceVersion: '1',
      labels,
      ...(claim.terminating && { deletionTimestamp: '2030-01-01T00:00:00Z' }),
    },
    spec: {
      containers: [
        { name: 'c', ports: ports.map((port) => ({ containerPort: port, hostPort: port, protocol })) },
      ],
      ...(node && { nodeName: node }),
      ...(claim.controller && ports.length > 0 && { hostNetwork: true }),
    },
    status: {
      phase: node ? phase : 'Pending',
      conditions: [scheduled],
      ...(claim.nominated && { nominatedNodeName: claim.nominated }),
      ...(claim.container && { containerStatuses: [{ name: 'router', ...claim.container }] }),
    },
  } as object as Cached<Pod>
}

/** A router of a controller on the usual ports; without a node it waits for one. */
export function aRouterPod(controller: string, number: number, claim: PodClaim = {}): Cached<Pod> {
  const where = { namespace: 'openshift-ingress', ports: [80, 443, 1936] }
  return aPod(`router-${controller}-${number}`, { ...where, controller, ...claim })
}

export function aNodePortService(name: string, nodePort: number, protocol = 'TCP'): Cached<Service> {
  return {
    metadata: { namespace: 'shop', name, uid: name, resourceVersion: '1' },
    spec: { type: 'NodePort', ports: [{ port: 80, nodePort, protocol }] },
  }
}

/** A controller on the ports of its nodes. */
export function onHostPorts(hostNetwork?: object, name = 'third'): Scene {
  return anIngressController(name)
    .on('None')
    .spec({
      replicas: 2,
      endpointPublishingStrategy: { type: 'HostNetwork', ...(hostNetwork && { hostNetwork }) },
    })
}

/** Puts nodes and pods into a scene: routers of its own among them are found by their label. */
export function inCluster(scene: Scene, nodes: readonly Cached<Node>[], pods: readonly Cached<Pod>[]): Scene {
  scene.nodes = [...nodes] as unknown as AnyObject[]
  scene.hostPortPods = [...pods] as unknown as AnyObject[]
  scene.pods = scene.hostPortPods.filter(({ metadata }) => metadata.labels?.[routerLabel] === scene.name)
  return scene
}
