import {
  Cache,
  createMetrics,
  Ingress,
  type Kind,
  KindNotServedError,
  type KubeApi,
  type KubeObject,
  type Metrics,
  type Persisted,
  type Selection,
  silentLogger,
  type WatchedKind,
} from '@portcullis/kube'
import { Infrastructure } from '../ingress/kinds.ts'
import type { Settings } from '../ingress/settings.ts'
import { watchAll } from '../ingress/watched-kinds.ts'

/** All that the operator looks at, and the Ingresses, as they were at one moment: by the name of their kind. */
export type ListedObjects = Readonly<Record<string, readonly Persisted[]>>

/** Lists what the operator would watch. */
export async function listObjects(
  client: Pick<KubeApi, 'list'>,
  settings: Settings,
  signal?: AbortSignal,
): Promise<ListedObjects> {
  const asked: { kind: Kind; selection: Selection | undefined }[] = [{ kind: Ingress, selection: undefined }]
  const metrics = createMetrics('portcullis')
  watchAll(
    {
      watch<T extends KubeObject, I extends string>(kind: Kind<T>, options: WatchedKind<T, I> = {}) {
        asked.push({ kind, selection: options.selection })
        return emptyCache(kind, options, metrics)
      },
    },
    settings,
  )
  const lists = asked.map(async ({ kind, selection }) => {
    const { items } = await client.list(kind, { ...selection, signal }).catch((error: unknown) => {
      // Only OpenShift has it everywhere.
      if (kind === Infrastructure && error instanceof KindNotServedError) return { items: [] }
      throw error
    })
    return [kind.kind, items] as const
  })
  return Object.fromEntries(await Promise.all(lists))
}

export function emptyCache<T extends KubeObject, I extends string>(
  { kind }: Kind<T>,
  { indexes }: WatchedKind<T, I>,
  metrics: Metrics,
): Cache<T, I> {
  return new Cache<T, I>({
    name: kind,
    log: silentLogger,
    metrics,
    ...(indexes && { indexes }),
  })
}
