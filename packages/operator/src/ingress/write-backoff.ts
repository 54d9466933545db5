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

/** What the API server said to a write, and when it may be asked again. */
interface Refused {
  /** The write itself: another one is tried at once. */
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
 * Remembers which writes the API server refused. Whatever happens in the cluster has a controller looked at again; what a
 * webhook or a quota forbids is not sent each time, but ever more rarely.
 */
export class WriteBackoff {
  readonly #clock: Clock
  readonly #controllers = new Map<Key, Map<string, Refused>>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /**
   * @returns what the API server says, or would say again where it is too early to ask, or that it did not answer, as behind a
   * webhook that hangs; anything else that fails is thrown
   */
  async attempt(
    controller: Key,
    action: Action,
    send: () => Promise<void>,
  ): Promise<FailedWrite | undefined> {
    const writes = this.#controllers.get(controller) ?? new Map<string, Refused>()
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

/** Whether it is the server that has no time, rather than somebody who does not want the write. */
function isOverloaded({ code }: ApiError): boolean {
  return code === 429 || code === 503 || code === 504
}
