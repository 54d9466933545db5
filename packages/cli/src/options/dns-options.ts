import { parseResolver } from '@portcullis/onprem'
import { InvalidArgumentError, Option } from 'commander'
import { parseDuration } from './duration.ts'

/** The options of commands that query DNS. */
export interface OnlineOptions {
  readonly resolver: readonly string[]
  readonly dnsTimeout: number
}

export function onlineOptions(): readonly Option[] {
  return [
    new Option('--resolver <ip[:port]>', "a DNS server to query; repeatable (default: the system's)")
      .argParser((text: string, before: readonly string[]) => [...before, resolverOf(text)])
      .default([], 'none'),
    new Option('--dns-timeout <duration>', 'timeout of a DNS query, which is tried twice')
      .argParser(parseDuration)
      .default(2000, '2s'),
  ]
}

function resolverOf(text: string): string {
  const resolver = parseResolver(text)
  if (resolver !== undefined) return resolver
  throw new InvalidArgumentError('It must be an IP address, or one with a port as 192.0.2.53:5353.')
}
