import {
  asReceived,
  Cache,
  type Cached,
  createMetrics,
  type Kind,
  type KubeObject,
  keyOf,
  type MergePatch,
  type ObjectRef,
  openCaches,
  type Persisted,
  SimulatedApiServer,
  Storage,
  type StoredObject,
  silentLogger,
  type WatchedKind,
} from '@portcullis/kube'
import type { Action } from '../ingress/decision.ts'
import { fieldManager } from '../ingress/names.ts'
import type { Settings } from '../ingress/settings.ts'
import { type Caches, watchedKinds } from '../ingress/watched-kinds.ts'
import type { ListedObjects } from './listed-objects.ts'

/** Larger than any that a cluster has given out: caches take two of the same version for the same. */
const firstVersion = 2 ** 52

/** A copy of a cluster in which things can be tried: what is written here is written nowhere else. */
export class SimulatedCluster {
  readonly caches: Caches
  now: Date
  readonly #storage = new Storage(firstVersion)
  readonly #server: SimulatedApiServer
  readonly #metrics = createMetrics('portcullis')
  readonly #caches = new Map<string, Cache<KubeObject, string>>()

  constructor(objects: ListedObjects, settings: Settings, now: Date) {
    this.now = now
    this.#server = new SimulatedApiServer({
      storage: this.#storage,
      now: () => this.now,
      newUid: () => `simulated-${this.#storage.revision}`,
    })
    this.caches = openCaches(watchedKinds(settings), (watched) => this.#fill(watched, objects))
  }

  all<T extends KubeObject>({ kind }: Kind<T>): Cached<T>[] {
    return [...this.#cacheOf(kind).values()] as Cached<T>[]
  }

  get<T extends KubeObject>({ kind }: Kind<T>, ref: ObjectRef): Cached<T> | undefined {
    return this.#cacheOf(kind).get(keyOf(ref)) as Cached<T> | undefined
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
    const sent = { ...(asReceived(object) as object), apiVersion, kind } as StoredObject
    this.#server.create(kind, sent, { manager })
  }

  /** @param manager who writes; none where a part of the API server does */
  patch({ kind }: Kind, { metadata }: Cached<KubeObject>, patch: object, manager: string | undefined): void {
    this.#server.patch(kind, keyOf(metadata), asReceived(patch) as MergePatch, { manager })
  }

  /** At once: finalizers are for what happens outside. */
  remove({ kind }: Kind, { metadata }: Cached<KubeObject>): void {
    this.#storage.remove(kind, keyOf(metadata))
  }

  #cacheOf(kind: string): Cache<KubeObject, string> {
    const found = this.#caches.get(kind)
    if (found === undefined) throw new Error(`Nobody looks at ${kind}.`)
    return found
  }

  /** Caches are fed what is stored as those of the operator are, with what it keeps of each object. */
  #fill<T extends KubeObject, I extends string>(
    { kind: { kind }, project = (object) => object, indexes }: WatchedKind<T, I>,
    objects: ListedObjects,
  ): Cache<T, I> {
    const cache = new Cache<T, I>({ name: kind, indexes, log: silentLogger, metrics: this.#metrics })
    const listed = (objects[kind] ?? []) as readonly Persisted<T>[]
    for (const object of listed)
      this.#storage.load(kind, keyOf(object.metadata), object as unknown as StoredObject)
    cache.replace(listed.map(project))
    this.#storage.subscribe(kind, ({ type, object }) => {
      const persisted = object as unknown as Persisted<T>
      if (type === 'DELETED') cache.delete(persisted)
      else cache.apply(project(persisted))
    })
    this.#caches.set(kind, cache as unknown as Cache<KubeObject, string>)
    return cache
  }
}
