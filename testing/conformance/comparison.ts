import { isDeepStrictEqual } from 'node:util'
import type { ApiRequest, ApiResponse, TestedServer, WatchEvent } from './api-server.ts'
import { Normaliser } from './normalise.ts'

/** A request that was answered differently, and how. */
export interface Difference {
  readonly asked: string
  readonly real: unknown
  readonly sandbox: unknown
}

export interface BothServers {
  readonly real: TestedServer
  readonly sandbox: TestedServer
}

/** One conversation held with both servers: what each says is remembered, so that the same thing stays the same thing. */
export class Comparison {
  readonly #servers: BothServers
  readonly #normalisers = { real: new Normaliser(), sandbox: new Normaliser() }

  constructor(servers: BothServers) {
    this.#servers = servers
  }

  /** @param asks what to ask each: versions, for one, are each server's own */
  async ask(asks: {
    real: ApiRequest
    sandbox: ApiRequest
  }): Promise<{ real: ApiResponse; sandbox: ApiResponse; difference: Difference | undefined }> {
    const [real, sandbox] = await Promise.all([
      this.#servers.real.ask(asks.real),
      this.#servers.sandbox.ask(asks.sandbox),
    ])
    return { real, sandbox, difference: this.compare(asText(asks.sandbox), real, sandbox) }
  }

  compare(
    asked: string,
    real: ApiResponse | readonly WatchEvent[],
    sandbox: ApiResponse | readonly WatchEvent[],
  ): Difference | undefined {
    const normal = {
      real: this.#normalisers.real.normalise(real),
      sandbox: this.#normalisers.sandbox.normalise(sandbox),
    }
    return isDeepStrictEqual(normal.real, normal.sandbox) ? undefined : { asked, ...normal }
  }
}

export function asText({ method, path, body, headers }: ApiRequest): string {
  const type = headers?.['content-type'] ?? headers?.['accept'] ?? ''
  const text = body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body)
  return [method, path, type, text].filter((part) => part !== '').join(' ')
}

/** For a person: the request, and where the answers part. */
export function formatDifference({ asked, real, sandbox }: Difference): string {
  const lines = [...parting('', real, sandbox)]
  return [asked, ...lines.slice(0, 12)].join('\n  ')
}

function* parting(path: string, real: unknown, sandbox: unknown): Generator<string> {
  if (isDeepStrictEqual(real, sandbox)) return
  const isPlain = (value: unknown) => typeof value !== 'object' || value === null
  if (isPlain(real) || isPlain(sandbox) || Array.isArray(real) !== Array.isArray(sandbox)) {
    yield `${path}\n    real    ${JSON.stringify(real)}\n    sandbox ${JSON.stringify(sandbox)}`
    return
  }
  const [ours, theirs] = [real as Record<string, unknown>, sandbox as Record<string, unknown>]
  for (const key of new Set([...Object.keys(ours), ...Object.keys(theirs)])) {
    yield* parting(`${path}/${key}`, ours[key], theirs[key])
  }
}
