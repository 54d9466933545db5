import {
  type Cached,
  controllerOf,
  enqueueFrom,
  isConflict,
  isNotFound,
  keyOfObject,
  PodDisruptionBudget,
  type RequeueAfter,
  requeueAfter,
  waitForCache,
} from '@portcullis/kube'
import type { Pod as CorePod } from 'kubernetes-types/core/v1'
import type { ControllerContext } from '../controller-context.ts'
import { matchesSelector } from '../label-selector.ts'
import { isFinished } from '../pods.ts'
import { statusPatch } from '../status-patch.ts'
import { budgetStatus } from './decide.ts'

/** Keeps the status of PodDisruptionBudgets. */
export function registerDisruptionBudgets({ manager, caches, clock }: ControllerContext): void {
  const { podDisruptionBudgets: budgets, pods, replicaSets, deployments } = caches
  const inNamespaceOf = ({ metadata }: { readonly metadata: { readonly namespace?: string } }) =>
    [...budgets.by('namespace', metadata.namespace ?? '')].map(keyOfObject)

  manager.reconcile({
    name: 'disruption',
    kind: PodDisruptionBudget,
    sources: [
      enqueueFrom(budgets, keyOfObject),
      enqueueFrom(pods, inNamespaceOf),
      enqueueFrom(replicaSets, inNamespaceOf),
      enqueueFrom(deployments, inNamespaceOf),
    ],
    async reconcile(key, { client }): Promise<RequeueAfter | void> {
      const budget = budgets.get(key)
      if (budget === undefined) return undefined
      const selected = [...pods.by('namespace', budget.metadata.namespace ?? '')].filter(
        (pod) => !isFinished(pod) && matchesSelector(budget.spec?.selector, pod.metadata.labels),
      )
      const patch = statusPatch(budget, budgetStatus(budget, selected, wantedBy(selected), clock.now()))
      if (patch === undefined) return undefined
      try {
        const written = await client.patch(PodDisruptionBudget, budget.metadata, patch, {
          subresource: 'status',
        })
        await waitForCache(budgets, written, clock)
        return undefined
      } catch (error) {
        if (isConflict(error)) return requeueAfter(20)
        if (isNotFound(error)) return undefined
        throw error
      }
    },
  })

  function wantedBy(selected: readonly Cached<CorePod>[]): number {
    const wanted = new Map<string, number>()
    for (const pod of selected) {
      const owner = controllerOf(pod)
      const set = owner && replicaSets.get(`${pod.metadata.namespace}/${owner.name}`)
      const parent = set && controllerOf(set)
      const deployment = parent && deployments.get(`${pod.metadata.namespace}/${parent.name}`)
      if (deployment !== undefined) wanted.set(deployment.metadata.uid, deployment.spec?.replicas ?? 1)
      else if (set !== undefined) wanted.set(set.metadata.uid, set.spec?.replicas ?? 1)
    }
    return [...wanted.values()].reduce((total, count) => total + count, 0)
  }
}
