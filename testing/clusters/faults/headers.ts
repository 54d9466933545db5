import type { IncomingMessage } from 'node:http'

export type Headers = Record<string, string | string[]>

/** These are about one connection, and a proxy has two. The host is the target's. */
const notForwarded = new Set([
  'connection',
  'expect',
  'host',
  'keep-alive',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/** Repeated headers stay apart: several `Impersonate-Group` in one line would be one group. */
export function requestHeaders({ headers, headersDistinct }: IncomingMessage): Headers {
  const repeated = Object.entries(headersDistinct).filter(
    ([, values]) => values !== undefined && values.length > 1,
  )
  return endToEnd({ ...headers, ...Object.fromEntries(repeated) })
}

export function endToEnd(headers: Readonly<Record<string, string | string[] | undefined>>): Headers {
  const kept: Headers = {}
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined && !notForwarded.has(name)) kept[name] = value
  }
  return kept
}
