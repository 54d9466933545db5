import type { Socket } from 'node:net'

export interface HttpResponse {
  readonly status: number
  /** By name in small letters. */
  readonly fields: ReadonlyMap<string, string>
  /** Whether the connection ends with it, and cannot be used again. */
  readonly endsConnection: boolean
}

/** No response to a health check or a version request is longer. */
const longest = 256 * 1024

/** Reads one answer to the end, so that the connection can be used again; rejects if it ends before. */
export function readResponse(socket: Socket): Promise<HttpResponse> {
  return new Promise((resolve, reject) => {
    let text = ''
    const onData = (chunk: Buffer) => {
      text += chunk.toString('latin1')
      const answer = completeResponseIn(text)
      if (answer !== undefined) done(() => resolve(answer))
      else if (text.length > longest) done(() => reject(new Error('the answer has no end')))
    }
    const onEnd = () => {
      const { head } = split(text)
      // An answer without a length lasts as long as the connection.
      done(() =>
        head === undefined
          ? reject(new Error('closed'))
          : resolve({ ...parseHead(head), endsConnection: true }),
      )
    }
    const done = (settle: () => void) => {
      socket.off('data', onData).off('end', onEnd).off('error', onEnd).off('close', onEnd)
      settle()
    }
    socket.on('data', onData).on('end', onEnd).on('error', onEnd).on('close', onEnd)
  })
}

function completeResponseIn(text: string): HttpResponse | undefined {
  const { head, body } = split(text)
  if (head === undefined) return undefined
  const answer = parseHead(head)
  const length = answer.fields.get('content-length')
  const isChunked = answer.fields.get('transfer-encoding')?.includes('chunked') === true
  const isWhole = isChunked
    ? body.endsWith('0\r\n\r\n')
    : length !== undefined && body.length >= Number(length)
  return isWhole || answer.status === 204 || answer.status === 304 ? answer : undefined
}

function split(text: string): { head: string | undefined; body: string } {
  const end = text.indexOf('\r\n\r\n')
  return end < 0 || !text.startsWith('HTTP/')
    ? { head: undefined, body: '' }
    : { head: text.slice(0, end), body: text.slice(end + 4) }
}

function parseHead(head: string): HttpResponse {
  const [first = '', ...lines] = head.split('\r\n')
  const fields = lines.map((line): [string, string] => {
    const colon = line.indexOf(':')
    return [line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim()]
  })
  const [version = '', status] = first.split(' ')
  const byName = new Map(fields)
  const connection = byName.get('connection')?.toLowerCase() ?? ''
  const endsConnection =
    version === 'HTTP/1.0' ? !connection.includes('keep-alive') : connection.includes('close')
  return { status: Number(status), fields: byName, endsConnection }
}
