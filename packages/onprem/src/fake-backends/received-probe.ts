import type { ListenerName } from './responses.ts'

/** Somebody who came to a stand-in and was none of our probes: nearly always the load balancer, looking after it. */
export interface Sighting {
  readonly listener: ListenerName
  /** A connection alone, one with TLS and nothing in it, a request, or a header of the PROXY protocol. */
  readonly kind: 'connection' | 'tls' | 'request' | 'proxy'
  /** Whether the request came by TLS. */
  readonly isTls: boolean
  readonly path?: string
  readonly status?: number
  readonly from: string
  readonly atMs: number
}

const kept = 60

/** The last visits at each port. */
export class Sightings {
  readonly #byListener = new Map<ListenerName, Sighting[]>()

  add(sighting: Sighting): void {
    const list = this.#byListener.get(sighting.listener) ?? []
    list.push(sighting)
    if (list.length > kept) list.shift()
    this.#byListener.set(sighting.listener, list)
  }

  forget(): void {
    this.#byListener.clear()
  }

  all(): readonly Sighting[] {
    return [...this.#byListener.values()].flat()
  }
}
