import { type Cached, findCondition, isTrue, Service } from '@portcullis/kube'
import type { Service as ServiceObject } from 'kubernetes-types/core/v1'
import type { Address } from '../addresses/address.ts'
import { serviceAddresses } from '../addresses/service-addresses.ts'
import type { AddressSettings } from '../addresses/settings.ts'
import { commandsIn } from '../ingress/commands.ts'
import type { Condition } from '../ingress/conditions/summary-conditions.ts'
import { unhealthyConditions } from '../ingress/conditions/unhealthy-conditions.ts'
import { IngressController } from '../ingress/kinds.ts'
import { addressText } from '../ingress/published-address.ts'
import type { Settings } from '../ingress/settings.ts'
import { closedAddresses } from './closed-addresses.ts'
import { type IngressEffect, ingressEffects } from './ingress-effects.ts'
import type { ListedObjects } from './listed-objects.ts'
import { type ObjectChange, objectChanges } from './object-changes.ts'
import { refusedClients } from './refused-clients.ts'
import { addressToCome, shownAddress } from './simulated-cloud.ts'
import { Simulation, type SimulationResult, type WantedController } from './simulation.ts'

/** What would happen if some IngressControllers were applied. */
export interface Plan {
  readonly changes: readonly ObjectChange[]
  /** One for each controller that was asked about or would be touched. */
  readonly controllers: readonly ControllerPlan[]
  /** Whether the operator has not yet done what the cluster asks of it already: then that is part of the plan. */
  readonly isBehind: boolean
}

/** What the changes mean for one controller. */
export interface ControllerPlan {
  readonly name: string
  readonly domain: string | undefined
  /** Then nothing comes of the changes. */
  readonly isBeingDeleted: boolean
  readonly addresses: AddressChange
  readonly ingresses: IngressEffect
  /** Why traffic is interrupted, a sentence each; none where it is not. */
  readonly interruptions: readonly string[]
  /** What the operator will wait for a person to do. */
  readonly waits: Waits | undefined
  /** What the operator will complain about. */
  readonly problems: readonly Problem[]
}

export interface AddressChange {
  readonly before: readonly string[]
  readonly after: readonly string[]
  /** Who decides, where that cannot be known before. */
  readonly decidedBy: 'cloud' | 'scheduler' | undefined
}

export interface Waits {
  readonly reason: string
  readonly message: string
  readonly command: string
  readonly revert: string
}

export interface Problem {
  readonly condition: string
  readonly reason: string
  readonly message: string
}

export interface PlanInput {
  readonly objects: ListedObjects
  /** The controllers as they would be: whole, with every default that the API server fills in. */
  readonly wanted: readonly WantedController[]
  readonly settings: Settings
  readonly addresses: AddressSettings
  readonly now: Date
}

/**
 * Runs the operator's own `decide` on a copy of the cluster in which the changes have been made, lets routers, the
 * cloud and the user act, and returns the result. Nothing is written anywhere.
 */
export function plan({ objects, wanted, settings, addresses, now }: PlanInput): Plan {
  const asked = new Set(wanted.map(({ metadata }) => metadata.name))
  const before = new Simulation(objects, settings, now).look()
  const simulation = new Simulation(objects, settings, now)
  for (const controller of wanted) simulation.apply(controller)
  const after = simulation.simulate(asked)
  const changes = objectChanges(before, after)
  const effects = ingressEffects(objects, before, after, addresses)
  const names = after.cluster
    .all(IngressController)
    .map(({ metadata }) => metadata.name)
    .filter((name) => asked.has(name) || changes.some(({ controller }) => controller === name))
  return {
    changes,
    controllers: names.map((name) => ({
      name,
      domain: after.decisions.get(name)?.status?.domain,
      isBeingDeleted: after.terminating.has(name),
      addresses: addressChange(name, before, after),
      ingresses: effects.get(name) ?? { count: 0, hosts: [] },
      interruptions: interruptions(name, changes, before, after),
      waits: waitsOf(after.waiting.get(name)),
      problems: newProblems(name, before, after),
    })),
    isBehind: [...before.decisions.values()].some(({ actions }) => actions.length > 0),
  }
}

