import { rejectOnAbort } from '../abort.ts'
import type { Change } from '../controller/source.ts'
import type { Logger } from '../log.ts'
import type { Metrics } from '../metrics.ts'
import { type DeepReadonly, type Key, type KubeObject, keyOf, type Persisted } from '../objects/objects.ts'
import type { WatchSink } from './watch.ts'

/** Objects in a cache are shared by all readers. */
export type Cached<T extends KubeObject> = DeepReadonly<Persisted<T>>

/** Under which values an object is found in an index; an object may stand under several, or none. */
export type IndexFunction<T extends KubeObject> = (object: Cached<T>) => Iterable<string>

/** What reconcilers see of a cache. */
export interface CacheReader<T extends KubeObject, I extends string = string> {
  get(key: Key): Cached<T> | undefined
  values(): Iterable<Cached<T>>
  readonly size: number
  /** The objects that stand under a value of an index. */
  by(index: I, value: string): Iterable<Cached<T>>
  /** Whether the first list has arrived: before that, an absent object means nothing. */
  readonly hasSynced: boolean
  /** Resolves once the first list has arrived. */
  synced(signal?: AbortSignal): Promise<void>
  /** Calls back after each change, when the cache already shows it. */
  subscribe(listener: (change: Change<Cached<T>>) => void): () => void
}

export interface CacheOptions<T extends KubeObject, I extends string> {
  /** For metrics and log lines. */
  readonly name: string
  readonly indexes?: Readonly<Record<I, IndexFunction<T>>> | undefined
  readonly log: Logger
  readonly metrics: Metrics
}

/** What a watch has seen, in memory. Filled by the watch alone. */
export class Cache<T extends KubeObject, I extends string = never>
  implements CacheReader<T, I>, WatchSink<T>
{
  readonly #options: CacheOptions<T, I>
  readonly #objects = new Map<Key, Cached<T>>()
  readonly #indexes: readonly Index<T>[]
  readonly #indexByName = new Map<string, Index<T>>()
  readonly #listeners = new Set<(change: Change<Cached<T>>) => void>()
  readonly #firstList: { readonly promise: Promise<void>; readonly arrived: () => void }
  #hasSynced = false

  constructor(options: CacheOptions<T, I>) {
    this.#options = options
    for (const [name, valuesOf] of Object.entries<IndexFunction<T>>(options.indexes ?? {})) {
      this.#indexByName.set(name, new Index((object) => this.#valuesIn(name, valuesOf, object)))
    }
    this.#indexes = [...this.#indexByName.values()]
    this.#firstList = deferred()
  }

  get(key: Key): Cached<T> | undefined {
    return this.#objects.get(key)
  }

  values(): Iterable<Cached<T>> {
    return { [Symbol.iterator]: () => this.#objects.values() }
  }

  get size(): number {
    return this.#objects.size
  }

  by(index: I, value: string): Iterable<Cached<T>> {
    return { [Symbol.iterator]: () => this.#indexByName.get(index)?.get(value) ?? [].values() }
  }

  get hasSynced(): boolean {
    return this.#hasSynced
  }

  synced(signal?: AbortSignal): Promise<void> {
    return rejectOnAbort(this.#firstList.promise, signal)
  }

  subscribe(listener: (change: Change<Cached<T>>) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Replaces the content by a list, and notifies listeners of the differences, deletions first. */
  replace(objects: readonly Persisted<T>[]): void {
    const wanted = new Map(objects.map((object) => [keyOf(object.metadata), object]))
    for (const [key, object] of this.#objects) {
      if (wanted.get(key)?.metadata.uid !== object.metadata.uid) this.#remove(key)
    }
    for (const [key, object] of wanted) this.#put(key, object)
    this.#count()
    this.#hasSynced = true
    this.#firstList.arrived()
  }

  apply(object: Persisted<T>): void {
    const before = this.#objects.size
    this.#put(keyOf(object.metadata), object)
    if (this.#objects.size !== before) this.#count()
  }

  delete(object: Persisted<T>): void {
    this.#remove(keyOf(object.metadata))
    this.#count()
  }

  #put(key: Key, object: Persisted<T>): void {
    const next = object as Cached<T>
    const previous = this.#objects.get(key)
    if (previous !== undefined && previous.metadata.resourceVersion === next.metadata.resourceVersion) return
    this.#objects.set(key, next)
    for (const index of this.#indexes) index.move(key, previous, next)
    this.#notify(
      previous === undefined ? { type: 'added', object: next } : { type: 'updated', object: next, previous },
    )
  }

  #remove(key: Key): void {
    const previous = this.#objects.get(key)
    if (previous === undefined) return
    this.#objects.delete(key)
    for (const index of this.#indexes) index.move(key, previous, undefined)
    this.#notify({ type: 'deleted', object: previous })
  }

  /** An index function that throws must cost neither the object nor its listeners. */
  #valuesIn(index: string, valuesOf: IndexFunction<T>, object: Cached<T>): Iterable<string> {
    try {
      return [...valuesOf(object)]
    } catch (err) {
      const { log, name } = this.#options
      log.error({ err, store: name, index, object: keyOf(object.metadata) }, 'An index failed on an object')
      return []
    }
  }

  #notify(change: Change<Cached<T>>): void {
    for (const listener of this.#listeners) {
      try {
        listener(change)
      } catch (err) {
        const object = keyOf(change.object.metadata)
        this.#options.log.error({ err, store: this.#options.name, object }, 'A listener failed on a change')
      }
    }
  }

  #count(): void {
    this.#options.metrics.storeObjects.set({ kind: this.#options.name }, this.#objects.size)
  }
}

/** Objects by a value computed from them. */
class Index<T extends KubeObject> {
  readonly #valuesOf: IndexFunction<T>
  readonly #byValue = new Map<string, Map<Key, Cached<T>>>()

  constructor(valuesOf: IndexFunction<T>) {
    this.#valuesOf = valuesOf
  }

  get(value: string): IterableIterator<Cached<T>> | undefined {
    return this.#byValue.get(value)?.values()
  }

  /** Most objects stay where they are: those are put in the place of what they were, in the order that there was. */
  move(key: Key, from: Cached<T> | undefined, to: Cached<T> | undefined): void {
    const after = to === undefined ? [] : [...this.#valuesOf(to)]
    const before = from === undefined ? [] : this.#valuesOf(from)
    for (const value of before) if (!after.includes(value)) this.#remove(value, key)
    if (to !== undefined) for (const value of after) this.#add(value, key, to)
  }

  #add(value: string, key: Key, object: Cached<T>): void {
    const entries = this.#byValue.get(value)
    if (entries === undefined) this.#byValue.set(value, new Map([[key, object]]))
    else entries.set(key, object)
  }

  #remove(value: string, key: Key): void {
    const entries = this.#byValue.get(value)
    entries?.delete(key)
    if (entries?.size === 0) this.#byValue.delete(value)
  }
}

function deferred() {
  let arrived = () => {}
  const promise = new Promise<void>((resolve) => {
    arrived = resolve
  })
  return { promise, arrived }
}
