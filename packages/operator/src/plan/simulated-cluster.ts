import {
  asReceived,
  Cache,
  type Cached,
  createdObject,
  createMetrics,
  type Kind,
  type KubeObject,
  keyOf,
  type MergePatch,
  openCaches,
  type Persisted,
  patchedObject,
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
export class SimulatedCluster {
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

  /** Applies an action as the API server would. */
  applyAction(action: Action): void {
    switch (action.do) {
      case 'create':
        this.create(action.kind, action.object, fieldManager)
        break
      case 'update':
        this.patch(action.kind, action.object, action.patch, fieldManager)
        break
      case 'delete':
        this.remove(action.kind, action.object)
        break
    }
  }

  create<T extends KubeObject>(
    { kind, apiVersion }: Kind<T>,
    object: T & { readonly metadata: { readonly name: string } },
    manager: string,
  ): void {
    const sent = { ...(asReceived(object) as Persisted), apiVersion, kind }
    this.#put(kind, createdObject(sent, `simulated-${this.#version}`, { manager, now: this.#now }))
  }

  /** @param manager who writes; none where a part of the API server does */
  patch({ kind }: Kind, { metadata }: Cached<KubeObject>, patch: object, manager: string | undefined): void {
    const before = this.#of(kind).cache.get(keyOf(metadata)) as Persisted | undefined
    if (before === undefined) return
    const after = patchedObject(before, asReceived(patch) as MergePatch, { manager, now: this.#now })
    if (after !== before) this.#put(kind, after)
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
}
