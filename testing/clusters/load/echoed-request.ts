/** What a router that answers for itself says in the first line of a body: who it is, and what it knows of the client. */
export interface EchoedRequest {
  readonly pod?: string
  readonly node?: string
  /** The client's address as the router knows it: from a PROXY header where there is one. */
  readonly client?: string
  /** The other end of the connection. */
  readonly peer?: string
  readonly host?: string
  readonly port?: string
}

const names = ['pod', 'node', 'client', 'peer', 'host', 'port'] as const

/** Reads `pod=… node=… client=… peer=… host=… port=…`, in any order; what is not there is left out. */
export function parseEchoedRequest(body: string): EchoedRequest {
  const [line = ''] = body.split('\n', 1)
  const fields = new Map(line.split(/\s/).map((word) => cutAt(word, word.indexOf('='))))
  return Object.fromEntries(names.flatMap((name) => (fields.get(name) ? [[name, fields.get(name)]] : [])))
}

function cutAt(word: string, index: number): [before: string, after: string] {
  return index === -1 ? [word, ''] : [word.slice(0, index), word.slice(index + 1)]
}
