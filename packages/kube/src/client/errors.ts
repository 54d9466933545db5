import { cutToBytes } from '../text/cut-to-bytes.ts'
import { maxUntrustedBytes, onOneLine } from '../text/sanitize-untrusted.ts'
import type { Status } from './api.ts'

/** What was tried, in words: `patch the status of Ingress default/web`. */
export type Attempt = string

/** A webhook may return any number of causes. */
const mostCauses = 100

/** The API server answered with an error. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly attempt: Attempt
  /** The HTTP status. */
  readonly code: number
  /** Kubernetes' one-word reason: `NotFound`, `Conflict`, `Invalid`, … */
  readonly reason: string
  /** Which fields are wrong, one sentence each; empty unless the object was invalid. */
  readonly causes: readonly string[]
  readonly retryAfterMs: number | undefined
  /** Whether the answer is about a named object, and not about the path as such. */
  readonly namesObject: boolean

  constructor(attempt: Attempt, code: number, status: Status, retryAfterMs?: number) {
    const reason = cutToBytes(status.reason ?? 'Unknown', maxUntrustedBytes)
    const said = `${reason}: ${cutToBytes(status.message ?? 'the API server gave no message', maxUntrustedBytes)}`
    // The message of the server stays on its line: the next would pass for a message of ours.
    super(`Cannot ${attempt}: ${code} ${onOneLine(said)}`)
    this.attempt = attempt
    this.code = code
    this.reason = reason
    this.causes = (status.details?.causes ?? [])
      .slice(0, mostCauses)
      .map(({ field, message }) =>
        cutToBytes(field ? `${field}: ${message}` : `${message}`, maxUntrustedBytes),
      )
    this.retryAfterMs = retryAfterMs
    this.namesObject = status.details?.name !== undefined
  }
}

/** The API server could not be reached, or the connection broke before it had answered. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError'
  readonly attempt: Attempt

  constructor(attempt: Attempt, problem: string, cause?: unknown) {
    super(`Cannot ${attempt}: ${problem}`, { cause })
    this.attempt = attempt
  }
}

/** The answer was not what an API server sends: cut short, or not JSON. */
export class MalformedResponseError extends Error {
  override readonly name = 'MalformedResponseError'

  constructor(attempt: Attempt, problem: string, cause?: unknown) {
    super(`Cannot ${attempt}: ${problem}`, { cause })
  }
}

/** The response was longer than the caller's limit; nothing of it is kept. */
export class ResponseTooLargeError extends Error {
  override readonly name = 'ResponseTooLargeError'

  constructor(attempt: Attempt, problem: string) {
    super(`Cannot ${attempt}: ${problem}`)
  }
}

/** A write was held back because its guard no longer allows writes. */
export class WriteRefusedError extends Error {
  override readonly name = 'WriteRefusedError'
}

export const isNotFound = (error: unknown): boolean => error instanceof ApiError && error.code === 404
/** Another client wrote first, or a precondition does not hold. */
export const isConflict = (error: unknown): boolean => error instanceof ApiError && error.code === 409
export const isAlreadyExists = (error: unknown): boolean =>
  error instanceof ApiError && error.reason === 'AlreadyExists'
/** The version asked for is no longer kept: list again. */
export const isGone = (error: unknown): boolean => error instanceof ApiError && error.code === 410
