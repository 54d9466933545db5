import { type Cached, findCondition, isBeingDeleted } from '@portcullis/kube'
import type { IngressController } from '../api/ingress-controller.ts'
import { bySeniority } from './seniority.ts'
import type { Settings } from './settings.ts'
import type { Snapshot } from './snapshot.ts'

type Controller = Cached<IngressController>

/** The reason of a controller that could be published if another did not hold its domain. */
export const domainHeld = 'DomainHeld'

/** The domain that a controller asks for. */
export function domainOf(
  { spec }: Pick<Controller, 'spec'>,
  { defaultDomain }: Pick<Settings, 'defaultDomain'>,
): string | undefined {
  return spec?.domain || defaultDomain
}

/** A status gets its domain when the controller is admitted, and keeps it while its routers serve that domain. */
function heldBy({ status }: Controller): string | undefined {
  return status?.domain
}

/** Who keeps a controller from the domain that it asks for. */
export interface DomainHolder {
  readonly holder: Controller
  /** Whether each in a ring asks for what the next one holds, and this controller is one of them. */
  readonly isInRing: boolean
}

/**
 * Controllers that want each other's domains get them at once, in a ring of any length: the first to be reconciled takes
 * its own, and leaves the one it had to the controller that asks for it there. That can only go on to its end if nothing
 * else keeps the others from being admitted, which each reports in its condition; until then all stay where they are.
 *
 * For a moment two of them hold one domain. The one that asks for it has it; the other is displaced, and has precedence
 * over all who only ask for what it is about to get, as has everybody on whose domain it waits. Each controller is decided
 * on by itself, from the same objects, and all come to the same.
 *
 * @returns undefined where the domain is free, or this controller's
 */
export function domainHolder(domain: string, snapshot: Snapshot): DomainHolder | undefined {
  const { controller, others, settings } = snapshot
  const claimants = others.filter((other) => asks(other, domain, settings) || heldBy(other) === domain)
  if (claimants.length === 0) return undefined
  const all = [controller, ...others]
  const holder = firstOf(domain, [controller, ...claimants], all, settings)
  if (holder === undefined || holder === controller) return undefined
  const ring = ringThrough(controller, holder, all, settings)
  return ring?.every(waitsForDomainAlone) ? undefined : { holder, isInRing: ring !== undefined }
}

/** Whether nothing but the domain keeps a controller from being admitted, as far as its spec has been looked at. */
export function waitsForDomainAlone(controller: Controller): boolean {
  const { status, metadata } = controller
  return (
    findCondition(status?.conditions, 'Admitted')?.reason === domainHeld &&
    status?.observedGeneration === metadata.generation &&
    !isBeingDeleted(controller)
  )
}

function asks(controller: Controller, domain: string, settings: Settings): boolean {
  return domainOf(controller, settings) === domain
}

/**
 * The holder of a domain: the controller that was admitted with it and still asks for it, else one that was admitted with
 * it, else the first to ask.
 */
function firstOf(
  domain: string,
  candidates: readonly Controller[],
  all: readonly Controller[],
  settings: Settings,
): Controller | undefined {
  const preferred = candidates.length > 1 ? onTheMove(all, settings) : new Set<Controller>()
  const claim = (one: Controller) => {
    if (heldBy(one) === domain) return asks(one, domain, settings) ? 3 : 2
    return preferred.has(one) ? 1 : 0
  }
  return candidates.toSorted((one, other) => claim(other) - claim(one) || bySeniority(one, other))[0]
}

/** Those whose domain another has taken over, and those who hold what these ask for, and so on. */
function onTheMove(all: readonly Controller[], settings: Settings): ReadonlySet<Controller> {
  const settled = new Set(all.flatMap((each) => (isSettled(each, settings) ? (heldBy(each) ?? []) : [])))
  const movers = all.filter((each) => heldBy(each) !== undefined && !isSettled(each, settings))
  const moving = new Set(movers.filter((each) => settled.has(heldBy(each) ?? '')))
  // A set is gone through to its end, whatever joins it on the way.
  for (const each of moving)
    for (const next of movers) if (heldBy(next) === domainOf(each, settings)) moving.add(next)
  return moving
}

function isSettled(controller: Controller, settings: Settings): boolean {
  return heldBy(controller) === domainOf(controller, settings)
}

/** The others in the ring: each asks for what the next one holds, and the last for what the controller itself does. */
function ringThrough(
  controller: Controller,
  holder: Controller,
  all: readonly Controller[],
  settings: Settings,
): readonly Controller[] | undefined {
  const ring: Controller[] = []
  for (let next: Controller | undefined = holder; next !== controller; ) {
    if (next === undefined || ring.includes(next)) return undefined
    ring.push(next)
    const wanted = domainOf(next, settings)
    const holders = all.filter((each) => wanted !== undefined && heldBy(each) === wanted)
    next = wanted === undefined ? undefined : firstOf(wanted, holders, all, settings)
  }
  return ring
}
