type Callback = (reason: Error) => void

/**
 * Those who wait for a signal, behind one listener: each request in flight waits for the same few signals, and an event
 * target would search all of its listeners to let one go.
 */
interface Waiting {
  readonly callbacks: Set<Callback>
  readonly tell: () => void
}

const waitingFor = new WeakMap<AbortSignal, Waiting>()

/** Calls back with the signal's reason when it aborts, unless the returned function is called before. */
export function onAbort(signal: AbortSignal, callback: Callback): () => void {
  const { callbacks, tell } = waitingFor.get(signal) ?? newlyWaitingFor(signal)
  if (callbacks.size === 0) signal.addEventListener('abort', tell)
  callbacks.add(callback)
  return () => {
    // A signal with a listener is kept in memory: the last one to go takes it along.
    if (callbacks.delete(callback) && callbacks.size === 0) signal.removeEventListener('abort', tell)
  }
}

function newlyWaitingFor(signal: AbortSignal): Waiting {
  const callbacks = new Set<Callback>()
  const tell = () => {
    for (const callback of callbacks) callback(signal.reason as Error)
  }
  const waiting = { callbacks, tell }
  waitingFor.set(signal, waiting)
  return waiting
}
