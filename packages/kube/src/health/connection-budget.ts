/** How much one client may request of the process, and all clients together. */
export interface ConnectionLimits {
  readonly connections: number
  readonly connectionsOfOnePeer: number
  /** New connections a second, and how many may come at once after a quiet time. */
  readonly rate: Rate
  readonly rateOfOnePeer: Rate
  /** What is let in beyond `rate`, of peers that ask little: others cannot use up the share of each. */
  readonly reserve: Rate
  readonly reserveOfOnePeer: Rate
}

interface Rate {
  readonly perSecond: number
  readonly burst: number
}

/**
 * Probes come every few seconds, and scrapes every half minute. The reserve is enough for a hundred addresses that take
 * their whole share of it; with more of them, probes may be turned away.
 */
export const defaultLimits: ConnectionLimits = {
  connections: 50,
  connectionsOfOnePeer: 10,
  rate: { perSecond: 200, burst: 400 },
  rateOfOnePeer: { perSecond: 20, burst: 40 },
  reserve: { perSecond: 200, burst: 400 },
  reserveOfOnePeer: { perSecond: 2, burst: 4 },
}

/** So many addresses have a record; beyond that, the records that have been silent longest are dropped. */
const mostPeers = 1_000

interface Peer<C> {
  readonly open: Set<C>
  readonly tokens: TokenBucket
  readonly reserve: TokenBucket
}

/**
 * Which connections are let in. Each peer has a budget of its own, and a share of a reserve, so that a flood from
 * other addresses does not keep out the probes of the kubelet; where there is no room, the client with the most
 * connections loses its oldest. A decision takes constant time (but for that search, among the few that are open).
 *
 * @typeParam C a connection
 */
export class ConnectionBudget<C> {
  readonly #limits: ConnectionLimits
  readonly #peers = new Map<string, Peer<C>>()
  readonly #all: TokenBucket
  readonly #reserve: TokenBucket
  #open = 0

  constructor(limits: ConnectionLimits = defaultLimits) {
    this.#limits = limits
    this.#all = new TokenBucket(limits.rate)
    this.#reserve = new TokenBucket(limits.reserve)
  }

  get open(): number {
    return this.#open
  }

  /** How many peers have a record. */
  get peers(): number {
    return this.#peers.size
  }

  /**
   * @param now milliseconds of a clock that never jumps
   * @returns whether the connection is let in, and who has to go for it
   */
  admit(connection: C, address: string, now: number): { readonly admitted: boolean; readonly evicted?: C } {
    const peer = this.#peer(address)
    if (!peer.tokens.take(now) || !this.#takeShared(peer, now)) return { admitted: false }
    const { connections, connectionsOfOnePeer } = this.#limits
    const crowded =
      peer.open.size >= connectionsOfOnePeer
        ? peer
        : this.#open >= connections
          ? this.#greediest()
          : undefined
    const evicted = crowded && oldestOf(crowded)
    if (evicted !== undefined) this.#remove(evicted, crowded)
    peer.open.add(connection)
    this.#open++
    return { admitted: true, ...(evicted !== undefined && { evicted }) }
  }

  #takeShared({ reserve }: Peer<C>, now: number): boolean {
    return this.#all.take(now) || (reserve.take(now) && this.#reserve.take(now))
  }

  /** The connection is closed. */
  release(connection: C, address: string): void {
    this.#remove(connection, this.#peers.get(address))
  }

  #remove(connection: C, peer: Peer<C> | undefined): void {
    if (peer?.open.delete(connection)) this.#open--
  }

  #peer(address: string): Peer<C> {
    const peer = this.#peers.get(address) ?? {
      open: new Set(),
      tokens: new TokenBucket(this.#limits.rateOfOnePeer),
      reserve: new TokenBucket(this.#limits.reserveOfOnePeer),
    }
    this.#peers.delete(address)
    this.#peers.set(address, peer)
    if (this.#peers.size > mostPeers) this.#forgetOne()
    return peer
  }

  /** There are more peers than connections, so that one without any is found soon. */
  #forgetOne(): void {
    for (const [address, { open }] of this.#peers) {
      if (open.size > 0) continue
      this.#peers.delete(address)
      return
    }
  }

  #greediest(): Peer<C> | undefined {
    let greediest: Peer<C> | undefined
    for (const peer of this.#peers.values())
      if (peer.open.size > (greediest?.open.size ?? 0)) greediest = peer
    return greediest
  }
}

function oldestOf<C>({ open }: Peer<C>): C | undefined {
  const [oldest] = open
  return oldest
}

/** So many at once, and so many a second. */
export class TokenBucket {
  readonly #rate: Rate
  #tokens: number
  #filledAt: number | undefined

  constructor(rate: Rate) {
    this.#rate = rate
    this.#tokens = rate.burst
  }

  /** @returns false where too many have been taken */
  take(now: number): boolean {
    const { perSecond, burst } = this.#rate
    const passedMs = Math.max(0, now - (this.#filledAt ?? now))
    this.#filledAt = now
    this.#tokens = Math.min(burst, this.#tokens + (passedMs / 1000) * perSecond)
    if (this.#tokens < 1) return false
    this.#tokens--
    return true
  }
}
