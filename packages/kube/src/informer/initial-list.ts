import { type Key, type KubeObject, keyOf, type Persisted } from '../objects/objects.ts'
import type { Projection } from './projection.ts'
import type { WatchSink } from './watch.ts'

/** A list that is still arriving, projected. The cache keeps its earlier content until the list is complete. */
export class InitialList<T extends KubeObject> {
  readonly #projection: Projection<T>
  readonly #sink: WatchSink<T>
  readonly #objects = new Map<Key, Persisted<T>>()

  constructor(projection: Projection<T>, sink: WatchSink<T>) {
    this.#projection = projection
    this.#sink = sink
  }

  get objects(): Persisted<T>[] {
    return [...this.#objects.values()]
  }

  get size(): number {
    return this.#objects.size
  }

  apply(object: Persisted<T>): void {
    const key = keyOf(object.metadata)
    const kept = this.#known(key, object) ?? this.#projection.of(object)
    if (kept === undefined) this.#objects.delete(key)
    else this.#objects.set(key, kept)
  }

  delete({ metadata }: Persisted<T>): void {
    this.#objects.delete(keyOf(metadata))
  }

  #known(key: Key, { metadata }: Persisted<T>): Persisted<T> | undefined {
    const known = this.#sink.get?.(key) as Persisted<T> | undefined
    const isSame =
      known?.metadata.uid === metadata.uid && known.metadata.resourceVersion === metadata.resourceVersion
    return isSame ? known : undefined
  }
}
