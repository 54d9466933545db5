import { parseIp } from '../../ip.ts'
import { type Finding, finding, listed } from '../finding.ts'
import type { InstallConfig, OnPremises } from '../install-config.ts'
import { specialUseOf } from '../special-addresses.ts'
import type { Value } from '../value.ts'

/** Whether virtual IPs are addresses at all, and written once, in the field of today. */
export function* checkVipAddresses({ platform }: InstallConfig): Iterable<Finding> {
  if (platform === undefined) return
  yield* checkFields(platform)
  for (const value of [...platform.api.values, ...platform.ingress.values]) {
    if (value.kind !== 'text') continue
    const ip = parseIp(value.text)
    if (ip === undefined) {
      yield finding(
        'vip-not-an-address',
        value,
        `${quoted(value.text)} is not an IP address; ${remedyFor(value.text)}.`,
      )
      continue
    }
    const use = specialUseOf(ip)
    if (use !== undefined) {
      const message = `${value.text} ${use} and cannot be reached by others; choose an address of your network.`
      yield finding('vip-special-address', value, message)
    }
  }
}

function quoted(text: string): string {
  return text === '' ? 'An empty text' : text
}

function remedyFor(text: string): string {
  if (text.includes('/')) return `write it without the length of its network: ${text.split('/')[0]}`
  if (/^\[.*\]/.test(text)) return 'write an IPv6 address without brackets and port'
  if (text.includes('%')) return 'leave out the zone behind the percent sign'
  if (/^::ffff:[\d.]+$/i.test(text)) return `write IPv4 as such: ${text.slice(7)}`
  if (/^[\d.]+:\d+$/.test(text)) return 'leave out the port'
  if (/^[\d.]+$/.test(text)) return 'it takes four numbers from 0 to 255, without leading zeros'
  return 'write one such as 192.0.2.10 or 2001:db8::10, not a name'
}

function* checkFields({ value, fields }: OnPremises): Iterable<Finding> {
  for (const { list, single } of [fields.api, fields.ingress]) {
    const [today, old] = [value.field(list), value.field(single)]
    if (old?.kind !== 'text' || old.text === '') continue
    const items: readonly Value[] = today?.items ?? []
    if (items.length === 0) {
      const message = `${old.text} is in the deprecated field ${single}; write it as the first item of ${list}.`
      yield finding('vip-deprecated-field', old, message)
    } else if (items.some(({ text }) => text === old.text)) {
      yield finding(
        'vip-deprecated-field',
        old,
        `${old.text} is in ${list} already; remove the deprecated ${single}.`,
      )
    } else {
      const message = `${old.text} is not among ${list}, which hold ${listed(items.map(({ text }) => text))}; remove ${single}.`
      yield finding('vip-fields-disagree', old, message)
    }
  }
}
