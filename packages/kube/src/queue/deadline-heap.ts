import type { Key } from '../objects/objects.ts'

export interface Deadline {
  readonly key: Key
  readonly at: number
}

interface Entry extends Deadline {
  /** Of two equal deadlines the one that was set first comes first. */
  readonly order: number
  /** Where the entry stands in the heap; known, so that it can be removed without a search. */
  position: number
}

/**
 * At most one deadline a key, the earliest first. A binary heap: setting and deleting cost O(log n). Deleted
 * deadlines really leave it: a key that is put off by ten hours, again and again, must not pile up.
 */
export class DeadlineHeap {
  readonly #heap: Entry[] = []
  readonly #byKey = new Map<Key, Entry>()
  #order = 0

  get first(): Deadline | undefined {
    return this.#heap[0]
  }

  get size(): number {
    return this.#heap.length
  }

  deadlineOf(key: Key): number | undefined {
    return this.#byKey.get(key)?.at
  }

  set(key: Key, at: number): void {
    this.delete(key)
    const entry = { key, at, order: this.#order++, position: this.#heap.length }
    this.#byKey.set(key, entry)
    this.#heap.push(entry)
    this.#rise(entry)
  }

  delete(key: Key): void {
    const entry = this.#byKey.get(key)
    if (entry === undefined) return
    this.#byKey.delete(key)
    const last = this.#heap.pop()
    if (last === undefined || last === entry) return
    this.#place(last, entry.position)
    this.#rise(last)
    this.#sink(last)
  }

  clear(): void {
    this.#heap.length = 0
    this.#byKey.clear()
  }

  #rise(entry: Entry): void {
    for (let above = this.#parent(entry); above && isBefore(entry, above); above = this.#parent(entry)) {
      this.#swap(entry, above)
    }
  }

  #sink(entry: Entry): void {
    for (let below = this.#child(entry); below && isBefore(below, entry); below = this.#child(entry)) {
      this.#swap(entry, below)
    }
  }

  #parent({ position }: Entry): Entry | undefined {
    return position === 0 ? undefined : this.#heap[Math.floor((position - 1) / 2)]
  }

  /** The earlier of the two children. */
  #child({ position }: Entry): Entry | undefined {
    const left = this.#heap[2 * position + 1]
    const right = this.#heap[2 * position + 2]
    return left && right && isBefore(right, left) ? right : left
  }

  #swap(one: Entry, other: Entry): void {
    const position = one.position
    this.#place(one, other.position)
    this.#place(other, position)
  }

  #place(entry: Entry, position: number): void {
    entry.position = position
    this.#heap[position] = entry
  }
}

function isBefore(one: Entry, other: Entry): boolean {
  return one.at < other.at || (one.at === other.at && one.order < other.order)
}
