import type { IncomingHttpHeaders } from 'node:http'

export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** With the query string. */
  readonly path: string
  readonly headers: Readonly<Record<string, string | string[]>>
  readonly body?: string | undefined
  /** Each of these cuts the request off. */
  readonly signals: readonly AbortSignal[]
  readonly timeoutMs: number
  /** Called in the very moment before the bytes go to the socket; if it throws, nothing is sent. */
  readonly beforeSend?: (() => void) | undefined
}

export interface HttpResponse {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

export interface HttpStream {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: AsyncIterable<Buffer>
}
