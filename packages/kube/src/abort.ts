import { setMaxListeners } from 'node:events'

// AbortSignals that many wait for at once.

type Callback = (reason: Error) => void

/**
 * The callbacks that wait for a signal, behind one listener: each request in flight waits for the same few signals, and an event
 * target would search all of its listeners to let one go.
 */
interface Waiting {
  readonly callbacks: Set<Callback>
  readonly notify: () => void
}

const waitingFor = new WeakMap<AbortSignal, Waiting>()

/** Calls back with the signal's reason when it aborts, unless the returned function is called before. */
export function onAbort(signal: AbortSignal, callback: Callback): () => void {
  const { callbacks, notify } = waitingFor.get(signal) ?? newlyWaitingFor(signal)
  if (callbacks.size === 0) signal.addEventListener('abort', notify)
  callbacks.add(callback)
  return () => {
    // A signal with a listener is kept in memory: the last one to go takes it along.
    if (callbacks.delete(callback) && callbacks.size === 0) signal.removeEventListener('abort', notify)
  }
}

function newlyWaitingFor(signal: AbortSignal): Waiting {
  const callbacks = new Set<Callback>()
  const notify = () => {
    for (const callback of callbacks) callback(signal.reason as Error)
  }
  const waiting = { callbacks, notify }
  waitingFor.set(signal, waiting)
  return waiting
}

/** The result of some work; rejects with the signal's reason as soon as that aborts. The work itself goes on. */
export function rejectOnAbort<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason as Error)
    if (signal.aborted) onAbort()
    else signal.addEventListener('abort', onAbort, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort))
  })
}

/**
 * A signal to which any number may listen: each request in flight does, each cache, each worker. Node takes more than
 * ten listeners for a leak and warns by default.
 */
export function unlimitedListeners(signal: AbortSignal): AbortSignal {
  setMaxListeners(0, signal)
  return signal
}
