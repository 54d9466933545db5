import {
  type Cached,
  type Change,
  enqueueFrom,
  isConflict,
  isNotFound,
  isSameJson,
  type Key,
  type KubeApi,
  keyOfObject,
  kind,
  Pod,
  timestamp,
  waitForObject,
} from '@portcullis/kube'
import type { Binding, Pod as CorePod } from 'kubernetes-types/core/v1'
import { ComponentEvents } from '../component-events.ts'
import type { ControllerContext } from '../controller-context.ts'
import { isFinished, isTerminating } from '../pods.ts'
import { isNamespaceTerminating } from '../terminating-namespace.ts'
import { decideNode, type SchedulingSnapshot } from './decide.ts'

const schedulerName = 'default-scheduler'

/** A Binding is posted below the pod that it binds. */
const PodBinding = kind<Binding>(Pod.apiVersion, Pod.kind)

/** Plays kube-scheduler: puts pods on nodes, one at a time, or says why it cannot. */
export function registerScheduler({ manager, caches, clock, random, log }: ControllerContext): void {
  const { pods, nodes, namespaces } = caches
  const events = new ComponentEvents({ component: schedulerName, clock, random, log })
  const waiting = new Set<Key>()

  manager.reconcile({
    name: 'scheduler',
    kind: Pod,
    workers: 1,
    sources: [
      // What is on a node, and what leaves it, may let others go there.
      enqueueFrom(pods, (pod) => (isWaiting(pod) ? keyOfObject(pod) : waiting), { predicate: podMatters }),
      enqueueFrom(nodes, () => waiting),
      enqueueFrom(namespaces, () => waiting),
    ],
    async reconcile(key, { client }) {
      const pod = pods.get(key)
      if (pod === undefined || !isWaiting(pod)) {
        waiting.delete(key)
        return
      }
      const decision = decideNode({
        pod,
        nodes: [...nodes.values()],
        podsByNode: podsByNode(),
        namespaceLabels: (namespace) => namespaces.get(namespace)?.metadata.labels ?? {},
      })
      if (decision.node === undefined) {
        waiting.add(key)
        await refuse(client, pod, decision.message)
      } else {
        waiting.delete(key)
        await bind(client, key, pod, decision.node)
      }
    },
  })

  function podsByNode(): SchedulingSnapshot['podsByNode'] {
    const byNode = new Map<string, Cached<CorePod>[]>()
    for (const { metadata } of nodes.values()) {
      byNode.set(
        metadata.name,
        [...pods.by('node', metadata.name)].filter((pod) => !isFinished(pod)),
      )
    }
    return byNode
  }

  async function bind(client: KubeApi, key: Key, pod: Cached<CorePod>, node: string): Promise<void> {
    const { namespace = '', name, uid } = pod.metadata
    const binding: Binding = {
      apiVersion: 'v1',
      kind: 'Binding',
      metadata: { namespace, name, uid },
      target: { apiVersion: 'v1', kind: 'Node', name: node },
    }
    try {
      await client.create(PodBinding, binding, { subresource: 'binding' })
    } catch (error) {
      if (isNotFound(error) || isConflict(error) || isNamespaceTerminating(error)) return // Gone, or bound by another.
      throw error
    }
    // The next pod must see this one on its node.
    await waitForObject<CorePod>(pods, key, clock, (now) => now === undefined || !isWaiting(now))
    const message = `Successfully assigned ${namespace}/${name} to ${node}`
    await events.recordNewStyle(client, pod, { type: 'Normal', reason: 'Scheduled', message }, 'Binding')
  }

  async function refuse(client: KubeApi, pod: Cached<CorePod>, message: string): Promise<void> {
    const before = pod.status?.conditions?.find(({ type }) => type === 'PodScheduled')
    if (before?.status === 'False' && before.message === message) return
    await events.recordNewStyle(
      client,
      pod,
      { type: 'Warning', reason: 'FailedScheduling', message },
      'Scheduling',
    )
    const { generation } = pod.metadata
    const unchanged = before?.status === 'False' ? before.lastTransitionTime : undefined
    const condition = {
      type: 'PodScheduled',
      ...(generation !== undefined && { observedGeneration: generation }),
      status: 'False',
      reason: 'Unschedulable',
      message,
      lastProbeTime: null,
      lastTransitionTime: unchanged ?? timestamp(clock.now()),
    }
    const body = { status: { conditions: [condition] } }
    try {
      await client.patch(Pod, pod.metadata, { type: 'strategic', body }, { subresource: 'status' })
    } catch (error) {
      if (!isNotFound(error)) throw error
    }
  }
}

/** Where a pod is, what it is labelled with, and whether it uses resources of its node. */
function podMatters(change: Change<Cached<CorePod>>): boolean {
  if (change.type !== 'updated') return true
  const view = (pod: Cached<CorePod>) => [
    pod.spec?.nodeName,
    pod.spec?.schedulingGates,
    pod.metadata.labels,
    isFinished(pod),
    isTerminating(pod),
  ]
  return !isSameJson(view(change.object), view(change.previous))
}

/** Whether a pod is ours to place, and has no place yet. */
function isWaiting(pod: Cached<CorePod>): boolean {
  const { spec } = pod
  return (
    !spec?.nodeName &&
    (spec?.schedulerName ?? schedulerName) === schedulerName &&
    (spec?.schedulingGates ?? []).length === 0 &&
    !isTerminating(pod) &&
    !isFinished(pod)
  )
}
