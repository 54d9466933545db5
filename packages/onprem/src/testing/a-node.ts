import { type Ip, parseIp } from '../ip.ts'
import { type Node, usualPorts } from '../render/node.ts'
import type { VirtualIps } from '../virtual-ips.ts'

/** An address that is known to be right. */
export function ip(text: string): Ip {
  const parsed = parseIp(text)
  if (parsed === undefined) throw new Error(`"${text}" is not an IP address`)
  return parsed
}

export const vips: VirtualIps = {
  platform: 'vsphere',
  api: [ip('192.0.2.5')],
  ingress: [ip('192.0.2.7')],
  machineNetworks: [],
  servedBy: 'nodes',
  dnsRecords: 'Internal',
}

export const ofBothFamilies = {
  ...vips,
  api: [ip('192.0.2.5'), ip('2001:db8::5')],
  ingress: [ip('192.0.2.7'), ip('2001:db8::7')],
}

/** A node of the control plane of shop.example.com by default. */
export function aNode(changes: Partial<Node> = {}): Node {
  return {
    role: 'master',
    vips,
    domain: 'shop.example.com',
    controlPlane: [ip('192.0.2.20'), ip('192.0.2.21'), ip('192.0.2.22')],
    workers: [ip('192.0.2.30')],
    own: [],
    names: [],
    upstreams: [],
    interface: 'br-ex',
    vrrp: 'multicast',
    images: { haproxy: 'an/haproxy', keepalived: 'a/keepalived', coredns: 'a/coredns' },
    ports: usualPorts,
    ...changes,
  }
}
