import {
  ApiError,
  type Clock,
  ConnectionError,
  isConflict,
  type Key,
  type Kind,
  keyOf,
  type ObjectRef,
} from '@portcullis/kube'
import type { Action } from './decision.ts'

/** A write that the API server rejected, and until when it is not sent again. */
interface Rejected {
  /** The write itself: another one is sent at once. */
  readonly attempt: string
  readonly error: ApiError
  readonly pauseMs: number
  readonly until: number
}

/** Other writes may succeed where this one does not. */
export type FailedWrite = ApiError | ConnectionError

const firstPauseMs = 200
const longestPauseMs = 60_000

/**
 * Keeps which writes the API server rejected. Every change in the cluster may have a controller reconciled; a write that
 * a webhook or a quota forbids is not sent each time, but with a backoff of its own.
 */
export class WriteBackoff {
  readonly #clock: Clock
  readonly #controllers = new Map<Key, Map<string, Rejected>>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /**
   * @returns the error of the API server, or the last one during the backoff, or that it did not answer, as behind a webhook
   * that hangs; any other error is thrown
   */
  async attempt(
    controller: Key,
    action: Action,
    send: () => Promise<void>,
  ): Promise<FailedWrite | undefined> {
    const writes = this.#controllers.get(controller) ?? new Map<string, Rejected>()
    const id = idOf(action)
    const attempt = attemptOf(action)
    const known = writes.get(id)
    const before = known?.attempt === attempt ? known : undefined
    if (before !== undefined && this.#clock.monotonic() < before.until) return before.error
    try {
      await send()
      writes.delete(id)
      if (writes.size === 0) this.#controllers.delete(controller)
      return undefined
    } catch (error) {
      if (error instanceof ConnectionError) return error
      if (!(error instanceof ApiError) || isConflict(error)) throw error
      if (isOverloaded(error)) return error
      const pauseMs = before === undefined ? firstPauseMs : Math.min(before.pauseMs * 2, longestPauseMs)
      writes.set(id, { attempt, error, pauseMs, until: this.#clock.monotonic() + pauseMs })
      this.#controllers.set(controller, writes)
      return error
    }
  }

  /** The controller is gone. */
  forget(controller: Key): void {
    this.#controllers.delete(controller)
  }
}

/** Which object an action is about. */
export function idOf({
  kind,
  object,
}: {
  readonly kind: Kind
  readonly object: { readonly metadata: ObjectRef }
}): string {
  return `${kind.kind} ${keyOf(object.metadata)}`
}

function attemptOf(action: Action): string {
  switch (action.do) {
    case 'create':
      return JSON.stringify(action.object)
    case 'update':
      return `${action.object.metadata.uid} ${JSON.stringify(action.patch)}`
    case 'delete':
      return action.object.metadata.uid
  }
}

/** Whether the API server is overloaded, rather than that it rejects the write. */
function isOverloaded({ code }: ApiError): boolean {
  return code === 429 || code === 503 || code === 504
}
