import { type Key, type KubeObject, keyOf, type Live } from './objects.ts'
import type { Projection } from './projection.ts'
import type { WatchSink } from './watch.ts'

/** A list on its way: what there is so far, projected. Whoever has the last one goes on with it until this is whole. */
export class Listing<T extends KubeObject> {
  readonly #projection: Projection<T>
  readonly #sink: WatchSink<T>
  readonly #objects = new Map<Key, Live<T>>()

  constructor(projection: Projection<T>, sink: WatchSink<T>) {
    this.#projection = projection
    this.#sink = sink
  }

  get objects(): Live<T>[] {
    return [...this.#objects.values()]
  }

  get size(): number {
    return this.#objects.size
  }

  apply(object: Live<T>): void {
    const key = keyOf(object.metadata)
    const kept = this.#known(key, object) ?? this.#projection.of(object)
    if (kept === undefined) this.#objects.delete(key)
    else this.#objects.set(key, kept)
  }

  delete({ metadata }: Live<T>): void {
    this.#objects.delete(keyOf(metadata))
  }

  #known(key: Key, { metadata }: Live<T>): Live<T> | undefined {
    const known = this.#sink.get?.(key) as Live<T> | undefined
    const isSame =
      known?.metadata.uid === metadata.uid && known.metadata.resourceVersion === metadata.resourceVersion
    return isSame ? known : undefined
  }
}
