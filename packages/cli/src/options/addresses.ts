import { type Ip, parseIp } from '@portcullis/onprem'
import { InvalidArgumentError } from 'commander'

/** Reads an option that takes addresses: several behind each other, or with commas, or the option several times. */
export function collectIps(text: string, before: readonly Ip[] = []): readonly Ip[] {
  return [...before, ...text.split(',').map(ipOf)]
}

/** The same where texts are wanted: as they were written, if they are addresses. */
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
