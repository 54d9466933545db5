/** Where in a response something happens: after this much of its body has passed. */
export type Position = { readonly bytes: number } | { readonly lines: number }

/** What the proxy can do to a request. Made by the functions below; plain data, so that a history can be printed. */
export type Fault =
  | { readonly type: 'delay'; readonly milliseconds: number }
  | {
      readonly type: 'respond'
      readonly status: number
      readonly headers: Readonly<Record<string, string>>
      readonly body: string
    }
  /** At the `request`: the server never receives it. At the `answer`: it is carried out, and the response is lost. */
  | { readonly type: 'reset'; readonly at: 'request' | 'answer' | Position }
  | { readonly type: 'stall'; readonly at: 'answer' | Position }
  | { readonly type: 'truncate'; readonly line: number; readonly ending: 'end' | 'reset' }
  | { readonly type: 'replace'; readonly line: number; readonly by: string }

/** Forwards the request only after a while. Delays add up with each other and with another fault. */
export function delay(milliseconds: number): Fault {
  return { type: 'delay', milliseconds }
}

export interface RespondOptions {
  /** Seconds. */
  readonly retryAfter?: number
  readonly reason?: string
  readonly message?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** Answers in the server's place, as the server does: with a meta/v1 Status. */
export function respond(status: number, options: RespondOptions = {}): Fault {
  const { retryAfter, headers } = options
  return {
    type: 'respond',
    status,
    headers: {
      'content-type': 'application/json',
      ...(retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) }),
      ...headers,
    },
    body: JSON.stringify(statusObject(status, options)),
  }
}

/** Answers a watch with a single ERROR event: this is how the API server says 410 to one that starts too late. */
export function watchError(status: number, options: RespondOptions = {}): Fault {
  const event = { type: 'ERROR', object: statusObject(status, options) }
  const headers = { 'content-type': 'application/json' }
  return { type: 'respond', status: 200, headers, body: `${JSON.stringify(event)}\n` }
}

/** Cuts the connection (RST) before the server receives the request. */
export const resetBeforeForwarding: Fault = { type: 'reset', at: 'request' }

/** Lets the server carry the request out, and cuts the connection in place of the answer. */
export const resetBeforeAnswering: Fault = { type: 'reset', at: 'answer' }

export function resetAfter(at: Position): Fault {
  return { type: 'reset', at }
}

/** Lets the server carry the request out, and keeps the client waiting for the answer until the fault is lifted. */
export const stallBeforeAnswering: Fault = { type: 'stall', at: 'answer' }

/** Passes no more data, but keeps the connection open, until the fault is lifted. */
export function stallAfter(at: Position): Fault {
  return { type: 'stall', at }
}

/** Sends half of that line (1 is the first), then ends the response as if it were whole, or cuts the connection. */
export function truncateLine(line: number, ending: 'end' | 'reset'): Fault {
  return { type: 'truncate', line, ending }
}

/** Puts something that is no JSON in the place of that line (1 is the first) and goes on. */
export function corruptLine(line: number): Fault {
  return { type: 'replace', line, by: '{"type":"MODIFIED","object":{"metadata":\n' }
}

/** Leaves that line out (1 is the first): the event is lost without an error. */
export function dropLine(line: number): Fault {
  return { type: 'replace', line, by: '' }
}

const reasons: Readonly<Record<number, string>> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  409: 'Conflict',
  410: 'Expired',
  422: 'Invalid',
  429: 'TooManyRequests',
  500: 'InternalError',
  503: 'ServiceUnavailable',
  504: 'Timeout',
}

function statusObject(code: number, { reason, message, retryAfter }: RespondOptions): object {
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: message ?? `injected by the fault proxy: ${code}`,
    reason: reason ?? reasons[code] ?? '',
    ...(retryAfter === undefined ? {} : { details: { retryAfterSeconds: retryAfter } }),
    code,
  }
}
