import type { Cached } from '@portcullis/kube'
import type { Pod } from 'kubernetes-types/core/v1'

type PodsByNode = ReadonlyMap<string, readonly Cached<Pod>[]>

/** One decision asks about the same pods several times. A snapshot is never changed, so its list stands for what is in it. */
const known = new WeakMap<readonly Cached<Pod>[], PodsByNode>()

/** The pods that have a node, by its name. */
export function podsByNode(pods: readonly Cached<Pod>[]): PodsByNode {
  const before = known.get(pods)
  if (before !== undefined) return before
  const byNode = new Map<string, Cached<Pod>[]>()
  for (const pod of pods) {
    const node = pod.spec?.nodeName
    if (!node) continue
    const there = byNode.get(node)
    if (there === undefined) byNode.set(node, [pod])
    else there.push(pod)
  }
  known.set(pods, byNode)
  return byNode
}
