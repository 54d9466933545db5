import { BlockList, isIP } from 'node:net'
import { KubeconfigError } from './kubeconfig-error.ts'

type Env = Readonly<Record<string, string | undefined>>

/**
 * The proxy that the environment asks for, by the rules that kubectl keeps: HTTPS_PROXY (or HTTP_PROXY, for a
 * plain server) unless NO_PROXY names the server. This machine is never reached through a proxy.
 */
export function proxyFromEnvironment(server: URL, env: Env): URL | undefined {
  const name = server.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY'
  const wanted = variable(env, name)
  if (wanted === undefined || isThisMachine(hostOf(server))) return undefined
  const exceptions = variable(env, 'NO_PROXY')?.split(',') ?? []
  if (exceptions.some((entry) => names(entry.trim().toLowerCase(), server))) return undefined
  return parseProxy(wanted, name)
}

function parseProxy(value: string, variableName: string): URL {
  const text = value.includes('://') ? value : `http://${value}`
  if (URL.canParse(text) && /^(https?|socks5):/.test(text)) return new URL(text)
  throw new KubeconfigError([
    `environment: ${variableName} is not the URL of a proxy; it must be host:port, or start with http://, https:// or socks5://`,
  ])
}

/** Set in capitals or not; what is empty is not set. */
function variable(env: Env, name: string): string | undefined {
  return env[name] || env[name.toLowerCase()] || undefined
}

/** An IPv6 address without its brackets. */
function hostOf({ hostname }: URL): string {
  return hostname.replace(/[[\]]/g, '')
}

function isThisMachine(host: string): boolean {
  return host === 'localhost' || host === '::1' || contains('127.0.0.0/8', host)
}

/** Whether an entry of NO_PROXY means this server: `*`, a network, an address or a domain, the latter two with a port or not. */
function names(entry: string, server: URL): boolean {
  const host = hostOf(server)
  if (entry === '') return false
  if (entry === '*') return true
  if (entry.includes('/')) return contains(entry, host)
  const [, name = entry, port] = isIP(entry) === 0 ? (/^\[?(.+?)\]?:(\d+)$/.exec(entry) ?? []) : []
  if (port !== undefined && port !== portOf(server)) return false
  if (name.startsWith('*.')) return host.endsWith(name.slice(1))
  return name.startsWith('.') ? host.endsWith(name) : host === name || host.endsWith(`.${name}`)
}

function portOf({ port, protocol }: URL): string {
  return port || (protocol === 'https:' ? '443' : '80')
}

function contains(network: string, host: string): boolean {
  const [address = '', prefix = ''] = network.split('/')
  const family = isIP(host) === 6 ? 'ipv6' : 'ipv4'
  if (isIP(host) === 0 || isIP(host) !== isIP(address)) return false
  if (!/^\d{1,3}$/.test(prefix) || Number(prefix) > (family === 'ipv6' ? 128 : 32)) return false
  const list = new BlockList()
  list.addSubnet(address, Number(prefix), family)
  return list.check(host, family)
}
