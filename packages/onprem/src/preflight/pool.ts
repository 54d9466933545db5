import { endpoint } from '../endpoint.ts'
import type { ReceivedProbe } from '../fake-backends/received-probe.ts'
import type { ListenerName } from '../fake-backends/responses.ts'
import { type ServiceName, services } from '../load-balancer/services.ts'
import type { AnsweredAttempt, Attempt, AttemptResult } from '../probe/attempt.ts'
import type { Observations, ObservedFrontEnd, ObservedMember, Target } from './observations.ts'

/**
 * Who answered: a member that we know, one of several that look alike, one that cannot be identified since not all members are
 * known, an unknown machine, or none.
 */
export type Responder =
  | { readonly kind: 'member'; readonly address: string }
  | { readonly kind: 'some-member' }
  | { readonly kind: 'unidentified' }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'nobody' }

/** By what it says of itself, else by its certificate. */
export function responderOf(
  outcome: AttemptResult,
  service: ServiceName,
  members: readonly ObservedMember[],
): Responder {
  if (outcome.kind !== 'answered') return { kind: 'nobody' }
  if (outcome.backend !== undefined) return { kind: 'member', address: outcome.backend }
  // In clear text nodes look alike.
  if (!services[service].isTls && members.some(({ saysWho }) => !saysWho)) return { kind: 'some-member' }
  const print = outcome.certificate?.fingerprint
  const alike = members.filter(({ fingerprints }) => print !== undefined && fingerprints[service] === print)
  const [only] = alike
  if (only === undefined) {
    const isAnyUnseen = members.some(({ unseen }) => unseen.some((each) => each.service === service))
    return { kind: isAnyUnseen ? 'unidentified' : 'unknown' }
  }
  return alike.length === 1 ? { kind: 'member', address: only.address } : { kind: 'some-member' }
}

/** What was observed of a service and its members. */
export interface Pool {
  readonly service: ServiceName
  readonly frontEnds: readonly ObservedFrontEnd[]
  readonly expected: readonly string[]
  /** Why a response cannot always be attributed: members whose certificate we could not see. */
  readonly unidentified: string | undefined
  /** Who answered us, connection by connection, coming from one address. */
  readonly spread: readonly Responder[]
  /** Members that ever answered any client. */
  readonly reached: ReadonlySet<string>
  /** Members that received health checks on the port of this service's health check. */
  readonly probed: ReadonlySet<string>
  /** Members that received health checks for this service alone: those on a router's stats port are for two. */
  readonly probedHere: ReadonlySet<string>
  /** Whether a member of it was left out for a while, so that others had their turn. */
  readonly isFlipped: boolean
  /** The health checks that members received. */
  readonly receivedProbes: readonly (ReceivedProbe & { readonly member: string })[]
}

export function poolOf(observations: Observations, service: ServiceName): Pool {
  const { target, members, frontEnds, dials, flips } = observations
  const { check } = services[service]
  const mine = frontEnds.filter((each) => each.service === service)
  const who = ({ outcome }: Attempt) => responderOf(outcome, service, members)
  const spread = mine.flatMap(({ attempts }) => attempts.map(who))
  const elsewhere = [
    ...dials.filter((dial) => dial.service === service).flatMap(({ attempts }) => attempts),
    ...flips
      .filter((flip) => flip.service === service)
      .flatMap(({ whileNotReady, whileRefusing, afterwards }) => [
        ...whileNotReady,
        ...whileRefusing,
        ...afterwards,
      ]),
  ].map(who)
  // A health check of 443 itself is one of routers, too, though a wrong one.
  const ports: readonly ListenerName[] = check === 'router' ? ['router', service] : [check]
  const visits = members.map(({ address, receivedProbes }) => ({
    address,
    receivedProbes: regular(receivedProbes.filter(({ listener }) => ports.includes(listener))),
  }))
  return {
    service,
    frontEnds: mine,
    expected: expectedOf(service, target),
    unidentified: unidentifiedIn(members, service),
    spread,
    reached: addressesOf([...spread, ...elsewhere]),
    probed: visitedAt(() => true),
    probedHere: visitedAt(({ listener }) => check !== 'router' || listener === service),
    isFlipped: flips.some((flip) => flip.service === service && flip.whileRefusing.length === 0),
    receivedProbes: visits.flatMap(({ address, receivedProbes }) =>
      receivedProbes.map((probe) => ({ ...probe, member: address })),
    ),
  }

  function visitedAt(isMeant: (probe: ReceivedProbe) => boolean): ReadonlySet<string> {
    return new Set(
      visits.filter(({ receivedProbes }) => receivedProbes.some(isMeant)).map(({ address }) => address),
    )
  }
}

/** As `node 192.0.2.21:6443 could not be reached directly from here (no answer in time)`. */
function unidentifiedIn(members: readonly ObservedMember[], service: ServiceName): string | undefined {
  const nodes = members.flatMap(({ address, unseen }) =>
    unseen
      .filter((each) => each.service === service)
      .map(
        ({ port, outcome }) =>
          `${endpoint(address, port)} could not be reached directly from here (${inWords(outcome)})`,
      ),
  )
  return nodes.length === 0 ? undefined : `node ${nodes.join(', node ')}`
}

