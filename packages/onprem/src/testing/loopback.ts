import { randomInt } from 'node:crypto'

/** A network of loopback addresses that nobody else is likely to be using: all of 127.0.0.0/8 is this machine. */
export function loopbackNetwork(): { readonly cidr: string; address(host: number): string } {
  const prefix = `127.${randomInt(1, 255)}.${randomInt(0, 255)}`
  return { cidr: `${prefix}.0/24`, address: (host) => `${prefix}.${host}` }
}
