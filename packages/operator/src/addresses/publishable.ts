import { isIP } from 'node:net'
import { isSubdomain } from '@portcullis/kube'

/**
 * Whether every API server takes this IP in the status of an Ingress. Node.js finds an IP in what has a zone of any length,
 * which none of them takes; an IPv4 address in the form of an IPv6 one is refused by those that validate strictly.
 */
export function isPublishableIp(text: string): boolean {
  if (text.includes('%')) return false
  const family = isIP(text)
  return family === 4 || (family === 6 && !isMappedIpv4(text))
}

/** Whether every API server takes this host name there: it must not look like an IP. */
export function isPublishableName(text: string): boolean {
  return isSubdomain(text) && !looksLikeIpv4(text)
}

/** Also those that are none, like 300.0.0.1. */
export function looksLikeIpv4(text: string): boolean {
  return /^\d+(\.\d+){3}$/.test(text)
}

/** `::ffff:10.0.0.1`, in whichever way it is written. */
export function isMappedIpv4(text: string): boolean {
  return /^\[::ffff:[^:]+:[^:]+\]$/.test(inOneForm(text))
}

/** An IPv6 address can be written in many ways. */
export function inOneForm(ipv6: string): string {
  return new URL(`http://[${ipv6}]`).hostname
}
