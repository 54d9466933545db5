import type { CheckName, ServiceName } from '../../load-balancer/services.ts'
import type { Attempt } from '../../probe/attempt.ts'
import type { Limits, ObservedFlip, ObservedFrontEnd, ObservedMember, Target } from '../observations.ts'
import { addressesOf, answererOf, turnsOf } from '../pool.ts'
import { destinationOf } from './front-ends.ts'
import { connectTo, type Surroundings, tell, wait } from './surroundings.ts'

/** Through which service a change of each readiness is seen. */
const seenThrough: Readonly<Record<CheckName, ServiceName>> = {
  api: 'api',
  'machine-config': 'machine-config',
  router: 'https',
}

/**
 * Lets a member of each pool say that it is not ready, sees how long connections still come to it, lets it be ready again,
 * and sees how long it takes until some come.
 */
export async function observeFlips(
  target: Target,
  limits: Limits,
  members: readonly ObservedMember[],
  frontEnds: readonly ObservedFrontEnd[],
  surroundings: Surroundings,
): Promise<readonly ObservedFlip[]> {
  const checks = Object.keys(seenThrough) as CheckName[]
  const flips = checks.map(async (check): Promise<readonly ObservedFlip[]> => {
    const service = seenThrough[check]
    if (service === 'machine-config' && target.vantage === 'outside') return []
    const frontEnd = frontEnds.find((each) => each.service === service)
    const victim = victimIn(frontEnd, members, target)
    if (frontEnd === undefined || victim === undefined) return []
    const to = destinationOf(service, frontEnd.address, target)
    return [await flip({ check, service, victim, to, limitMs: limits.dropMs[check] }, members, surroundings)]
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

interface Flip {
  readonly check: CheckName
  readonly service: ServiceName
  readonly victim: string
  readonly to: ReturnType<typeof destinationOf>
  readonly limitMs: number
}

async function flip(
  { check, service, victim, to, limitMs }: Flip,
  members: readonly ObservedMember[],
  surroundings: Surroundings,
): Promise<ObservedFlip> {
  const isVictim = ({ outcome }: Attempt) => {
    const who = answererOf(outcome, service, members)
    return who.kind === 'member' && who.address === victim
  }
  const enough = turnsOf(members)
  const longest = limitMs + Math.max(1000, limitMs / 4)
  const isGone = (attempts: readonly Attempt[]) =>
    attempts.length >= enough && !attempts.slice(-enough).some(isVictim)
  const isBack = (attempts: readonly Attempt[]) => attempts.slice(-1).some(isVictim)
  const setReady = (isReady: boolean) => tell(victim, '/ready', { check, isReady }, surroundings)
  const setListening = (isListening: boolean) =>
    tell(victim, '/listening', { listener: service, isListening }, surroundings)

  let whileRefusing: readonly Attempt[] = []
  const notReadyAtMs = surroundings.now()
  await setReady(false)
  try {
    const whileNotReady = await poll(isGone, longest)
    if (!isGone(whileNotReady)) {
      await setListening(false)
      whileRefusing = await poll((attempts) => attempts.length >= enough, longest)
      await setListening(true)
    }
    const readyAgainAtMs = surroundings.now()
    await setReady(true)
    const afterwards = await poll(isBack, longest)
    return { check, service, victim, notReadyAtMs, whileNotReady, whileRefusing, readyAgainAtMs, afterwards }
  } finally {
    await setListening(true)
    await setReady(true)
  }

  async function poll(isOver: (attempts: readonly Attempt[]) => boolean, longestMs: number) {
    const attempts: Attempt[] = []
    const until = surroundings.now() + longestMs
    while (!isOver(attempts) && surroundings.now() < until) {
      attempts.push(await connectTo(to, surroundings))
      await wait(surroundings.patience.pollMs, surroundings)
    }
    return attempts
  }
}
