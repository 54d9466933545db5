import type { IncomingHttpHeaders } from 'node:http'
import type { Credential } from '../config/access.ts'

export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** With the query string. */
  readonly path: string
  readonly headers: Readonly<Record<string, string | string[]>>
  readonly body?: string | undefined
  /** Each of these cuts the request off. */
  readonly signals: readonly AbortSignal[]
  readonly timeoutMs: number
  /** An answer that is longer than this, where it is set, is given up with an `BodyTooLongError`, without waiting for the rest of it. */
  readonly maxBytes?: number | undefined
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

/** Takes requests to the API server and brings the answers. `Transport` does it over connections. */
export interface HttpTransport {
  /** Sends a request and reads the whole answer. */
  send(request: HttpRequest, credential: Credential): Promise<HttpResponse>
  /** Sends a request whose answer is read as it comes, until its signal aborts. */
  stream(request: Omit<HttpRequest, 'timeoutMs'>, credential: Credential): Promise<HttpStream>
  close(): Promise<void>
}
