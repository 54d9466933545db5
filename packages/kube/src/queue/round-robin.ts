import { Fifo } from './fifo.ts'

/**
 * Items of many flows, one of each in turn: ten thousand items of one flow do not delay another. Within a flow
 * the first in is the first out, and with a single flow so it is altogether. Every operation takes constant time.
 */
export class RoundRobin<T> {
  readonly #flows = new Map<string, Fifo<T>>()
  /** The flows that have an item, each once; the first of them is next. */
  readonly #turns = new Fifo<{ readonly name: string; readonly items: Fifo<T> }>()
  #size = 0

  get size(): number {
    return this.#size
  }

  /** The next item of each flow, in no order. */
  *heads(): Iterable<T> {
    for (const items of this.#flows.values()) {
      const head = items.first
      if (head !== undefined) yield head
    }
  }

  push(item: T, flow: string): void {
    this.#size++
    const known = this.#flows.get(flow)
    if (known !== undefined) return known.push(item)
    const items = new Fifo<T>()
    items.push(item)
    this.#flows.set(flow, items)
    this.#turns.push({ name: flow, items })
  }

  shift(): T | undefined {
    const turn = this.#turns.shift()
    if (turn === undefined) return undefined
    this.#size--
    const item = turn.items.shift()
    if (turn.items.size > 0) this.#turns.push(turn)
    else this.#flows.delete(turn.name)
    return item
  }

  clear(): void {
    this.#flows.clear()
    this.#turns.clear()
    this.#size = 0
  }
}
