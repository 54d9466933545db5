import type { Inside } from '../inside.ts'
import { run } from '../run-command.ts'

/** One network interface, as far as it matters where it leads. */
export interface Link {
  readonly index: number
  readonly name: string
  /** `loopback`, or what `ip -d link` calls the kind; undefined for a device that is not made of software. */
  readonly kind?: string
  /** The other end of a cable. */
  readonly peer?: Peer
}

/** Either in the same namespace, by its name, or in another: by its index there, and the number which that has here. */
export type Peer =
  | { readonly name: string }
  | { readonly index: number; readonly namespaceNumber: number | undefined }

/** The interfaces and routes of one network namespace, and which others it has cables to. */
export interface NamespaceLinks {
  readonly name: string
  /** The inode of the namespace, which is what the kernel knows it by. */
  readonly id: number
  /** The inodes of other namespaces, by the numbers that they have in this one. */
  readonly neighbours: ReadonlyMap<number, number>
  readonly links: readonly Link[]
  /** Destinations, each with the interface by which they are reached. */
  readonly routes: readonly { readonly destination: string; readonly link: string }[]
}

/**
 * Asks a namespace for its interfaces.
 *
 * @param inside must change nothing but the network namespace: which others there are is read from /proc
 */
export async function readNamespaceLinks(name: string, inside: Inside): Promise<NamespaceLinks> {
  const [id, namespaces, links, ...routes] = await Promise.all([
    output(inside, 'readlink', '/proc/self/ns/net'),
    output(inside, 'lsns', '--json', '--type', 'net', '--output', 'NS,NETNSID'),
    output(inside, 'ip', '-json', '-details', 'link'),
    output(inside, 'ip', '-json', 'route'),
    output(inside, 'ip', '-json', '-6', 'route'),
  ])
  return {
    name,
    id: Number(/\d+/.exec(id)?.[0]),
    neighbours: neighboursIn(namespaces),
    links: linksIn(links),
    routes: routes.flatMap(routesIn),
  }
}

async function output(inside: Inside, command: string, ...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await run(...inside(command, args))
  if (code !== 0) throw new Error(`"${[command, ...args].join(' ')}" failed: ${stderr.trim()}`)
  return stdout
}

/** Reads what `lsns` prints: a namespace without a number here is `unassigned`. */
export function neighboursIn(text: string): ReadonlyMap<number, number> {
  const { namespaces } = JSON.parse(text) as {
    readonly namespaces: readonly { readonly ns: number | string; readonly netnsid: number | string }[]
  }
  const numbered = namespaces.map(({ ns, netnsid }) => [Number(netnsid), Number(ns)] as const)
  return new Map(numbered.filter(([number]) => Number.isInteger(number)))
}

/** Reads what `ip -json -details link` prints. */
export function linksIn(text: string): readonly Link[] {
  const links = JSON.parse(text) as readonly {
    readonly ifindex: number
    readonly ifname: string
    readonly link_type: string
    readonly link?: string
    readonly link_index?: number
    readonly link_netnsid?: number
    readonly linkinfo?: { readonly info_kind?: string }
  }[]
  return links.map((each) => {
    const kind = each.link_type === 'loopback' ? 'loopback' : each.linkinfo?.info_kind
    const peer = peerOf(each)
    return { index: each.ifindex, name: each.ifname, ...(kind && { kind }), ...(peer && { peer }) }
  })
}

function peerOf(link: {
  readonly link?: string
  readonly link_index?: number
  readonly link_netnsid?: number
}): Peer | undefined {
  if (link.link !== undefined) return { name: link.link }
  if (link.link_index === undefined) return undefined
  return { index: link.link_index, namespaceNumber: link.link_netnsid }
}

/** Reads what `ip -json route` prints; a route of several hops is one for each. */
export function routesIn(text: string): NamespaceLinks['routes'] {
  if (text.trim() === '') return []
  const routes = JSON.parse(text) as readonly {
    readonly dst: string
    readonly dev?: string
    readonly nexthops?: readonly { readonly dev?: string }[]
  }[]
  return routes.flatMap(({ dst, dev, nexthops = [] }) =>
    [dev, ...nexthops.map((hop) => hop.dev)].flatMap((link) =>
      link === undefined ? [] : [{ destination: dst, link }],
    ),
  )
}
