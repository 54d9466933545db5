import { Resolver } from 'node:dns/promises'
import { isIP } from 'node:net'
import type { DnsAnswer, DnsResult } from './dns-answer.ts'

export interface AskOptions {
  /** Those of the system when there are none. */
  readonly resolvers: readonly string[]
  /** How long a resolver may take for each of two tries. */
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

/** Asks every resolver for every name: each by itself, since one that is behind is the one to be found. */
export async function ask(names: readonly string[], options: AskOptions): Promise<readonly DnsAnswer[]> {
  const resolvers = options.resolvers.length > 0 ? options.resolvers : new Resolver().getServers()
  const asked = resolvers.map((resolver) => askOne(resolver, names, options))
  return (await Promise.all(asked)).flat()
}

async function askOne(
  server: string,
  names: readonly string[],
  { timeoutMs, signal }: AskOptions,
): Promise<readonly DnsAnswer[]> {
  const resolver = new Resolver({ timeout: timeoutMs, tries: 2 })
  resolver.setServers([server])
  const stop = () => resolver.cancel()
  signal.addEventListener('abort', stop, { once: true })
  try {
    const questions = names.flatMap((name) => [
      outcomeOf(resolver.resolve4(name)).then((outcome) => ({ name, type: 'A' as const, outcome })),
      outcomeOf(resolver.resolve6(name)).then((outcome) => ({ name, type: 'AAAA' as const, outcome })),
    ])
    const answers = await Promise.all(questions)
    return answers.map((answer) => ({ resolver: server, ...answer }))
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

async function outcomeOf(answer: Promise<readonly string[]>): Promise<DnsResult> {
  try {
    return { kind: 'addresses', addresses: [...(await answer)].sort() }
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException
    if (code === 'ENOTFOUND') return { kind: 'no-such-name' }
    if (code === 'ENODATA') return { kind: 'no-record' }
    return code === 'ETIMEOUT' ? { kind: 'silent' } : { kind: 'failed', code }
  }
}

/**
 * Reads `192.0.2.53`, `192.0.2.53:5353`, `2001:db8::53` or `[2001:db8::53]:5353`.
 *
 * @returns as Node's resolvers want it; undefined if it is none of these
 */
export function parseResolver(text: string): string | undefined {
  if (isIP(text) !== 0) return text
  const [, six, four, port] = /^(?:\[([^\]]+)\]|([^:]+)):(\d{1,5})$/.exec(text) ?? []
  const isRight = isIP(six ?? '') === 6 || isIP(four ?? '') === 4
  return isRight && Number(port) > 0 && Number(port) < 65_536 ? text : undefined
}
