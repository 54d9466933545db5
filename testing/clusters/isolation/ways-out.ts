import type { Link, NamespaceLinks } from './namespace-links.ts'

/** What cannot lead anywhere by itself: the ports of a bridge are interfaces, too, and are looked at as such. */
const harmless: readonly (string | undefined)[] = ['loopback', 'bridge', 'dummy']

/**
 * Every interface by which a packet could leave these namespaces, as a sentence that names it. A cable between two of
 * them leads nowhere else; whatever else is not known to be harmless counts as a way out, so that a kind of tunnel which
 * nobody thought of here does too.
 */
export function waysOut(namespaces: readonly NamespaceLinks[]): readonly string[] {
  const byId = new Map(namespaces.map((namespace) => [namespace.id, namespace]))
  return namespaces.flatMap((namespace) =>
    namespace.links.flatMap((link) => {
      const reason = reasonOf(link, namespace, byId)
      return reason === undefined
        ? []
        : [`${namespace.name}: ${link.name} ${reason}${routesBy(link, namespace)}`]
    }),
  )
}

function reasonOf(
  link: Link,
  namespace: NamespaceLinks,
  byId: ReadonlyMap<number, NamespaceLinks>,
): string | undefined {
  if (harmless.includes(link.kind)) return undefined
  if (link.kind === undefined) return 'is a device of the machine'
  if (link.kind !== 'veth') return `is of the kind ${link.kind}`
  return otherEnd(link, namespace, byId) === undefined
    ? 'is a cable to a namespace that is not one of these'
    : undefined
}

/** The other end of a cable, if that is in one of these namespaces and says so itself. */
function otherEnd(
  { index, name, peer }: Link,
  namespace: NamespaceLinks,
  byId: ReadonlyMap<number, NamespaceLinks>,
): Link | undefined {
  if (peer === undefined) return undefined
  if ('name' in peer)
    return namespace.links.find(
      (link) => link.name === peer.name && link.peer && 'name' in link.peer && link.peer.name === name,
    )
  const there = byId.get(inodeOf(peer.namespaceNumber, namespace))
  return there?.links.find(
    (link) =>
      link.index === peer.index &&
      link.peer !== undefined &&
      'index' in link.peer &&
      link.peer.index === index &&
      inodeOf(link.peer.namespaceNumber, there) === namespace.id,
  )
}

function inodeOf(number: number | undefined, { neighbours }: NamespaceLinks): number {
  return (number === undefined ? undefined : neighbours.get(number)) ?? Number.NaN
}

function routesBy({ name }: Link, { routes }: NamespaceLinks): string {
  const destinations = new Set(routes.filter(({ link }) => link === name).map((each) => each.destination))
  return destinations.size === 0 ? '' : `, by which goes ${[...destinations].join(', ')}`
}
