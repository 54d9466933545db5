import { type Cached, findCondition, isBeingDeleted } from '@portcullis/kube'
import type { Pod } from 'kubernetes-types/core/v1'
import { podsScheduled } from '../conditions/pods.ts'
import { type HostPort, hostPortsOf } from '../placement/host-ports.ts'
import { hasEnded, hostPortsIn } from '../placement/port-holders.ts'
import { portsOnNodes } from '../placement/ports-on-nodes.ts'
import type { Snapshot } from '../snapshot.ts'
import type { WantedStrategy } from '../strategies/wanted-strategy.ts'

/** How many routers a rollout may have too many and too few, as the Deployment has it. */
export interface RollingUpdate {
  readonly maxSurge: number | string
  readonly maxUnavailable: number | string
}

const surge = '25%'

const beside: RollingUpdate = { maxSurge: surge, maxUnavailable: 0 }

/**
 * Routers that are reached in another way than before, by another strategy or on other ports of their nodes, replace the old
 * ones without one of those missing: each stays until a new one is available. Only where a new router needs a port that an old
 * one has, and no other node is free, one after the other has to leave its node first.
 *
 * @param strategy by which routers are to run
 * @param count of the routers
 */
export function rollingUpdate(snapshot: Snapshot, strategy: WantedStrategy, count: number): RollingUpdate {
  const usual = usualUpdate(snapshot, strategy, count)
  const ports = hostPortsOf(strategy)
  const old = snapshot.pods.filter((pod) => isThere(pod) && !listensOn(pod, ports))
  if (old.length === 0) return usual
  const usable = portsOnNodes(snapshot, ports).filter(({ held }) => held.length === 0)
  const spare = usable.length - count
  const isShort = usable.length > 0 && spare < 0
  // Routers of one template share no node. Those without one are missing as it is: one more has to be allowed to, or none
  // could ever leave.
  const oneAfterTheOther = isShort ? { maxSurge: 0, maxUnavailable: 1 - spare } : usual
  if (hasNoRoom(snapshot, strategy)) return oneAfterTheOther
  const wanted = new Set(ports.map(({ number }) => number))
  const holders = old.filter((pod) => hostPortsIn(pod).some((port) => wanted.has(port)))
  // As many as nodes are there before the last old one goes: none has to leave for them, only those that can have no node.
  if (holders.length === 0) return isShort ? { maxSurge: surge, maxUnavailable: -spare } : beside
  const besides = usable.filter(({ node }) => holders.every(({ spec }) => spec?.nodeName !== node))
  if (besides.length >= count) return beside
  return spare > 0 ? { maxSurge: Math.min(spare, Math.ceil(count / 4)), maxUnavailable: 0 } : oneAfterTheOther
}

/** The same way in as before. On host ports there is no room for a router beside its predecessor. */
function usualUpdate({ isSingleNode }: Snapshot, { type }: WantedStrategy, count: number): RollingUpdate {
  if (type === 'HostNetwork') return { maxSurge: 0, maxUnavailable: '25%' }
  return { maxSurge: surge, maxUnavailable: count >= 4 || isSingleNode ? '25%' : '50%' }
}

/** A router that waits for a node, because others have its ports for one, lets nobody in: it need not be kept. */
function isThere(pod: Cached<Pod>): boolean {
  return pod.spec?.nodeName !== undefined && !isBeingDeleted(pod) && !hasEnded(pod)
}

/** Containers of others in the pod may have ports of their own. */
function listensOn(pod: Cached<Pod>, ports: readonly HostPort[]): boolean {
  const onHost = pod.spec?.hostNetwork === true
  const there = hostPortsIn(pod)
  return onHost !== (ports.length === 0) && ports.every(({ number }) => there.includes(number))
}

/**
 * Whether new routers have found no room beside the old ones for as long as the Deployment waits for progress, ten minutes,
 * for another reason than ports: for lack of memory or nodes, of which old routers have some, or because a quota refuses
 * pods as long as old ones count.
 */
function hasNoRoom(snapshot: Snapshot, strategy: WantedStrategy): boolean {
  const conditions = snapshot.operands.deployment?.status?.conditions
  if (findCondition(conditions, 'Progressing')?.reason !== 'ProgressDeadlineExceeded') return false
  return (
    findCondition(conditions, 'ReplicaFailure')?.status === 'True' ||
    ['Unschedulable', 'TooFewNodes'].includes(podsScheduled(snapshot, strategy).reason)
  )
}
