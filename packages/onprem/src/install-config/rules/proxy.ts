import { type Ip, parseIp } from '../../ip.ts'
import { contains, parseNetwork } from '../../network.ts'
import { type Finding, finding } from '../finding.ts'
import type { InstallConfig, Vip } from '../install-config.ts'
import { specialUseOf } from '../special-addresses.ts'
import { mostItems, type Value } from '../value.ts'

const domain = /^\.?[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*\.?$/

/** A proxy must not stand between the nodes and their load balancer. */
export function* checkProxy(config: InstallConfig): Iterable<Finding> {
  const proxy = config.root.field('proxy')
  if (proxy === undefined) return
  const noProxy = proxy.field('noProxy')
  const entries = (noProxy?.text ?? '').split(',').map((entry) => entry.trim())
  if (noProxy?.kind === 'text' && noProxy.text !== '*') yield* checkEntries(noProxy, entries)
  if (!proxy.field('httpProxy') && !proxy.field('httpsProxy')) return
  const { api, ingress } = config.platform ?? {}
  // More than two of each are refused elsewhere.
  const vips = [api, ingress].flatMap((each) => each?.addresses.slice(0, 2) ?? [])
  for (const vip of oncePerAddress(vips)) {
    if (isSpared(vip, config) || entries.some((entry) => covers(entry, vip.ip))) continue
    const message = `${vip.value.text}, a virtual IP of ${vip.use === 'API' ? 'the API' : vip.use}, is not in noProxy, so nodes would reach it through the proxy; add it to noProxy.`
    yield finding('proxy-vip', noProxy ?? proxy, message)
  }
}

function* checkEntries(noProxy: Value, entries: readonly string[]): Iterable<Finding> {
  if (noProxy.text.includes(' ')) {
    const message = `"${noProxy.text}" contains spaces, which the installer refuses; write ${entries.slice(0, mostItems).join(',')}${entries.length > mostItems ? ' and so on' : ''}.`
    yield finding('proxy-entry', noProxy, message)
  }
  if (entries.length > mostItems) {
    const message = `noProxy has ${entries.length} entries, of which the first ${mostItems} are checked; name domains and networks instead of their members.`
    yield finding('list-too-long', noProxy, message, 'warning')
  }
  for (const entry of entries.slice(0, mostItems)) {
    if (domain.test(entry) || parseIp(entry) !== undefined || parseNetwork(entry) !== undefined) continue
    const message = `"${entry}" in noProxy is neither an address nor a network nor a domain; ${remedyFor(entry)}.`
    yield finding('proxy-entry', noProxy, message)
  }
}

function remedyFor(entry: string): string {
  if (entry === '') return 'remove the comma that nothing follows'
  return entry.startsWith('*.') ? `write ${entry.slice(1)} without the asterisk` : 'correct or remove it'
}

function oncePerAddress(vips: readonly Vip[]): Iterable<Vip> {
  return new Map(vips.map((vip) => [`${vip.ip.family} ${vip.ip.number}`, vip])).values()
}

/** The installer adds the three networks of the cluster itself; an invalid address is reported elsewhere. */
function isSpared({ ip }: Vip, { networking: { machine, cluster, service } }: InstallConfig): boolean {
  const spared = [machine, cluster, service].flatMap(({ all }) => all)
  return specialUseOf(ip) !== undefined || spared.some(({ network }) => contains(network, ip))
}

function covers(entry: string, ip: Ip): boolean {
  const network = parseNetwork(entry)
  if (network !== undefined) return contains(network, ip)
  const other = parseIp(entry)
  return entry === '*' || (other?.family === ip.family && other.number === ip.number)
}
