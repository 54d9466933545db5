import type { Cached, DeepReadonly } from '@portcullis/kube'
import { timestamp } from '@portcullis/kube'
import type { Namespace, NamespaceCondition } from 'kubernetes-types/core/v1'

/** What is left in a namespace after everything in it was deleted. */
export interface Remains {
  /** By resource (`pods`, `deployments.apps`), how many objects. */
  readonly objects: ReadonlyMap<string, number>
  /** By finalizer, on how many objects. */
  readonly finalizers: ReadonlyMap<string, number>
  /** What could not be deleted, and why. */
  readonly failures: readonly string[]
}

/** The conditions of a namespace on its way out, in the words of the namespace controller. */
export function terminatingConditions(
  namespace: Cached<Namespace>,
  { objects, finalizers, failures }: Remains,
  now: Date,
): DeepReadonly<NamespaceCondition>[] {
  const wanted = [
    condition(
      'NamespaceDeletionDiscoveryFailure',
      'False',
      'ResourcesDiscovered',
      'All resources successfully discovered',
    ),
    condition(
      'NamespaceDeletionGroupVersionParsingFailure',
      'False',
      'ParsedGroupVersions',
      'All legacy kube types successfully parsed',
    ),
    failures.length === 0
      ? condition(
          'NamespaceDeletionContentFailure',
          'False',
          'ContentDeleted',
          'All content successfully deleted, may be waiting on finalization',
        )
      : condition(
          'NamespaceDeletionContentFailure',
          'True',
          'ContentDeletionFailed',
          `Failed to delete all resource types, ${failures.length} remaining: ${failures.join(', ')}`,
        ),
    objects.size === 0
      ? condition('NamespaceContentRemaining', 'False', 'ContentRemoved', 'All content successfully removed')
      : condition(
          'NamespaceContentRemaining',
          'True',
          'SomeResourcesRemain',
          `Some resources are remaining: ${list(objects, (resource, count) => `${resource}. has ${count} resource instances`)}`,
        ),
    finalizers.size === 0
      ? condition(
          'NamespaceFinalizersRemaining',
          'False',
          'ContentHasNoFinalizers',
          'All content-preserving finalizers finished',
        )
      : condition(
          'NamespaceFinalizersRemaining',
          'True',
          'SomeFinalizersRemain',
          `Some content in the namespace has finalizers remaining: ${list(finalizers, (finalizer, count) => `${finalizer} in ${count} resource instances`)}`,
        ),
  ]
  const before = new Map((namespace.status?.conditions ?? []).map((known) => [known.type, known]))
  return wanted.map((next) => {
    const known = before.get(next.type)
    const { status, reason, message } = next
    if (known?.status === status && known.reason === reason && known.message === message) return known
    const since = known?.status === status ? known.lastTransitionTime : undefined
    return { ...next, lastTransitionTime: since ?? timestamp(now) }
  })
}

function condition(
  type: string,
  status: 'True' | 'False',
  reason: string,
  message: string,
): NamespaceCondition {
  return { type, status, reason, message }
}

function list(counts: ReadonlyMap<string, number>, text: (name: string, count: number) => string): string {
  return [...counts]
    .map(([name, count]) => text(name, count))
    .sort()
    .join(', ')
}
