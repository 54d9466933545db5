import {
  Ingress,
  type Kind,
  KindNotServedError,
  type KubeApi,
  type Persisted,
  type Selection,
  watchedKind,
} from '@portcullis/kube'
import { Infrastructure } from '../ingress/kinds.ts'
import type { Settings } from '../ingress/settings.ts'
import { watchedKinds } from '../ingress/watched-kinds.ts'

/** All that the operator looks at, and the Ingresses, as they were at one moment: by the name of their kind. */
export type ListedObjects = Readonly<Record<string, readonly Persisted[]>>

interface Listed {
  readonly kind: Kind
  readonly selection?: Selection
}

/** Lists what the operator would watch. */
export async function listObjects(
  client: Pick<KubeApi, 'list'>,
  settings: Settings,
  signal?: AbortSignal,
): Promise<ListedObjects> {
  const listed: readonly Listed[] = [watchedKind(Ingress), ...Object.values(watchedKinds(settings))]
  const lists = listed.map(async ({ kind, selection }) => {
    const { items } = await client.list(kind, { ...selection, signal }).catch((error: unknown) => {
      // Only OpenShift has it everywhere.
      if (kind === Infrastructure && error instanceof KindNotServedError) return { items: [] }
      throw error
    })
    return [kind.kind, items] as const
  })
  return Object.fromEntries(await Promise.all(lists))
}
