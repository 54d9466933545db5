import type { Selection } from '../client/api.ts'
import type { Kind, KubeObject, Persisted } from '../objects/objects.ts'
import type { CacheReader, IndexFunction } from './cache.ts'

/** Which objects of a kind are kept in memory, what is kept of each, and by what they are found. */
export interface InformerOptions<T extends KubeObject, I extends string> {
  /** In metrics and health checks; the kind's by default. */
  readonly name?: string
  readonly selection?: Selection
  readonly project?: (object: Persisted<T>) => Persisted<T>
  readonly indexes?: Readonly<Record<I, IndexFunction<T>>>
  /** Reconcilers run before it has synced; health checks report what is wrong with it all the same. */
  readonly isOptional?: boolean
}

/** One kind that is watched, as data: nothing is watched by it yet. */
export interface WatchedKind<T extends KubeObject, I extends string> extends InformerOptions<T, I> {
  readonly kind: Kind<T>
}

/** Infers the types of an entry of a table: `{ pods: watchedKind(Pod, { indexes: { node: nodeOf } }) }`. */
export function watchedKind<T extends KubeObject, I extends string = never>(
  kind: Kind<T>,
  options: InformerOptions<T, I> = {},
): WatchedKind<T, I> {
  return { kind, ...options }
}

/** What is watched, by the name of its cache. */
export type WatchedKinds = Readonly<Record<string, { readonly kind: Kind }>>

/** The caches of a table, each with the type of its objects and the names of its indexes. */
export type CachesOf<Table extends WatchedKinds> = {
  readonly [Name in keyof Table]: Table[Name] extends WatchedKind<infer T, infer I>
    ? CacheReader<T, I>
    : never
}

/**
 * Makes the cache of each kind of a table: `Manager.watchAll` does with watches, a plan with what it has listed.
 */
export function openCaches<Table extends WatchedKinds>(
  table: Table,
  open: <T extends KubeObject, I extends string>(watched: WatchedKind<T, I>) => CacheReader<T, I>,
): CachesOf<Table> {
  const opened = Object.entries(table).map(([name, watched]) => [name, open(watched)])
  return Object.fromEntries(opened) as CachesOf<Table>
}
