import { once } from 'node:events'
import { silentLogger, systemClock } from '@portcullis/kube'
import { startSandboxApi } from '@portcullis/sandbox/internal/sandbox-api.ts'
import { Agent, request } from 'undici'
import { afterAll, beforeAll, inject } from 'vitest'
import { type ControlPlaneCoordinates, ControlPlaneHandle } from '../clusters/control-plane-handle.ts'

export interface ApiRequest {
  readonly method: string
  readonly path: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

export interface ApiResponse {
  readonly code: number
  readonly contentType: string
  readonly warnings: readonly string[]
  /** JSON where it is JSON, else the text. */
  readonly body: unknown
}

export interface WatchEvent {
  readonly type: string
  readonly object: {
    readonly kind?: string
    readonly metadata?: {
      readonly name?: string
      readonly resourceVersion?: string
      readonly [field: string]: unknown
    }
    readonly [field: string]: unknown
  }
}

/** A watch under way. */
export interface Watch {
  readonly code: number
  /** Every event so far, once one of them is as described or the server has ended the watch. */
  until(isLast: (event: WatchEvent) => boolean): Promise<readonly WatchEvent[]>
  /** Every event up to the end, which the server makes. */
  all(): Promise<readonly WatchEvent[]>
  close(): void
}

/** An API server to be asked: the real one, or the sandbox. */
export interface TestedServer {
  readonly name: 'real' | 'sandbox'
  ask(ask: ApiRequest): Promise<ApiResponse>
  watch(path: string, headers?: Readonly<Record<string, string>>): Promise<Watch>
  /** Makes the server forget its history: older versions can no longer be listed or watched from. */
  compact(): Promise<void>
  close(): Promise<void>
}

/**
 * The API server that a file's tests talk to: in the projects `control-plane` and `machine` the real one that all files share, elsewhere a
 * sandbox of the file's own. It is there from the file's first test to its last.
 */
export function testedServer(): TestedServer {
  let started: TestedServer | undefined
  beforeAll(async () => {
    // Provided in the project `control-plane` alone, whatever its type says.
    const plane = inject('controlPlane') as ControlPlaneCoordinates | undefined
    started = plane === undefined ? await sandboxServer() : realServer(new ControlPlaneHandle(plane))
  })
  afterAll(() => started?.close())
  const server = () => {
    if (started === undefined) throw new Error('The server exists in tests and hooks only.')
    return started
  }
  return {
    get name() {
      return server().name
    },
    ask: (ask) => server().ask(ask),
    watch: (path, headers) => server().watch(path, headers),
    compact: () => server().compact(),
    close: () => server().close(),
  }
}

export function realServer(plane: ControlPlaneHandle): TestedServer {
  return {
    name: 'real',
    ...connection(plane.server, plane.ca, plane.adminToken),
    compact: async () => void (await plane.compactEtcd()),
  }
}

export async function sandboxServer(): Promise<TestedServer> {
  const log = { ...silentLogger, error: (fields: object, message: string) => console.error(message, fields) }
  const sandbox = await startSandboxApi({ clock: systemClock, random: Math.random, log })
  const connected = connection(sandbox.server, sandbox.ca, sandbox.adminToken)
  return {
    ...connected,
    name: 'sandbox',
    compact: async () => sandbox.compact(),
    close: async () => {
      await connected.close()
      await sandbox.close()
    },
  }
}

function connection(
  server: string,
  ca: string,
  token: string,
): Pick<TestedServer, 'ask' | 'watch' | 'close'> {
  const agent = new Agent({ connect: { ca } })
  const usual = { authorization: `Bearer ${token}`, accept: 'application/json', 'user-agent': 'suite/1' }
  return {
    async ask({ method, path, body, headers }) {
      const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body)
      const response = await request(`${server}${path}`, {
        method: method as 'GET',
        dispatcher: agent,
        headers: { ...usual, ...(text !== undefined && { 'content-type': 'application/json' }), ...headers },
        ...(text !== undefined && { body: text }),
      })
      const answer = await response.body.text()
      const warning = response.headers['warning'] ?? []
      return {
        code: response.statusCode,
        contentType: String(response.headers['content-type'] ?? ''),
        warnings: typeof warning === 'string' ? warning.split(/,(?=299 )/) : warning,
        body: parsed(answer),
      }
    },
    async watch(path, headers = {}) {
      const ending = new AbortController()
      const response = await request(`${server}${path}`, {
        dispatcher: agent,
        headers: { ...usual, ...headers },
        signal: ending.signal,
        bodyTimeout: 0,
      })
      return new OpenWatch(response.statusCode, response.body, () => ending.abort())
    },
    close: () => agent.destroy(),
  }
}

class OpenWatch implements Watch {
  readonly code: number
  readonly close: () => void
  readonly #events: WatchEvent[] = []
  readonly #changes = new EventTarget()
  #isOver = false

  constructor(code: number, body: AsyncIterable<Uint8Array>, close: () => void) {
    this.code = code
    this.close = close
    void this.#read(body)
  }

  all(): Promise<readonly WatchEvent[]> {
    return this.until(() => false)
  }

  async until(isLast: (event: WatchEvent) => boolean): Promise<readonly WatchEvent[]> {
    while (!this.#isOver && !this.#events.some(isLast)) await once(this.#changes, 'change')
    return [...this.#events]
  }

  async #read(body: AsyncIterable<Uint8Array>): Promise<void> {
    const decoder = new TextDecoder()
    let rest = ''
    try {
      for await (const chunk of body) {
        const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
        rest = lines.pop() ?? ''
        this.#events.push(
          ...lines.filter((line) => line !== '').map((line) => JSON.parse(line) as WatchEvent),
        )
        this.#changes.dispatchEvent(new Event('change'))
      }
    } catch {
      // Closed by us: what came until then counts.
    }
    this.#isOver = true
    this.#changes.dispatchEvent(new Event('change'))
  }
}

/** JSON, a JSON object a line (a watch), or just text. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    const lines = text.split('\n').filter((line) => line !== '')
    try {
      return lines.map((line) => JSON.parse(line) as unknown)
    } catch {
      return text
    }
  }
}
