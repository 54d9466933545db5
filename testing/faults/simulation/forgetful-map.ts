/**
 * A map with limited room. Each time half of it has been filled, what was neither set nor asked for meanwhile is forgotten.
 */
export class ForgetfulMap<K, V> {
  readonly #room: number
  #recent = new Map<K, V>()
  #earlier = new Map<K, V>()

  constructor(room: number) {
    this.#room = room
  }

  get(key: K): V | undefined {
    const recent = this.#recent.get(key)
    if (recent !== undefined) return recent
    const earlier = this.#earlier.get(key)
    if (earlier !== undefined) this.set(key, earlier)
    return earlier
  }

  set(key: K, value: V): void {
    this.#recent.set(key, value)
    if (this.#recent.size < this.#room / 2) return
    this.#earlier = this.#recent
    this.#recent = new Map()
  }
}
