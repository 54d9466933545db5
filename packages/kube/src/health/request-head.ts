/** What matters of a request for a page. */
export interface RequestHead {
  readonly method: string
  /** Without the query. */
  readonly path: string
  readonly authorization?: string
}

/** More than any prober or scraper sends. */
export const mostHeadBytes = 8_192

export const endOfHead = '\r\n\r\n'

/**
 * Reads the head of an HTTP/1 request, up to the empty line. There is no need for more: one request is answered on a
 * connection, and bodies are not read. Node's own parser makes objects of every request that a packet holds, and a
 * kilobyte holds thirty: any client could keep this process busy with them.
 *
 * @returns undefined where it is none
 */
export function parseRequestHead(text: string): RequestHead | undefined {
  const [line = '', ...headers] = text.split('\r\n')
  const [method = '', target = '', protocol = '', ...more] = line.split(' ')
  if (!/^[A-Z]{1,20}$/.test(method) || !target.startsWith('/') || !/^HTTP\/1\.[01]$/.test(protocol))
    return undefined
  if (more.length > 0) return undefined
  const authorization = headers
    .find((header) => header.slice(0, 14).toLowerCase() === 'authorization:')
    ?.slice(14)
    .trim()
  return { method, path: target.replace(/\?.*/s, ''), ...(authorization && { authorization }) }
}
