import {
  isConflict,
  isNotFound,
  type KeySource,
  KindNotServedError,
  type KubeApi,
  type KubeObject,
  kind,
  type Metrics,
  type Persisted,
  type RequeueAfter,
  requeueAfter,
} from '@portcullis/kube'
import type { OwnerReference } from 'kubernetes-types/meta/v1'
import type { ControllerContext } from '../controller-context.ts'
import type { FindKinds } from '../served-kinds.ts'
import {
  decideCollection,
  foregroundFinalizer,
  knownState,
  type OwnerState,
  orphanFinalizer,
} from './decide.ts'
import { type GraphNode, OwnershipGraph } from './graph.ts'
import { KindMonitors } from './kind-monitors.ts'

export interface GarbageCollectorOptions extends Omit<ControllerContext, 'caches'> {
  /** To watch with: the kinds are not known before. */
  readonly client: Pick<KubeApi, 'pages' | 'watchOnce'>
  readonly findKinds: FindKinds
  /** 30 seconds by default, as the real one. */
  readonly rediscoverMs?: number
  readonly metrics: Metrics
}

/** Deletes what has lost its last owner, and sees foreground and orphaning deletions through. Keys are uids. */
export function registerGarbageCollector(options: GarbageCollectorOptions): void {
  const { manager, rediscoverMs = 30_000 } = options
  let graph = new OwnershipGraph()

  /** The watches live as long as the controller listens. */
  const source: KeySource = {
    subscribe(listener) {
      graph = new OwnershipGraph()
      const monitors = new KindMonitors({ ...options, rediscoverMs }, graph, (uids) =>
        uids.forEach((uid) => listener.enqueue(uid)),
      )
      monitors.start()
      return () => monitors.stop()
    },
  }

  manager.reconcile({
    name: 'garbage-collector',
    kind: kind<KubeObject>('', 'object'),
    sources: [source],
    workers: 8,
    async reconcile(uid, { client }): Promise<RequeueAfter | void> {
      const item = graph.get(uid)
      if (item === undefined) return undefined
      try {
        return await collect(client, item)
      } catch (error) {
        if (isConflict(error)) return requeueAfter(50)
        if (isNotFound(error) || error instanceof KindNotServedError) return undefined
        throw error
      }
    },
  })

  async function collect(client: KubeApi, item: GraphNode): Promise<RequeueAfter | void> {
    const owners = item.isBeingDeleted
      ? []
      : await Promise.all(
          item.owners.map(async (reference) => ({
            reference,
            state: knownState(graph.get(reference.uid), item) ?? (await askFor(client, reference, item)),
          })),
        )
    const decision = decideCollection({ item, owners, dependents: graph.dependentsOf(item.uid) })
    switch (decision.action) {
      case 'nothing':
        return undefined
      case 'delete': {
        const preconditions = { uid: item.uid }
        const { propagation } = decision
        await client.delete(item.kind, item, { preconditions, propagation })
        return undefined
      }
      case 'dropOwners':
        return dropOwners(client, item, decision.uids)
      case 'removeFinalizer':
        return removeFinalizer(client, item, foregroundFinalizer)
      case 'orphanDependents':
        for (const dependent of decision.dependents) await orphan(client, dependent, item)
        return removeFinalizer(client, item, orphanFinalizer)
    }
  }

  /** One that went away by itself needs nothing more. */
  async function orphan(client: KubeApi, dependent: GraphNode, owner: GraphNode): Promise<void> {
    try {
      await dropOwners(client, dependent, [owner.uid])
    } catch (error) {
      if (!isNotFound(error)) throw error
    }
  }
}

/** The graph may lag behind: before anything is deleted for want of an owner, the server is asked. */
async function askFor(client: KubeApi, reference: OwnerReference, item: GraphNode): Promise<OwnerState> {
  const owner = kind<KubeObject>(reference.apiVersion, reference.kind)
  const found = await read(client, owner, { name: reference.name, namespace: item.namespace })
  if (found?.metadata.uid !== reference.uid) return 'absent'
  const { deletionTimestamp, finalizers = [] } = found.metadata
  return deletionTimestamp !== undefined && finalizers.includes(foregroundFinalizer) ? 'waiting' : 'solid'
}

/** In the item's namespace, or without one if the owner's kind has none. */
async function read(
  client: KubeApi,
  owner: ReturnType<typeof kind<KubeObject>>,
  { name, namespace }: { readonly name: string; readonly namespace: string | undefined },
): Promise<Persisted | undefined> {
  try {
    return await client.get(owner, { name, namespace })
  } catch (error) {
    if (isNotFound(error)) return undefined
    if (!(error instanceof TypeError)) throw error
    // The kind is cluster-scoped; or the item is, and can then have no owner in a namespace.
    if (namespace === undefined) return undefined
    return read(client, owner, { name, namespace: undefined })
  }
}

async function dropOwners(client: KubeApi, item: GraphNode, uids: readonly string[]): Promise<void> {
  const { metadata } = await client.get(item.kind, item)
  if (metadata.uid !== item.uid) return
  const rest = (metadata.ownerReferences ?? []).filter(({ uid }) => !uids.includes(uid))
  if (rest.length === (metadata.ownerReferences ?? []).length) return
  const { uid, resourceVersion } = metadata
  const body = { metadata: { uid, resourceVersion, ownerReferences: rest.length === 0 ? null : rest } }
  await client.patch(item.kind, item, { type: 'merge', body })
}

async function removeFinalizer(client: KubeApi, item: GraphNode, finalizer: string): Promise<void> {
  const { metadata } = await client.get(item.kind, item)
  if (metadata.uid !== item.uid || !(metadata.finalizers ?? []).includes(finalizer)) return
  const { uid, resourceVersion } = metadata
  const finalizers = (metadata.finalizers ?? []).filter((other) => other !== finalizer)
  await client.patch(item.kind, item, {
    type: 'merge',
    body: { metadata: { uid, resourceVersion, finalizers } },
  })
}
