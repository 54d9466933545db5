import {
  type Cached,
  enqueueFrom,
  isConflict,
  isNotFound,
  type Key,
  type KubeApi,
  keyOfObject,
  Node,
  Pod,
  type RequeueAfter,
  requeueAfter,
  waitForCache,
} from '@portcullis/kube'
import type { Node as CoreNode, Pod as CorePod } from 'kubernetes-types/core/v1'
import { ComponentEvents } from '../component-events.ts'
import type { ControllerContext } from '../controller-context.ts'
import { isFinished, isTerminating } from '../pods.ts'
import { hostPortsInUse } from './host-ports-in-use.ts'
import { missingImages } from './image-pull.ts'
import { isNodeWell, nodeStatus } from './node-status.ts'
import { taintsFor } from './node-taints.ts'
import { PodIps } from './pod-ips.ts'
import { PodLogs } from './pod-logs.ts'
import { decidePod } from './pod-status.ts'

export interface KubeletOptions extends ControllerContext {
  /** Which nodes are played; all by default. */
  readonly plays?: (node: Cached<CoreNode>) => boolean
  /** How often a node says that it is well; a kubelet's 5 minutes by default. */
  readonly heartbeatMs?: number
  /** How long a container that crashes waits; 10 seconds, doubling to 5 minutes by default. */
  readonly crashBackoff?: { readonly baseMs: number; readonly maxMs: number }
  readonly logs?: PodLogs
}

const orphanGraceMs = 40_000

/** Plays the kubelets of all nodes: nodes are Ready, and pods run, answer, crash and go away. */
export function registerKubelet(options: KubeletOptions): PodLogs {
  const { manager, caches, clock, random, log } = options
  const { plays = () => true, heartbeatMs = 5 * 60_000, logs = new PodLogs() } = options
  const { crashBackoff = { baseMs: 10_000, maxMs: 300_000 } } = options
  const { pods, nodes } = caches
  const events = new ComponentEvents({ component: 'kubelet', clock, random, log })
  const ips = new PodIps()
  const orphanedSince = new Map<Key, number>()
  const ipInUse = (ip: string) => {
    for (const { status } of pods.values()) if (status?.podIP === ip) return true
    return false
  }

  manager.reconcile({
    name: 'kubelet-nodes',
    kind: Node,
    sources: [enqueueFrom(nodes, keyOfObject)],
    async reconcile(key, { client }): Promise<RequeueAfter | void> {
      const node = nodes.get(key)
      if (node === undefined || !plays(node)) return undefined
      const status = nodeStatus(node, clock.now(), heartbeatMs)
      let current = node
      if (status !== undefined) {
        const body = { status }
        const options = { subresource: 'status' }
        const written = await client.patch(Node, node.metadata, { type: 'strategic', body }, options)
        await waitForCache(nodes, written, clock)
        current = nodes.get(key) ?? current
      }
      const taints = taintsFor(current, clock.now())
      if (taints !== undefined) {
        const body = { metadata: { resourceVersion: current.metadata.resourceVersion }, spec: { taints } }
        try {
          await client.patch(Node, node.metadata, { type: 'merge', body })
        } catch (error) {
          if (!isConflict(error)) throw error
          return requeueAfter(20)
        }
      }
      return requeueAfter(heartbeatMs)
    },
  })

  manager.reconcile({
    name: 'kubelet-pods',
    kind: Pod,
    workers: 8,
    sources: [
      enqueueFrom(pods, keyOfObject),
      enqueueFrom(nodes, ({ metadata }) => [...pods.by('node', metadata.name)].map(keyOfObject), {
        predicate: (change) =>
          change.type !== 'updated' || isNodeWell(change.object) !== isNodeWell(change.previous),
      }),
    ],
    async reconcile(key, { client }): Promise<RequeueAfter | void> {
      const pod = pods.get(key)
      if (pod === undefined) {
        logs.forget(key)
        orphanedSince.delete(key)
        return undefined
      }
      const node = nodes.get(pod.spec?.nodeName ?? '')
      if (node === undefined) return pod.spec?.nodeName ? collectOrphan(client, key, pod) : undefined
      orphanedSince.delete(key)
      if (!plays(node)) return undefined
      if (isTerminating(pod)) return stop(client, pod)
      if (isFinished(pod)) return undefined
      const decision = decidePod({
        pod,
        node,
        portsInUse: hostPortsInUse(node.metadata.annotations),
        missingImages: missingImages(node.metadata.annotations),
        freeIp: pod.status?.podIP ?? (pod.spec?.hostNetwork ? '' : ips.take(ipInUse)),
        now: clock.now(),
        crashBackoff,
      })
      if (decision.status !== undefined) {
        const body = { metadata: { uid: pod.metadata.uid }, status: decision.status }
        try {
          const written = await client.patch(
            Pod,
            pod.metadata,
            { type: 'merge', body },
            { subresource: 'status' },
          )
          logs.add(pod.metadata, decision.logs)
          await waitForCache(pods, written, clock)
        } catch (error) {
          if (isNotFound(error) || isConflict(error)) return undefined
          throw error
        }
      }
      for (const { container, ...event } of decision.events) {
        const isInit = pod.spec?.initContainers?.some(({ name }) => name === container) ?? false
        const fieldPath = `spec.${isInit ? 'initContainers' : 'containers'}{${container}}`
        await events.record(client, pod, event, { fieldPath, host: node.metadata.name })
      }
      return decision.requeueAfterMs === undefined ? undefined : requeueAfter(decision.requeueAfterMs)
    },
  })

  /** A pod whose node is gone goes too, after the time that Kubernetes' pod garbage collector gives. */
  async function collectOrphan(
    client: KubeApi,
    key: Key,
    pod: Cached<CorePod>,
  ): Promise<RequeueAfter | void> {
    if (isTerminating(pod)) return stop(client, pod)
    const since = orphanedSince.get(key) ?? clock.monotonic()
    orphanedSince.set(key, since)
    const restMs = since + orphanGraceMs - clock.monotonic()
    return restMs > 0 ? requeueAfter(restMs) : stop(client, pod)
  }

  /** Its containers end when they are asked to, long before the time that they are given is over. */
  async function stop(client: KubeApi, pod: Cached<CorePod>): Promise<void> {
    if (pod.metadata.deletionGracePeriodSeconds === 0) return // They have: a finalizer of another client holds it.
    for (const { name, state } of pod.status?.containerStatuses ?? []) {
      if (state?.running === undefined) continue
      const event = { type: 'Normal', reason: 'Killing', message: `Stopping container ${name}` } as const
      const fieldPath = `spec.containers{${name}}`
      await events.record(client, pod, event, { fieldPath, host: pod.spec?.nodeName ?? '' })
    }
    const { uid } = pod.metadata
    try {
      await client.delete(Pod, pod.metadata, { gracePeriodSeconds: 0, preconditions: { uid } })
    } catch (error) {
      if (!isNotFound(error) && !isConflict(error)) throw error
    }
  }

  return logs
}
