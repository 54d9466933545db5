import { namesOf } from '../dns/cluster-names.ts'
import type { Limits, Observations, ObservedCluster, Target } from './observations.ts'
import { observeFlips } from './observe/flips.ts'
import { observeByName, observeFrontEnds } from './observe/front-ends.ts'
import { observeIdle } from './observe/idle.ts'
import { observeDials, observeNodes, observeStandIns } from './observe/members.ts'
import type { Surroundings } from './observe/probe-context.ts'

export interface Subject {
  readonly target: Target
  readonly limits: Limits
  readonly behind: Observations['behind']
  readonly cluster: ObservedCluster | undefined
}

/** Looks at DNS, at the load balancer and at who is behind it: everything that verdicts are made of. */
export async function observe(subject: Subject, surroundings: Surroundings): Promise<Observations> {
  const { target, limits, behind, cluster } = subject
  const { doing } = surroundings
  const isStoodInFor = behind === 'stand-ins'
  const names = namesOf(target, surroundings.random)
  doing('looking up names')
  const answers = await surroundings.ask(names.map(({ name }) => name))
  const known = await observeMembers()
  doing('connecting to every front end')
  const frontEnds = await observeFrontEnds(target, known, surroundings)
  doing('coming by name')
  const byName = await observeByName(target, names, answers, surroundings)
  if (isStoodInFor) doing('connecting from every node')
  const dials = isStoodInFor ? await observeDials(target, surroundings) : []
  doing(`keeping connections silent for ${limits.idleMs / 1000} s`)
  const idle = await observeIdle(target, limits.idleMs, surroundings)
  const slowest = Math.max(...Object.values(limits.dropMs)) / 1000
  if (isStoodInFor) doing(`letting members be not ready, and ready again: up to ${slowest} s each`)
  const flips = isStoodInFor ? await observeFlips(target, limits, known, frontEnds, surroundings) : []
  const members = isStoodInFor ? await observeStandIns(target, surroundings) : known
  return { target, limits, behind, names, answers, members, frontEnds, byName, dials, idle, flips, cluster }

  function observeMembers() {
    if (behind === 'nobody') return []
    doing(isStoodInFor ? 'asking stand-ins who they are' : 'asking nodes for their certificates')
    return isStoodInFor
      ? observeStandIns(target, surroundings, { forget: true })
      : observeNodes(target, surroundings)
  }
}
