import type { Environment } from '@marcbachmann/cel-js'
import { goQuote } from '../../go-quote.ts'
import { CelError } from './cel-error.ts'

class UrlValue {
  readonly parts: UrlParts
  constructor(parts: UrlParts) {
    this.parts = parts
  }
}

interface UrlParts {
  readonly scheme: string
  readonly host: string
  readonly path: string
  readonly query: string
  readonly text: string
}

function parseUrl(text: string): UrlParts | undefined {
  const match = /^(?:([a-zA-Z][a-zA-Z0-9+.-]*):(?!$))?(?:\/\/([^/?#]*))?([^?]*)(?:\?(.*))?$/.exec(text)
  if (match === null || /[ \p{Cc}]/u.test(text)) return undefined
  const [, scheme = '', authority, path = '', query = ''] = match
  if (scheme === '' && !text.startsWith('/')) return undefined
  if (scheme !== '' && authority === undefined && !path.startsWith('/')) return undefined
  if (/%(?![0-9a-fA-F]{2})/.test(path)) return undefined
  const host = (authority ?? '').replace(/^.*@/, '')
  if (/^\[[^\]]*$/.test(host) || !/^(?:\[[^\]]*\]|[^:[\]]*)(?::[0-9]*)?$/.test(host)) return undefined
  return { scheme: scheme.toLowerCase(), host, path, query, text }
}

export function registerUrls(env: Environment): void {
  env.registerType('URL', UrlValue as never)
  env.registerFunction('isURL(string): bool', (text: string) => parseUrl(text) !== undefined)
  env.registerFunction('url(string): URL', (text: string) => {
    const parts = parseUrl(text)
    if (parts !== undefined) return new UrlValue(parts)
    throw new CelError(
      `URL parse error during conversion from string: parse ${goQuote(text)}: ${text === '' ? 'empty url' : 'invalid URI for request'}`,
    )
  })
  env.registerFunction('URL.getScheme(): string', ({ parts }: UrlValue) => parts.scheme)
  env.registerFunction('URL.getHost(): string', ({ parts }: UrlValue) => parts.host)
  env.registerFunction('URL.getHostname(): string', ({ parts }: UrlValue) =>
    parts.host.replace(/:[0-9]*$/, '').replaceAll(/[[\]]/g, ''),
  )
  env.registerFunction(
    'URL.getPort(): string',
    ({ parts }: UrlValue) => /:([0-9]*)$/.exec(parts.host)?.[1] ?? '',
  )
  env.registerFunction('URL.getEscapedPath(): string', ({ parts }: UrlValue) => parts.path)
  env.registerFunction('URL.getQuery(): map', ({ parts }: UrlValue) => {
    const query: Record<string, string[]> = {}
    for (const [key, value] of new URLSearchParams(parts.query)) query[key] = [...(query[key] ?? []), value]
    return query
  })
  env.registerOperator('URL == URL', (a: UrlValue, b: UrlValue) => a.parts.text === b.parts.text)
}
