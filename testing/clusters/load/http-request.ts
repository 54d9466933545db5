import {
  type ClientRequest,
  type Agent as HttpAgent,
  type IncomingMessage,
  request as overHttp,
} from 'node:http'
import { request as overHttps } from 'node:https'

/** One request, as plain data. */
export interface HttpRequest {
  /** Of an address, not of a name: there is no DNS where this is sent. What to be asked for is in `headers.host`. */
  readonly url: string
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** The server name of TLS; the host of the URL unless given. */
  readonly serverName?: string
  /** PEM; without it any certificate will do. */
  readonly ca?: string
  /** The local address to send from. */
  readonly from?: string
  /** From the start to the last byte of the answer. */
  readonly timeoutMs: number
}

export type HttpReply =
  | {
      readonly status: number
      readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
      readonly body: string
      readonly error?: undefined
    }
  /** A code of the system (`ECONNREFUSED`), or what took too long. */
  | {
      readonly error: string
      readonly status?: undefined
      readonly body?: undefined
      readonly headers?: undefined
    }

const longestBody = 65_536

/** Never rejects: what goes wrong is a reply, too. */
export function sendRequest(httpRequest: HttpRequest, agent: HttpAgent | false = false): Promise<HttpReply> {
  const { url, method = 'GET', headers = {}, body, serverName, ca, from, timeoutMs } = httpRequest
  return new Promise((resolve) => {
    const isSecure = url.startsWith('https:')
    let connected = false
    const asking: ClientRequest = (isSecure ? overHttps : overHttp)(url, {
      agent,
      method,
      headers,
      ...(from !== undefined && { localAddress: from }),
      ...(isSecure && {
        rejectUnauthorized: ca !== undefined,
        ...(ca !== undefined && { ca }),
        ...(serverName !== undefined && { servername: serverName }),
      }),
    })
    const end = (reply: HttpReply) => {
      clearTimeout(deadline)
      resolve(reply)
      if (reply.error !== undefined) asking.destroy()
    }
    const fail = (error: NodeJS.ErrnoException) => end({ error: errorOf(error, asking) })
    const deadline = setTimeout(
      () => end({ error: connected ? 'timeout (waiting)' : 'timeout (connecting)' }),
      timeoutMs,
    )
    asking.on('error', fail)
    asking.on('socket', (socket) => {
      if (asking.reusedSocket) connected = true
      else socket.once('connect', () => (connected = true))
    })
    asking.on('response', (response) => {
      readBody(response).then(
        (text) => end({ status: response.statusCode ?? 0, headers: response.headers, body: text }),
        fail,
      )
    })
    asking.end(body)
  })
}

async function readBody(response: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of response) if (text.length < longestBody) text += String(chunk)
  return text
}

/**
 * A server may close an idle connection at the moment in which a client uses it again. Clients send such a request once
 * more if it may be repeated, so that is no loss, and has a name of its own.
 */
function errorOf(error: NodeJS.ErrnoException, asking: ClientRequest): string {
  const code = error.code ?? error.message
  return asking.reusedSocket ? `${code} (connection used again)` : code
}
