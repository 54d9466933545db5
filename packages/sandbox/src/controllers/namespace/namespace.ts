import {
  type Cached,
  enqueueFrom,
  isConflict,
  isNotFound,
  isSameJson,
  KindNotServedError,
  type KubeApi,
  keyOfObject,
  Namespace,
  type Persisted,
  type RequeueAfter,
  requeueAfter,
} from '@portcullis/kube'
import type { Namespace as CoreNamespace } from 'kubernetes-types/core/v1'
import type { ControllerContext } from '../controller-context.ts'
import type { FindKinds, ServedKind } from '../served-kinds.ts'
import { statusMessage } from '../status-message.ts'
import { type Remains, terminatingConditions } from './decide.ts'

export interface NamespaceOptions extends ControllerContext {
  readonly findKinds: FindKinds
  /** How often to look whether all is gone; 250 ms by default. */
  readonly pollMs?: number
}

const finalizer = 'kubernetes'

/** Empties namespaces that are being deleted, and then lets them go. */
export function registerNamespaces(options: NamespaceOptions): void {
  const { manager, caches, clock, findKinds, pollMs = 250 } = options
  const { namespaces } = caches

  manager.reconcile({
    name: 'namespaces',
    kind: Namespace,
    sources: [enqueueFrom(namespaces, keyOfObject)],
    async reconcile(key, { client }): Promise<RequeueAfter | void> {
      const namespace = namespaces.get(key)
      if (namespace === undefined || !isLeaving(namespace)) return undefined
      try {
        return await empty(client, namespace)
      } catch (error) {
        if (isConflict(error)) return requeueAfter(50)
        if (isNotFound(error)) return undefined
        throw error
      }
    },
  })

  async function empty(client: KubeApi, namespace: Cached<CoreNamespace>): Promise<RequeueAfter | void> {
    const kinds = (await findKinds()).filter(canBeEmptied)
    // Pods first: nothing that they may need for a clean end goes before them.
    const pods = kinds.filter(({ resource }) => resource === 'pods')
    const others = kinds.filter(({ resource }) => resource !== 'pods')
    let remains = await clear(client, namespace.metadata.name, pods)
    if (remains.objects.size === 0) remains = await clear(client, namespace.metadata.name, others)
    const current = await report(client, namespace, remains)
    if (remains.objects.size > 0 || remains.failures.length > 0) return requeueAfter(pollMs)
    const finalizers = (current.spec?.finalizers ?? []).filter((name) => name !== finalizer)
    const { metadata } = current
    await client.replace(
      Namespace,
      { metadata: { ...metadata }, spec: { finalizers } },
      { subresource: 'finalize' },
    )
    return undefined
  }

  async function report(
    client: KubeApi,
    namespace: Cached<CoreNamespace>,
    remains: Remains,
  ): Promise<Persisted<CoreNamespace>> {
    const conditions = terminatingConditions(namespace, remains, clock.now())
    const latest = await client.get(Namespace, namespace.metadata)
    if (isSameJson(latest.status?.conditions, conditions)) return latest
    const body = { status: { conditions } }
    return client.patch(Namespace, namespace.metadata, { type: 'merge', body }, { subresource: 'status' })
  }
}

function isLeaving({ metadata, spec }: Cached<CoreNamespace>): boolean {
  return metadata.deletionTimestamp !== undefined && (spec?.finalizers ?? []).includes(finalizer)
}

function canBeEmptied({ namespaced, verbs, apiVersion, kind }: ServedKind): boolean {
  // Events are served by two groups, from one store.
  if (kind === 'Event' && apiVersion !== 'v1') return false
  return namespaced && verbs.includes('list') && verbs.includes('delete')
}

async function clear(client: KubeApi, namespace: string, kinds: readonly ServedKind[]): Promise<Remains> {
  const objects = new Map<string, number>()
  const finalizers = new Map<string, number>()
  const failures: string[] = []
  await Promise.all(
    kinds.map(async (kind) => {
      try {
        const { items } = await client.list(kind, { namespace })
        await Promise.all(items.map((item) => remove(client, kind, item)))
        const left = items.length === 0 ? [] : (await client.list(kind, { namespace })).items
        if (left.length > 0) objects.set(kind.resource, left.length)
        for (const name of left.flatMap(({ metadata }) => metadata.finalizers ?? [])) {
          finalizers.set(name, (finalizers.get(name) ?? 0) + 1)
        }
      } catch (error) {
        if (error instanceof KindNotServedError || isNotFound(error)) return // The kind went meanwhile.
        failures.push(statusMessage(error))
      }
    }),
  )
  return { objects, finalizers, failures }
}

async function remove(client: KubeApi, kind: ServedKind, { metadata }: Persisted): Promise<void> {
  if (metadata.deletionTimestamp !== undefined) return
  try {
    await client.delete(kind, metadata, { preconditions: { uid: metadata.uid }, propagation: 'Background' })
  } catch (error) {
    if (!isNotFound(error) && !isConflict(error)) throw error
  }
}
