import { type Ip, parseIp } from '../ip.ts'

/** What a name is for. */
export type NameUse = 'api' | 'api-int' | 'apps'

/** A name that a cluster is reached by, and the addresses that it must lead to. */
export interface ClusterName {
  readonly use: NameUse
  readonly name: string
  /** Undefined where none are given: then any will do, but there must be one. */
  readonly wanted: readonly Ip[] | undefined
  /** Whether a cluster cannot be installed without it; its nodes may answer for themselves otherwise. */
  readonly isNeeded: boolean
}

/** What must be known of a cluster to know its names. */
export interface NamedCluster {
  /** As `edge.example.com`. */
  readonly domain: string
  /** Empty where they are not known. */
  readonly apiVips: readonly string[]
  readonly ingressVips: readonly string[]
  /** Whether nodes look up `api-int` in the user's DNS only. */
  readonly nodesAskOutside: boolean
}

/**
 * The names of a cluster. That of an application is random: a wildcard is proved only by a name that nobody can have
 * written down.
 */
export function namesOf(cluster: NamedCluster, random: () => number): readonly ClusterName[] {
  const { domain, nodesAskOutside } = cluster
  const label = `portcullis-${Math.floor(random() * 36 ** 6)
    .toString(36)
    .padStart(6, '0')}`
  const api = ipsOf(cluster.apiVips)
  return [
    { use: 'api', name: `api.${domain}`, wanted: api, isNeeded: true },
    { use: 'api-int', name: `api-int.${domain}`, wanted: api, isNeeded: nodesAskOutside },
    { use: 'apps', name: `${label}.apps.${domain}`, wanted: ipsOf(cluster.ingressVips), isNeeded: true },
  ]
}

function ipsOf(texts: readonly string[]): readonly Ip[] | undefined {
  const ips = texts.flatMap((text) => parseIp(text) ?? [])
  return ips.length === 0 ? undefined : ips
}
