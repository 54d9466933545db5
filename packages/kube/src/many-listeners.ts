import { setMaxListeners } from 'node:events'

/**
 * A signal on which many may wait: each request in flight does, each store, each worker. Node takes more than ten
 * for a leak and warns, unless it is told.
 */
export function forManyListeners(signal: AbortSignal): AbortSignal {
  setMaxListeners(0, signal)
  return signal
}
