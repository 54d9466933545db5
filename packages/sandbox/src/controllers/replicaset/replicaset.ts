import {
  type Cached,
  controllerOf,
  enqueueFrom,
  isConflict,
  isNotFound,
  type KubeApi,
  keyOfObject,
  ownerReference,
  Pod,
  ReplicaSet,
  type RequeueAfter,
  requeueAfter,
  waitForCache,
  waitForObject,
} from '@portcullis/kube'
import type { ReplicaSet as AppsReplicaSet } from 'kubernetes-types/apps/v1'
import type { Pod as CorePod } from 'kubernetes-types/core/v1'
import { adoptPatch, claim, releasePatch } from '../claim.ts'
import { ComponentEvents } from '../component-events.ts'
import type { ControllerContext } from '../controller-context.ts'
import { matchesSelector } from '../label-selector.ts'
import { isTerminating } from '../pods.ts'
import { statusMessage } from '../status-message.ts'
import { statusPatch } from '../status-patch.ts'
import { isNamespaceTerminating } from '../terminating-namespace.ts'
import { decideReplicas, type ReplicaSetChanges, reportReplicaSet } from './decide.ts'

/** Keeps as many pods of each ReplicaSet as it wants. */
export function registerReplicaSets({ manager, caches, clock, random, log }: ControllerContext): void {
  const { pods, replicaSets } = caches
  const events = new ComponentEvents({ component: 'replicaset-controller', clock, random, log })

  manager.reconcile({
    name: 'replicasets',
    kind: ReplicaSet,
    sources: [enqueueFrom(replicaSets, keyOfObject), enqueueFrom(pods, ownersOfPod)],
    async reconcile(key, { client }): Promise<RequeueAfter | void> {
      const replicaSet = replicaSets.get(key)
      if (replicaSet === undefined) return undefined
      try {
        return await sync(client, replicaSet)
      } catch (error) {
        if (isConflict(error)) return requeueAfter(20)
        if (isNotFound(error)) return undefined
        throw error
      }
    },
  })

  /** Its controller's; one that has none may be adopted by any controller whose selector matches. */
  function* ownersOfPod(pod: Cached<CorePod>): Iterable<string> {
    const owner = controllerOf(pod)
    const { namespace = '' } = pod.metadata
    if (owner !== undefined) {
      if (owner.kind === 'ReplicaSet') yield `${namespace}/${owner.name}`
      return
    }
    for (const replicaSet of replicaSets.by('namespace', namespace)) {
      if (matchesSelector(replicaSet.spec?.selector, pod.metadata.labels)) yield keyOfObject(replicaSet)
    }
  }

  async function sync(client: KubeApi, replicaSet: Cached<AppsReplicaSet>): Promise<RequeueAfter | void> {
    const owned = await claimPods(client, replicaSet)
    const changes = decideReplicas(replicaSet, owned, clock.now())
    const problem = await applyChanges(client, replicaSet, changes)
    const now = (await claimPods(client, replicaSet)) ?? owned
    const { status, requeueAfterMs } = reportReplicaSet(replicaSet, now, problem, clock.now())
    const patch = statusPatch(replicaSet, status)
    if (patch !== undefined) {
      const written = await client.patch(ReplicaSet, replicaSet.metadata, patch, { subresource: 'status' })
      await waitForCache(replicaSets, written, clock)
    }
    if (problem !== undefined) throw new Error(problem)
    return requeueAfterMs === undefined ? undefined : requeueAfter(requeueAfterMs)
  }

  async function claimPods(
    client: KubeApi,
    replicaSet: Cached<AppsReplicaSet>,
  ): Promise<readonly Cached<CorePod>[]> {
    const reference = referenceTo(replicaSet)
    const claims = claim<CorePod>(pods.by('namespace', replicaSet.metadata.namespace ?? ''), {
      reference,
      selector: replicaSet.spec?.selector,
      isBeingDeleted: replicaSet.metadata.deletionTimestamp !== undefined,
    })
    const adopted: Cached<CorePod>[] = []
    for (const pod of claims.adopt) {
      const written = await client.patch(Pod, pod.metadata, adoptPatch(pod, reference))
      await waitForCache(pods, written, clock)
      adopted.push(written)
    }
    for (const pod of claims.release) {
      const written = await client.patch(Pod, pod.metadata, releasePatch(pod, reference))
      await waitForCache(pods, written, clock)
    }
    return [...claims.owned, ...adopted]
  }

  /** @returns what went wrong, if anything did */
  async function applyChanges(
    client: KubeApi,
    replicaSet: Cached<AppsReplicaSet>,
    { create, remove }: ReplicaSetChanges,
  ): Promise<string | undefined> {
    let problem: string | undefined
    // Slowly at first: if one cannot be made, a hundred need not be tried.
    for (let made = 0, batch = 1; made < create && problem === undefined; batch *= 2) {
      const size = Math.min(batch, create - made)
      const problems = await Promise.all(Array.from({ length: size }, () => createPod(client, replicaSet)))
      problem = problems.find((found) => found !== undefined)
      made += size
    }
    const problems = await Promise.all(remove.map((pod) => removePod(client, replicaSet, pod)))
    return problem ?? problems.find((found) => found !== undefined)
  }

  async function createPod(client: KubeApi, replicaSet: Cached<AppsReplicaSet>): Promise<string | undefined> {
    try {
      const pod = await client.create(Pod, podOf(replicaSet))
      await events.record(client, replicaSet, {
        type: 'Normal',
        reason: 'SuccessfulCreate',
        message: `Created pod: ${pod.metadata.name}`,
      })
      await waitForCache(pods, pod, clock)
      return undefined
    } catch (error) {
      if (isNamespaceTerminating(error)) return undefined
      const said = statusMessage(error)
      await events.record(client, replicaSet, {
        type: 'Warning',
        reason: 'FailedCreate',
        message: `Error creating: ${said}`,
      })
      return said
    }
  }

  async function removePod(
    client: KubeApi,
    replicaSet: Cached<AppsReplicaSet>,
    pod: Cached<CorePod>,
  ): Promise<string | undefined> {
    try {
      await client.delete(Pod, pod.metadata, { preconditions: { uid: pod.metadata.uid } })
    } catch (error) {
      if (isNotFound(error) || isConflict(error)) return undefined
      const said = statusMessage(error)
      await events.record(client, replicaSet, {
        type: 'Warning',
        reason: 'FailedDelete',
        message: `Error deleting: ${said}`,
      })
      return said
    }
    await waitForObject<CorePod>(
      pods,
      keyOfObject(pod),
      clock,
      (now) => now === undefined || isTerminating(now),
    )
    await events.record(client, replicaSet, {
      type: 'Normal',
      reason: 'SuccessfulDelete',
      message: `Deleted pod: ${pod.metadata.name}`,
    })
    return undefined
  }
}

function referenceTo(replicaSet: Cached<AppsReplicaSet>) {
  const owner = { apiVersion: ReplicaSet.apiVersion, kind: ReplicaSet.kind, metadata: replicaSet.metadata }
  return ownerReference(owner, { controller: true, blockOwnerDeletion: true })
}

/** A pod as the template has it, under a name that the server completes. */
function podOf(replicaSet: Cached<AppsReplicaSet>): CorePod {
  const { namespace = '', name } = replicaSet.metadata
  const template = structuredClone(replicaSet.spec?.template ?? {}) as Pick<CorePod, 'metadata' | 'spec'>
  const { labels, annotations, finalizers } = template.metadata ?? {}
  return {
    metadata: {
      namespace,
      generateName: `${name}-`,
      ...(labels && { labels }),
      ...(annotations && { annotations }),
      ...(finalizers && { finalizers }),
      ownerReferences: [referenceTo(replicaSet)],
    },
    ...(template.spec && { spec: template.spec }),
  }
}
