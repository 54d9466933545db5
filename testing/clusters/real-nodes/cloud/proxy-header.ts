import { isIPv6 } from 'node:net'

export interface Endpoint {
  readonly ip: string
  readonly port: number
}

/** Version 1 of the PROXY protocol: a line before the first byte of the client's. */
export function proxyHeader(client: Endpoint, server: Endpoint): string {
  const family = isIPv6(client.ip) ? 'TCP6' : 'TCP4'
  return `PROXY ${family} ${client.ip} ${server.ip} ${client.port} ${server.port}\r\n`
}
