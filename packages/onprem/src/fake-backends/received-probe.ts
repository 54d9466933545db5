import type { ListenerName } from './responses.ts'

/** A connection to a fake backend that was not a probe of ours: nearly always a health check of the load balancer. */
export interface ReceivedProbe {
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
export class ReceivedProbes {
  readonly #byListener = new Map<ListenerName, ReceivedProbe[]>()

  add(probe: ReceivedProbe): void {
    const list = this.#byListener.get(probe.listener) ?? []
    list.push(probe)
    if (list.length > kept) list.shift()
    this.#byListener.set(probe.listener, list)
  }

  forget(): void {
    this.#byListener.clear()
  }

  all(): readonly ReceivedProbe[] {
    return [...this.#byListener.values()].flat()
  }
}
