import {
  type Cached,
  controllerOf,
  Deployment,
  enqueueFrom,
  isAlreadyExists,
  isConflict,
  isNotFound,
  isOwnedBy,
  type KubeApi,
  keyOfObject,
  ownerReference,
  ReplicaSet,
  type RequeueAfter,
  requeueAfter,
  waitForCache,
} from '@portcullis/kube'
import type { Deployment as AppsDeployment, ReplicaSet as AppsReplicaSet } from 'kubernetes-types/apps/v1'
import { adoptPatch, claim, releasePatch } from '../claim.ts'
import { ComponentEvents } from '../component-events.ts'
import type { ControllerContext } from '../controller-context.ts'
import { matchesSelector } from '../label-selector.ts'
import { statusMessage } from '../status-message.ts'
import { statusPatch } from '../status-patch.ts'
import { isNamespaceTerminating } from '../terminating-namespace.ts'
import { set } from './conditions.ts'
import { type DeploymentDecision, decideDeployment } from './decide.ts'
import { revisionAnnotation, sizeAnnotations } from './revisions.ts'
import { sizeOf } from './sizes.ts'
import { sameTemplate } from './template-hash.ts'

/** Rolls Deployments out: a ReplicaSet for each template, sized up and down within the limits. */
export function registerDeployments({ manager, caches, clock, random, log }: ControllerContext): void {
  const { deployments, replicaSets, pods } = caches
  const events = new ComponentEvents({ component: 'deployment-controller', clock, random, log })

  manager.reconcile({
    name: 'deployments',
    kind: Deployment,
    sources: [
      enqueueFrom(deployments, keyOfObject),
      enqueueFrom(replicaSets, ownersOfSet),
      // The last old pod's end lets a Recreate go on.
      enqueueFrom(
        pods,
        (pod) => {
          const owner = controllerOf(pod)
          const set = owner && replicaSets.get(`${pod.metadata.namespace}/${owner.name}`)
          return set && [...ownersOfSet(set)]
        },
        { predicate: ({ type }) => type === 'deleted' },
      ),
    ],
    async reconcile(key, { client }): Promise<RequeueAfter | void> {
      const deployment = deployments.get(key)
      if (deployment === undefined) return undefined
      try {
        return await sync(client, deployment)
      } catch (error) {
        if (isConflict(error)) return requeueAfter(20)
        if (isNotFound(error)) return undefined
        throw error
      }
    },
  })

  function* ownersOfSet(set: Cached<AppsReplicaSet>): Iterable<string> {
    const owner = controllerOf(set)
    const { namespace = '' } = set.metadata
    if (owner !== undefined) {
      if (owner.kind === 'Deployment') yield `${namespace}/${owner.name}`
      return
    }
    for (const deployment of deployments.by('namespace', namespace)) {
      if (matchesSelector(deployment.spec?.selector, set.metadata.labels)) yield keyOfObject(deployment)
    }
  }

  async function sync(client: KubeApi, deployment: Cached<AppsDeployment>): Promise<RequeueAfter | void> {
    const owned = await claimSets(client, deployment)
    const decision = decideDeployment({
      deployment,
      replicaSets: owned,
      podsOf: (uid) => pods.by('controller', uid),
      now: clock.now(),
    })
    if (decision.create !== undefined && !(await create(client, deployment, decision.create)))
      return undefined
    await resize(client, deployment, decision)
    for (const set of decision.remove) {
      await client.delete(ReplicaSet, set.metadata, { preconditions: { uid: set.metadata.uid } })
    }
    await report(client, deployment, decision)
    return decision.requeueAfterMs === undefined ? undefined : requeueAfter(decision.requeueAfterMs)
  }

  async function claimSets(
    client: KubeApi,
    deployment: Cached<AppsDeployment>,
  ): Promise<readonly Cached<AppsReplicaSet>[]> {
    const owner = { apiVersion: Deployment.apiVersion, kind: Deployment.kind, metadata: deployment.metadata }
    const reference = ownerReference(owner, { controller: true, blockOwnerDeletion: true })
    const claims = claim<AppsReplicaSet>(replicaSets.by('namespace', deployment.metadata.namespace ?? ''), {
      reference,
      selector: deployment.spec?.selector,
      isBeingDeleted: deployment.metadata.deletionTimestamp !== undefined,
    })
    const adopted: Cached<AppsReplicaSet>[] = []
    for (const set of claims.adopt) {
      const written = await client.patch(ReplicaSet, set.metadata, adoptPatch(set, reference))
      await waitForCache(replicaSets, written, clock)
      adopted.push(written)
    }
    for (const set of claims.release) {
      const written = await client.patch(ReplicaSet, set.metadata, releasePatch(set, reference))
      await waitForCache(replicaSets, written, clock)
    }
    return [...claims.owned, ...adopted]
  }

  /** @returns whether to go on: not if the name was taken, or the server said no */
  async function create(
    client: KubeApi,
    deployment: Cached<AppsDeployment>,
    wanted: AppsReplicaSet,
  ): Promise<boolean> {
    const name = wanted.metadata?.name ?? ''
    try {
      const created = await client.create(ReplicaSet, wanted)
      await waitForCache(replicaSets, created, clock)
      if ((wanted.spec?.replicas ?? 0) > 0) {
        const message = `Scaled up replica set ${name} from 0 to ${wanted.spec?.replicas}`
        await events.record(client, deployment, { type: 'Normal', reason: 'ScalingReplicaSet', message })
      }
      return true
    } catch (error) {
      if (isNamespaceTerminating(error)) return false
      if (isAlreadyExists(error)) await resolveCollision(client, deployment, name)
      else await recordFailure(client, deployment, name, error)
      throw error
    }
  }

  /** Another template of the same hash, or another's ReplicaSet of the same name: the next try uses another hash. */
  async function resolveCollision(
    client: KubeApi,
    deployment: Cached<AppsDeployment>,
    name: string,
  ): Promise<void> {
    const other = await client.get(ReplicaSet, { namespace: deployment.metadata.namespace, name })
    if (isOwnedBy(other, deployment) && sameTemplate(other.spec?.template, deployment.spec?.template)) {
      return waitForCache(replicaSets, other, clock)
    }
    const collisionCount = (deployment.status?.collisionCount ?? 0) + 1
    const patch = statusPatch(deployment, { ...deployment.status, collisionCount })
    if (patch === undefined) return
    const written = await client.patch(Deployment, deployment.metadata, patch, { subresource: 'status' })
    await waitForCache(deployments, written, clock)
  }

  async function recordFailure(
    client: KubeApi,
    deployment: Cached<AppsDeployment>,
    name: string,
    error: unknown,
  ): Promise<void> {
    const message = `Failed to create new replica set "${name}": ${statusMessage(error)}`
    const reason = 'ReplicaSetCreateError'
    await events.record(client, deployment, { type: 'Warning', reason, message })
    const condition = { type: 'Progressing', status: 'False', reason, message }
    const conditions = set(deployment.status?.conditions ?? [], condition, clock.now())
    const patch = statusPatch(deployment, { ...deployment.status, conditions })
    if (patch !== undefined) {
      await client.patch(Deployment, deployment.metadata, patch, { subresource: 'status' })
    }
  }

  async function resize(
    client: KubeApi,
    deployment: Cached<AppsDeployment>,
    { annotate, resize }: DeploymentDecision,
  ): Promise<void> {
    if (annotate !== undefined) {
      const body = {
        metadata: { annotations: annotate.annotations },
        spec: { minReadySeconds: deployment.spec?.minReadySeconds ?? 0 },
      }
      const written = await client.patch(ReplicaSet, annotate.set.metadata, { type: 'merge', body })
      await waitForCache(replicaSets, written, clock)
    }
    for (const [set, size] of resize) {
      const before = sizeOf(set)
      const body = { metadata: { annotations: sizeAnnotations(deployment) }, spec: { replicas: size } }
      const written = await client.patch(ReplicaSet, set.metadata, { type: 'merge', body })
      await waitForCache(replicaSets, written, clock)
      if (before === size) continue
      const direction = before < size ? 'up' : 'down'
      const message = `Scaled ${direction} replica set ${set.metadata.name} from ${before} to ${size}`
      await events.record(client, deployment, { type: 'Normal', reason: 'ScalingReplicaSet', message })
    }
  }

  async function report(
    client: KubeApi,
    deployment: Cached<AppsDeployment>,
    { revision, status }: DeploymentDecision,
  ): Promise<void> {
    // With the status, as the real one does it: on its own, an annotation would count as a change of the Deployment.
    const annotations = revision === undefined ? undefined : { [revisionAnnotation]: revision }
    const patch = statusPatch(deployment, status, { annotations })
    if (patch === undefined) return
    const written = await client.patch(Deployment, deployment.metadata, patch, { subresource: 'status' })
    await waitForCache(deployments, written, clock)
  }
}
