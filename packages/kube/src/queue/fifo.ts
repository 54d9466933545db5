/**
 * First in, first out, in constant time. `Array.shift` moves every element that stays, which with tens of
 * thousands of keys is what the queue would spend its time on.
 */
export class Fifo<T> {
  #arriving: T[] = []
  /** The older half, in reverse, so that the oldest is cheap to take off the end. */
  #leaving: T[] = []

  get size(): number {
    return this.#arriving.length + this.#leaving.length
  }

  get first(): T | undefined {
    return this.#leaving.at(-1) ?? this.#arriving[0]
  }

  push(item: T): void {
    this.#arriving.push(item)
  }

  shift(): T | undefined {
    if (this.#leaving.length === 0) {
      this.#leaving = this.#arriving.toReversed()
      this.#arriving = []
    }
    return this.#leaving.pop()
  }

  clear(): void {
    this.#arriving = []
    this.#leaving = []
  }
}
