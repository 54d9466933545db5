import {
  applyMergePatch,
  Cache,
  type Cached,
  createMetrics,
  isObject,
  type Kind,
  type KubeObject,
  keyOf,
  type MergePatch,
  openCaches,
  type Persisted,
  silentLogger,
  type WatchedKind,
} from '@portcullis/kube'
import type { Action } from '../ingress/decision.ts'
import { fieldManager } from '../ingress/names.ts'
import type { Settings } from '../ingress/settings.ts'
import { type Caches, watchedKinds } from '../ingress/watched-kinds.ts'
import type { ListedObjects } from './listed-objects.ts'

interface Collection {
  readonly cache: Cache<KubeObject, string>
  readonly project: (object: Persisted) => Persisted
}

/** A copy of a cluster in which things can be tried: what is written here is written nowhere else. */
export class ImaginedCluster {
  readonly caches: Caches
  readonly #now: Date
  readonly #metrics = createMetrics('portcullis')
  readonly #collections = new Map<string, Collection>()
  /** Larger than any that a cluster has given out. */
  #version = 10n ** 18n

  constructor(objects: ListedObjects, settings: Settings, now: Date) {
    this.#now = now
    this.caches = openCaches(watchedKinds(settings), (watched) => this.#fill(watched, objects))
  }

  all<T extends KubeObject>({ kind }: Kind<T>): Cached<T>[] {
    return [...this.#of(kind).cache.values()] as Cached<T>[]
  }

  get<T extends KubeObject>(
    { kind }: Kind<T>,
    ref: { readonly namespace?: string; readonly name: string },
  ): Cached<T> | undefined {
    return this.#of(kind).cache.get(keyOf(ref)) as Cached<T> | undefined
  }

  /** Carries an action out as the API server would. */
  carryOut(action: Action): void {
    switch (action.do) {
      case 'create':
        this.create(action.kind, action.object)
        break
      case 'update':
        this.patch(action.kind, action.object, action.patch)
        break
      case 'delete':
        this.remove(action.kind, action.object)
        break
    }
  }

  create<T extends KubeObject>(
    { kind, apiVersion }: Kind<T>,
    object: T & { readonly metadata: { readonly name: string } },
  ): void {
    // What is to be absent is marked by a symbol, which JSON leaves out.
    const sent = JSON.parse(JSON.stringify(object)) as Persisted
    this.#put(kind, {
      ...sent,
      apiVersion,
      kind,
      metadata: {
        ...sent.metadata,
        uid: `imagined-${this.#version}`,
        generation: 1,
        creationTimestamp: this.#now.toISOString(),
        managedFields: [this.#account(sent)],
      },
    })
  }

  /** @param manager who writes */
  patch({ kind }: Kind, { metadata }: Cached<KubeObject>, patch: object, manager = fieldManager): void {
    const { cache } = this.#of(kind)
    const before = cache.get(keyOf(metadata))
    if (before === undefined) return
    const sent = JSON.parse(JSON.stringify(patch)) as MergePatch
    const after = applyMergePatch(before as Persisted, sent)
    const { generation = 1, managedFields = [] } = after.metadata
    this.#put(kind, {
      ...after,
      metadata: {
        ...after.metadata,
        uid: before.metadata.uid,
        generation: sent['spec'] === undefined ? generation : generation + 1,
        managedFields: manager === fieldManager ? [...managedFields, this.#account(sent)] : managedFields,
      },
    })
  }

  /** At once: finalizers are for what happens outside. */
  remove({ kind }: Kind, object: Cached<KubeObject>): void {
    this.#of(kind).cache.delete(object as Persisted)
  }

  #put(kind: string, object: Persisted): void {
    const { cache, project } = this.#of(kind)
    this.#version += 1n
    const metadata = { ...object.metadata, resourceVersion: String(this.#version) }
    cache.apply(project({ ...object, metadata }))
  }

  #of(kind: string): Collection {
    const found = this.#collections.get(kind)
    if (found === undefined) throw new Error(`Nobody looks at ${kind}.`)
    return found
  }

  #fill<T extends KubeObject, I extends string>(
    { kind: { kind }, project = (object) => object, indexes }: WatchedKind<T, I>,
    objects: ListedObjects,
  ): Cache<T, I> {
    const cache = new Cache<T, I>({ name: kind, indexes, log: silentLogger, metrics: this.#metrics })
    const listed = (objects[kind] ?? []) as readonly Persisted<T>[]
    cache.replace(listed.map(project))
    this.#collections.set(kind, { cache, project } as unknown as Collection)
    return cache
  }

  /** How the API server would keep account of what we wrote; items of lists are not told apart. */
  #account(written: object) {
    return {
      manager: fieldManager,
      operation: 'Update',
      time: this.#now.toISOString(),
      fieldsType: 'FieldsV1',
      fieldsV1: fieldsOf(written),
    }
  }
}

function fieldsOf(value: unknown): object {
  if (!isObject(value)) return {}
  return Object.fromEntries(Object.entries(value).map(([field, part]) => [`f:${field}`, fieldsOf(part)]))
}