function addressChange(name: string, before: SimulationResult, after: SimulationResult): AddressChange {
  const [had, has] = [before, after].map((result) => textsOf(addressesOf(name, result)))
  return { before: had ?? [], after: has ?? [], decidedBy: addressDecider(name, after) }
}

/** Addresses with ports are those of nodes: which, the scheduler decides where routers have a choice. */
function addressDecider(name: string, after: SimulationResult): AddressChange['decidedBy'] {
  const addresses = addressesOf(name, after)
  if (addresses.some(({ hostname }) => hostname === addressToCome)) return 'cloud'
  const isOnNodes = addresses.some(({ ports = [] }) => ports.length > 0)
  return isOnNodes && after.undecided.has(name) ? 'scheduler' : undefined
}

function addressesOf(name: string, { decisions }: SimulationResult): readonly Address[] {
  return decisions.get(name)?.addresses ?? []
}

function textsOf(addresses: readonly Address[] = []): readonly string[] {
  return addressText(addresses).split(',').filter(Boolean).map(shownAddress)
}

function interruptions(
  name: string,
  changes: readonly ObjectChange[],
  before: SimulationResult,
  after: SimulationResult,
): string[] {
  const gone = changes.filter(
    ({ controller, disruption }) => controller === name && disruption === 'interrupts',
  )
  const sentences = gone.map(({ sign, kind, namespace, name: object }) =>
    sign === '-/+'
      ? `${kind} ${namespace}/${object} is replaced: traffic is interrupted until the new load balancer is provisioned, and its address will most likely change.`
      : `${kind} ${namespace}/${object} is deleted: clients that still use its address are cut off.`,
  )
  const [had, has] = [before, after].map(({ decisions }) => decisions.get(name)?.status?.conditions)
  const isLost = isTrue(had, 'Available') && !isTrue(has, 'Available')
  if (isLost)
    sentences.push(
      `The IngressController would no longer be available. ${findCondition(has, 'Available')?.message ?? ''}`,
    )
  const closed = sentences.length > 0 ? sentences : closedWays(name, before, after)
  return [...closed, ...refusedClients(name, before, after)]
}

function closedWays(name: string, before: SimulationResult, after: SimulationResult): string[] {
  const decidedBy = addressDecider(name, after)
  // A load balancer that the cloud changes live may keep its address: only the cloud knows.
  const open = decidedBy === 'cloud' ? addressText(before.cluster.all(Service).flatMap(balanced)) : ''
  const had = addressesOf(name, before).filter((address) => !open.split(',').includes(addressText([address])))
  return closedAddresses(had, addressesOf(name, after), decidedBy === 'scheduler')
}

function balanced(service: Cached<ServiceObject>): readonly Address[] {
  return service.spec?.type === 'LoadBalancer' ? serviceAddresses(service) : []
}

function waitsOf(condition: Condition | undefined): Waits | undefined {
  if (condition === undefined) return undefined
  const { reason = '', message = '' } = condition
  const [command = '', revert = ''] = commandsIn(message)
  return { reason, message, command, revert }
}

/** What was wrong before is not the change's doing; but what is refused does nothing else, and must be said. */
function newProblems(name: string, before: SimulationResult, after: SimulationResult): Problem[] {
  const old = new Set(problemsOf(name, before).map(({ condition, reason }) => `${condition} ${reason}`))
  return problemsOf(name, after).filter(
    ({ condition, reason }) => condition === 'Admitted' || !old.has(`${condition} ${reason}`),
  )
}

function problemsOf(name: string, { decisions }: SimulationResult): Problem[] {
  return unhealthyConditions(decisions.get(name)?.status?.conditions).map(
    ({ type, reason = '', message = '' }) => ({
      condition: type,
      reason,
      message,
    }),
  )
}
