import {
  type CheckName,
  checks,
  type ServiceName,
  serviceNames,
  services,
} from '../../load-balancer/services.ts'
import type { Attempt, Destination } from '../../probe/attempt.ts'
import type { Limits, ObservedFlip, ObservedFrontEnd, ObservedMember, Target } from '../observations.ts'
import { addressesOf, answererOf, turnsOf } from '../pool.ts'
import { destinationOf } from './front-ends.ts'
import { connectTo, type Surroundings, tell, wait } from './surroundings.ts'

/**
 * Lets a member of each pool say that it is not ready, sees how long connections still come to it, lets it be ready again,
 * and sees how long it takes until some come. Routers are watched through both of their services.
 */
export async function observeFlips(
  target: Target,
  limits: Limits,
  members: readonly ObservedMember[],
  frontEnds: readonly ObservedFrontEnd[],
  surroundings: Surroundings,
): Promise<readonly ObservedFlip[]> {
  const watched = serviceNames
    .filter((service) => service !== 'machine-config' || target.vantage === 'node')
    .flatMap((service): readonly Watched[] => {
      const frontEnd = frontEnds.find((each) => each.service === service)
      const victim = victimIn(frontEnd, members, target)
      if (frontEnd === undefined || victim === undefined) return []
      return [{ service, victim, to: destinationOf(service, frontEnd.address, target) }]
    })
  const flips = (Object.keys(checks) as CheckName[]).map(async (check) => {
    const ofCheck = watched.filter(({ service }) => services[service].check === check)
    const seen: ObservedFlip[] = []
    // One after another: a pool of two must not lose both.
    for (const victim of new Set(ofCheck.map((each) => each.victim))) {
      const ofVictim = ofCheck.filter((each) => each.victim === victim)
      seen.push(...(await flip({ check, victim, watched: ofVictim }, limits, members, surroundings)))
    }
    return seen
  })
  return (await Promise.all(flips)).flat()
}

/** One that we reach, since only of such one can be seen that it is left out; not the bootstrap machine if we can choose. */
function victimIn(
  frontEnd: ObservedFrontEnd | undefined,
  members: readonly ObservedMember[],
  { bootstrap }: Target,
): string | undefined {
  if (frontEnd === undefined) return undefined
  const reached = [
    ...addressesOf(frontEnd.attempts.map(({ outcome }) => answererOf(outcome, frontEnd.service, members))),
  ].filter((address) => members.some((member) => member.address === address))
  return reached.find((address) => address !== bootstrap) ?? reached[0]
}

/** A service through which a change of a member's readiness is seen. */
interface Watched {
  readonly service: ServiceName
  readonly victim: string
  readonly to: Destination
}

interface Flip {
  readonly check: CheckName
  readonly victim: string
  readonly watched: readonly Watched[]
}

/** Flips one member, and watches the services that have the same check. */
async function flip(
  { check, victim, watched }: Flip,
  limits: Limits,
  members: readonly ObservedMember[],
  surroundings: Surroundings,
): Promise<readonly ObservedFlip[]> {
  const limitMs = limits.dropMs[check]
  const isVictim =
    ({ service }: Watched) =>
    ({ outcome }: Attempt) => {
      const who = answererOf(outcome, service, members)
      return who.kind === 'member' && who.address === victim
    }
  const enough = turnsOf(members)
  const longest = limitMs + Math.max(1000, limitMs / 4)
  const isGone = (each: Watched) => (attempts: readonly Attempt[]) =>
    attempts.length >= enough && !attempts.slice(-enough).some(isVictim(each))
  // Where connections fail slowly, the time may be over before everybody's turn came.
  const isGoing = (each: Watched) => (attempts: readonly Attempt[]) =>
    !isGone(each)(attempts) && !attempts.slice(-1).some(isVictim(each))
  const isBack = (each: Watched) => (attempts: readonly Attempt[]) => attempts.slice(-1).some(isVictim(each))
  const setReady = (isReady: boolean) => tell(victim, '/ready', { check, isReady }, surroundings)
  const setListening = ({ service: listener }: Watched, isListening: boolean) =>
    tell(victim, '/listening', { listener, isListening }, surroundings)

  const notReadyAtMs = surroundings.now()
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
    const readyAgainAtMs = surroundings.now()
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
    const until = surroundings.now() + longest
    while (!isOver(attempts) && (surroundings.now() < until || isPromising(attempts))) {
      attempts.push(await connectTo(to, surroundings))
      await wait(surroundings.patience.pollMs, surroundings)
    }
    return attempts
  }
}
