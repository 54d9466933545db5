import { namesOf } from '../dns/cluster-names.ts'
import type { Limits, Observations, ObservedCluster, Target } from './observations.ts'
import { observeFlips } from './observe/flips.ts'
import { observeByName, observeFrontEnds } from './observe/front-ends.ts'
import { observeIdle } from './observe/idle.ts'
import { observeDials, observeFakeBackends, observeNodes } from './observe/members.ts'
import type { ProbeContext } from './observe/probe-context.ts'

export interface Subject {
  readonly target: Target
  readonly limits: Limits
  readonly behind: Observations['behind']
  readonly cluster: ObservedCluster | undefined
}

/** Observes DNS, the load balancer and its members: everything that the checks need. */
export async function observe(subject: Subject, probeContext: ProbeContext): Promise<Observations> {
  const { target, limits, behind, cluster } = subject
  const { reportProgress } = probeContext
  const hasFakeBackends = behind === 'fake-backends'
  const names = namesOf(target, probeContext.random)
  reportProgress('looking up names')
  const answers = await probeContext.ask(names.map(({ name }) => name))
  const known = await observeMembers()
  reportProgress('connecting to every front end')
  const frontEnds = await observeFrontEnds(target, known, probeContext)
  reportProgress('connecting by name')
  const byName = await observeByName(target, names, answers, probeContext)
  if (hasFakeBackends) reportProgress('connecting from every node')
  const dials = hasFakeBackends ? await observeDials(target, probeContext) : []
  reportProgress(`keeping connections idle for ${limits.idleMs / 1000} s`)
  const idle = await observeIdle(target, limits.idleMs, probeContext)
  const slowest = Math.max(...Object.values(limits.dropMs)) / 1000
  if (hasFakeBackends) reportProgress(`making members not ready, and ready again: up to ${slowest} s each`)
  const flips = hasFakeBackends ? await observeFlips(target, limits, known, frontEnds, probeContext) : []
  const members = hasFakeBackends ? await observeFakeBackends(target, probeContext) : known
  return { target, limits, behind, names, answers, members, frontEnds, byName, dials, idle, flips, cluster }

  function observeMembers() {
    if (behind === 'nobody') return []
    reportProgress(
      hasFakeBackends ? 'asking fake backends who they are' : 'asking nodes for their certificates',
    )
    return hasFakeBackends
      ? observeFakeBackends(target, probeContext, { forget: true })
      : observeNodes(target, probeContext)
  }
}
