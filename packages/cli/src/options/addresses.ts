import { type Ip, parseIp } from '@portcullis/onprem'
import { InvalidArgumentError } from 'commander'

/** Reads an option that takes addresses: separated by blanks or commas, or in a repeated option. */
export function collectIps(text: string, before: readonly Ip[] = []): readonly Ip[] {
  return [...before, ...text.split(',').map(ipOf)]
}

/** Like `collectIps`, but returns the texts as they were written. */
export function collectAddresses(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, ...text.split(',').map(addressOf)]
}

export function addressOf(text: string): string {
  ipOf(text)
  return text
}

export function ipOf(text: string): Ip {
  const ip = parseIp(text)
  if (ip === undefined)
    throw new InvalidArgumentError(
      `"${text}" is not an IP address; write one such as 192.0.2.10 or 2001:db8::10.`,
    )
  return ip
}