/** The members that a service should have, the bootstrap machine included. */
export function expectedOf(service: ServiceName, target: Target): readonly string[] {
  const { controlPlane, routers, bootstrap } = target
  if (services[service].use === 'ingress') return routers
  return bootstrap === undefined ? controlPlane : [bootstrap, ...controlPlane]
}

/** Without what came by chance: a connection that said nothing may have been a probe of ours that was cut off. */
function regular(receivedProbes: readonly ReceivedProbe[]): readonly ReceivedProbe[] {
  const isMute = ({ kind }: ReceivedProbe) => kind === 'connection' || kind === 'tls'
  const isRegular = receivedProbes.filter(isMute).length >= 4
  return receivedProbes.filter((probe) => isRegular || !isMute(probe))
}

/** Sorted, whichever came first: two reports of one load balancer read the same. */
export function addressesOf(responders: readonly Responder[]): ReadonlySet<string> {
  const addresses = responders.flatMap((each) => (each.kind === 'member' ? [each.address] : []))
  return new Set(addresses.sort((one, other) => one.localeCompare(other, 'en', { numeric: true })))
}

/** Whether a member, or something that may be one by its certificate, ever answered. */
export function isServed({ spread, reached }: Pool): boolean {
  return reached.size > 0 || spread.some(({ kind }) => kind === 'some-member' || kind === 'unidentified')
}

/** Whether all our connections were answered, by what may be a member. */
export function isSteady(pool: Pool): boolean {
  return isServed(pool) && pool.spread.every(({ kind }) => kind !== 'nobody')
}

/** Expected members that are surely missing. A member may be held in reserve, or be another client's. */
export function absentFrom(pool: Pool): readonly string[] {
  const { expected, reached, probed, probedHere, spread, isFlipped } = pool
  if (reached.size === 0) return []
  const isSpread = addressesOf(spread).size > 1
  // A router may be all that its clients see, until it is gone.
  const isAlone = reached.size === 1 && (isFlipped || services[pool.service].use === 'api')
  const isShown = isSpread || isAlone
  if (!isShown && probed.size === 0) return []
  const excused = isShown ? probedHere : probed
  return expected.filter((address) => !reached.has(address) && !excused.has(address))
}

/** Whether a client address always reaches the same member, though there are others. */
export function staysWithMember({ spread, expected, reached, probed }: Pool): boolean {
  const mine = addressesOf(spread)
  const others = expected.filter((address) => !mine.has(address))
  return mine.size === 1 && others.some((address) => reached.has(address) || probed.has(address))
}

/** The certificates that were seen and are no member's. */
export function foreignCertificates(
  pool: Pool,
  members: readonly ObservedMember[],
): readonly AnsweredAttempt[] {
  const known = new Set(members.map(({ fingerprints }) => fingerprints[pool.service]))
  return pool.frontEnds
    .flatMap(({ attempts }) => attempts)
    .flatMap(({ outcome }) => (outcome.kind === 'answered' ? [outcome] : []))
    .filter(({ certificate }) => certificate !== undefined && !known.has(certificate.fingerprint))
}

export function subjectOf({ frontEnds, service }: Pool): string {
  return frontEnds.map(({ address, port }) => endpoint(address, port)).join(', ') || service
}

/** So many connections in a row that each member must have had a turn. */
export function turnsOf(members: readonly ObservedMember[]): number {
  return Math.max(6, 2 * members.length)
}

/** A few words on what came back, each kind of outcome once with its number. */
export function summary(attempts: readonly Attempt[], all = attempts.length): string {
  const counts = new Map<string, number>()
  for (const { outcome } of attempts) counts.set(inWords(outcome), (counts.get(inWords(outcome)) ?? 0) + 1)
  const parts = [...counts].map(([words, count]) =>
    counts.size === 1 && count === all ? words : `${count} × ${words}`,
  )
  return parts.join('; ')
}

export function inWords(outcome: AttemptResult): string {
  switch (outcome.kind) {
    case 'answered': {
      const by = outcome.backend === undefined ? '' : ` from ${outcome.backend}`
      const to = outcome.location === undefined ? '' : `, to ${outcome.location}`
      const shown =
        outcome.certificate && outcome.backend === undefined
          ? `, certificate "${outcome.certificate.subject}"`
          : ''
      return `${outcome.status}${by}${to}${shown}`
    }
    case 'no-connection':
      return noConnection[outcome.code] ?? outcome.code
    case 'closed':
      return `accepted, and closed during ${outcome.during}`
    case 'silent':
      return `accepted, and silent during ${outcome.during}`
    case 'no-tls':
      return `no TLS (${outcome.code})`
  }
}

const noConnection: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ETIMEDOUT: 'no answer in time',
  EHOSTUNREACH: 'no route to the address',
  ECONNRESET: 'connection reset at once',
  ENETUNREACH: 'no route to the network',
}
