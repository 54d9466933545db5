import type { HttpRequest } from './http-request.ts'

export interface LoadTarget extends Omit<HttpRequest, 'timeoutMs'> {
  /** In reports; unique. */
  readonly name: string
  /** The status that is wanted; anything else counts as lost. 200 unless given. */
  readonly expectedStatus?: number
}

/** Everything that the generator has to know: plain data, which crosses to its process. */
export interface LoadSettings {
  readonly targets: readonly LoadTarget[]
  /** For each target. */
  readonly ratePerSecond: number
  readonly timeoutMs: number
  /** A new connection for each request, or connections that are used again. */
  readonly connection: 'new' | 'keep-alive'
  /** With keep-alive, the connections to each target that are used in turn. */
  readonly connections: number
  /** It stops by itself after so many requests to each target … */
  readonly maxRequests: number
  /** … or after so long. */
  readonly maxMs: number
}

/** What became of one request. Times are milliseconds since 1970. */
export interface RequestResult {
  readonly target: string
  readonly sentAt: number
  readonly tookMs: number
  /** Undefined when there was no answer. */
  readonly status?: number
  readonly error?: string
  /** The first line of the body. */
  readonly line?: string
  /** The server asked to close the connection. */
  readonly closing?: boolean
}

/** What the generator sends ten times a second. */
export interface LoadProgress {
  readonly startedAt: number
  /** So far, for each target by name. */
  readonly sent: Readonly<Record<string, number>>
  /** Since the last time. */
  readonly results: readonly RequestResult[]
  /** The longest time by which the generator itself was late, so far: what happened then is no fault of the servers. */
  readonly lateMs: number
  readonly endedAt?: number
}
