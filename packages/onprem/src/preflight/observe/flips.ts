import {
  type HealthCheckName,
  healthChecks,
  type ServiceName,
  serviceNames,
  services,
} from '../../load-balancer/services.ts'
import type { Attempt, Destination } from '../../probe/attempt.ts'
import type { Limits, ObservedFlip, ObservedFrontEnd, ObservedMember, Target } from '../observations.ts'
import { addressesOf, responderOf, turnsOf } from '../pool.ts'
import { destinationOf, observeFrontEnd } from './front-ends.ts'
import { commandBackend, connectTo, type ProbeContext, wait } from './probe-context.ts'

/**
 * Lets a member of each pool say that it is not ready, sees how long connections still come to it, lets it be ready again,
 * and sees how long it takes until some come. Routers are watched through both of their services.
 */
export async function observeFlips(
  target: Target,
  limits: Limits,
  members: readonly ObservedMember[],
  frontEnds: readonly ObservedFrontEnd[],
  probeContext: ProbeContext,
): Promise<readonly ObservedFlip[]> {
  const seen = await Promise.all(
    serviceNames
      .filter((service) => service !== 'machine-config' || target.vantage === 'node')
      .flatMap((service) => frontEnds.find((each) => each.service === service) ?? [])
      .map(({ service, address }) => watch(service, address, target, members, probeContext)),
  )
  const watched = seen.flatMap((each) => each ?? [])
  const flips = (Object.keys(healthChecks) as HealthCheckName[]).map(async (check) => {
    const ofCheck = watched.filter(({ service }) => services[service].check === check)
    const ofAll: ObservedFlip[] = []
    // One after another: a pool of two must not lose both.
    for (const victim of new Set(ofCheck.map((each) => each.victim))) {
      const ofVictim = ofCheck.filter((each) => each.victim === victim)
      ofAll.push(...(await flip({ check, victim, watched: ofVictim }, limits, members, probeContext)))
    }
    return ofAll
  })
  return (await Promise.all(flips)).flat()
}

/**
 * Chooses a member that we reach, since only of such one can be seen that it is left out; not the bootstrap machine if we
 * can choose. We may have reached others before: while members are still being found, clients that stay with a router
 * are at another one's.
 */
async function watch(
  service: ServiceName,
  address: string,
  target: Target,
  members: readonly ObservedMember[],
  probeContext: ProbeContext,
): Promise<Watched | undefined> {
  const { attempts } = await observeFrontEnd(service, address, target, probeContext)
  const responders = attempts.map(({ outcome }) => responderOf(outcome, service, members))
  const reached = [...addressesOf(responders)].filter((each) =>
    members.some((member) => member.address === each),
  )
  const victim = reached.find((each) => each !== target.bootstrap) ?? reached[0]
  return victim === undefined ? undefined : { service, victim, to: destinationOf(service, address, target) }
}

/** A service through which a change of a member's readiness is seen. */
interface Watched {
  readonly service: ServiceName
  readonly victim: string
  readonly to: Destination
}

interface Flip {
  readonly check: HealthCheckName
  readonly victim: string
  readonly watched: readonly Watched[]
}

/** Flips one member, and watches the services that have the same check. */
async function flip(
  { check, victim, watched }: Flip,
  limits: Limits,
  members: readonly ObservedMember[],
  probeContext: ProbeContext,
): Promise<readonly ObservedFlip[]> {
  const limitMs = limits.dropMs[check]
  const isVictim =
    ({ service }: Watched) =>
    ({ outcome }: Attempt) => {
      const who = responderOf(outcome, service, members)
      return who.kind === 'member' && who.address === victim
    }
  const enough = turnsOf(members)
  const longest = limitMs + Math.max(1000, limitMs / 4)
  const isGone = (each: Watched) => (attempts: readonly Attempt[]) =>
    attempts.length >= enough && !attempts.slice(-enough).some(isVictim(each))
  // Where connections fail slowly, the time may be over before each member had a turn.
  const isGoing = (each: Watched) => (attempts: readonly Attempt[]) =>
    !isGone(each)(attempts) && !attempts.slice(-1).some(isVictim(each))
  const isBack = (each: Watched) => (attempts: readonly Attempt[]) => attempts.slice(-1).some(isVictim(each))
  const setReady = (isReady: boolean) => commandBackend(victim, '/ready', { check, isReady }, probeContext)
  const setListening = ({ service: listener }: Watched, isListening: boolean) =>
    commandBackend(victim, '/listening', { listener, isListening }, probeContext)

  const notReadyAtMs = probeContext.now()
  await setReady(false)
  try {
    const dropping = await Promise.all(
      watched.map(async (each) => {
        const whileNotReady = await poll(each, isGone(each), isGoing(each))
        if (isGone(each)(whileNotReady)) return { each, whileNotReady, whileRefusing: [] }
        await setListening(each, false)
        const whileRefusing = await poll(each, (attempts) => attempts.length >= enough)
        await setListening(each, true)
        return { each, whileNotReady, whileRefusing }
      }),
    )
    const readyAgainAtMs = probeContext.now()
    await setReady(true)
    return await Promise.all(
      dropping.map(async ({ each, ...seen }) => {
        const afterwards = await poll(each, isBack(each))
        return { check, service: each.service, victim, notReadyAtMs, ...seen, readyAgainAtMs, afterwards }
      }),
    )
  } finally {
    for (const each of watched) await setListening(each, true)
    await setReady(true)
  }

  async function poll(
    { to }: Watched,
    isOver: (attempts: readonly Attempt[]) => boolean,
    isPromising: (attempts: readonly Attempt[]) => boolean = () => false,
  ) {
    const attempts: Attempt[] = []
    const until = probeContext.now() + longest
    while (!isOver(attempts) && (probeContext.now() < until || isPromising(attempts))) {
      attempts.push(await connectTo(to, probeContext))
      await wait(probeContext.timing.pollMs, probeContext)
    }
    return attempts
  }
}
