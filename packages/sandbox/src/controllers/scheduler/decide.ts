import { type Cached, controllerOf } from '@portcullis/kube'
import type { Node, Pod } from 'kubernetes-types/core/v1'
import { hostPortsOf, portsConflict } from './host-ports.ts'
import { allowsNode, namedNodes } from './node-affinity.ts'
import { type BrokenRule, brokenRule, type Neighbourhood } from './pod-affinity.ts'
import { shortages } from './resources.ts'
import { toleratesTaints, toleratesUnschedulable } from './taints.ts'

export interface SchedulingSnapshot {
  readonly pod: Cached<Pod>
  readonly nodes: readonly Cached<Node>[]
  /** Pods that are on a node and not finished; those that terminate count until they are gone. */
  readonly podsByNode: ReadonlyMap<string, readonly Cached<Pod>[]>
  readonly namespaceLabels: Neighbourhood['namespaceLabels']
}

export type SchedulingDecision =
  | { readonly node: string; readonly message?: undefined }
  /** Why there is no node, in kube-scheduler's words. */
  | { readonly message: string; readonly node?: undefined }

/** Which node a pod goes to: of those that fit, the one with the fewest of its kin, then the fewest pods at all. */
export function decideNode(snapshot: SchedulingSnapshot): SchedulingDecision {
  const { pod, nodes, podsByNode } = snapshot
  if (nodes.length === 0) return { message: 'no nodes available to schedule pods' }
  const neighbourhood = neighbourhoodOf(snapshot)
  const obstacles = nodes.map((node) => ({ node, obstacle: obstacleOn(node, snapshot, neighbourhood) }))
  const fitting = obstacles.flatMap(({ node, obstacle }) => (obstacle === undefined ? [node] : []))
  const [best] = fitting
    .map(({ metadata: { name } }) => ({
      name,
      kin: (podsByNode.get(name) ?? []).filter((other) => isKin(pod, other)).length,
      all: podsByNode.get(name)?.length ?? 0,
    }))
    .sort((a, b) => a.kin - b.kin || a.all - b.all || (a.name < b.name ? -1 : 1))
  if (best !== undefined) return { node: best.name }
  return {
    message: unschedulable(
      pod,
      obstacles.flatMap(({ obstacle }) => (obstacle ? [obstacle] : [])),
    ),
  }
}

interface Obstacle {
  readonly reasons: readonly string[]
  /** Whether it would be gone if other pods were. */
  readonly madeByPods: boolean
}

const ruleReasons = {
  affinity: "node(s) didn't match pod affinity rules",
  antiAffinity: "node(s) didn't match pod anti-affinity rules",
  existingAntiAffinity: "node(s) didn't satisfy existing pods anti-affinity rules",
} as const satisfies Record<BrokenRule, string>

/** The first thing that keeps the pod off the node, in the order in which kube-scheduler's plugins ask. */
function obstacleOn(
  node: Cached<Node>,
  { pod, podsByNode }: SchedulingSnapshot,
  neighbourhood: Neighbourhood,
): Obstacle | undefined {
  const onNode = podsByNode.get(node.metadata.name) ?? []
  const fixed = (reason: string): Obstacle => ({ reasons: [reason], madeByPods: false })
  if (namedNodes(pod)?.has(node.metadata.name) === false) {
    return fixed("node(s) didn't satisfy plugin(s) [NodeAffinity]")
  }
  if (!toleratesUnschedulable(pod, node)) return fixed('node(s) were unschedulable')
  if (!toleratesTaints(pod, node)) return fixed('node(s) had untolerated taint(s)')
  if (!allowsNode(pod, node)) return fixed("node(s) didn't match Pod's node affinity/selector")
  const taken = onNode.flatMap(hostPortsOf)
  if (hostPortsOf(pod).some((wanted) => taken.some((other) => portsConflict(wanted, other)))) {
    return { reasons: ["node(s) didn't have free ports for the requested pod ports"], madeByPods: true }
  }
  const lacking = shortages(pod, node, onNode)
  if (lacking.length > 0) {
    return {
      reasons: lacking.map(({ reason }) => reason),
      madeByPods: !lacking.some(({ hopeless }) => hopeless),
    }
  }
  const broken = brokenRule(pod, node, neighbourhood)
  return broken && { reasons: [ruleReasons[broken]], madeByPods: broken !== 'affinity' }
}

function neighbourhoodOf({ nodes, podsByNode, namespaceLabels }: SchedulingSnapshot): Neighbourhood {
  const placed = nodes.flatMap((node) =>
    (podsByNode.get(node.metadata.name) ?? []).map((pod) => ({ pod, node })),
  )
  return { placed, namespaceLabels }
}

function isKin(a: Cached<Pod>, b: Cached<Pod>): boolean {
  const owner = controllerOf(a)?.uid
  return owner !== undefined && owner === controllerOf(b)?.uid
}

/** Nothing is ever preempted here; the words for that belong to the message all the same. */
function unschedulable(pod: Cached<Pod>, obstacles: readonly Obstacle[]): string {
  const none = `0/${obstacles.length} nodes are available:`
  const why = histogram(obstacles.flatMap(({ reasons }) => reasons))
  const preemption =
    pod.spec?.preemptionPolicy === 'Never'
      ? 'not eligible due to preemptionPolicy=Never.'
      : `${none} ${histogram(obstacles.map(({ madeByPods }) => (madeByPods ? noVictims : notHelpful)))}`
  return `${none} ${why} no new claims to deallocate, preemption: ${preemption}`
}

const noVictims = 'No preemption victims found for incoming pod'
const notHelpful = 'Preemption is not helpful for scheduling'

/** `1 node(s) …, 2 node(s) ….`, sorted as text. */
function histogram(reasons: readonly string[]): string {
  const counts = new Map<string, number>()
  for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + 1)
  const lines = [...counts].map(([reason, count]) => `${count} ${reason}`).sort()
  return `${lines.join(', ')}.`
}
