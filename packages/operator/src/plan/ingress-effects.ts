import { type Cached, Ingress, IngressClass } from '@portcullis/kube'
import type {
  IngressClass as IngressClassObject,
  Ingress as IngressObject,
} from 'kubernetes-types/networking/v1'
import { type Address, formatAddress } from '../addresses/address.ts'
import { belongingOf, classOf } from '../addresses/ingress-class.ts'
import type { AddressSettings } from '../addresses/settings.ts'
import { addressText } from '../ingress/published-address.ts'
import type { ListedObjects } from './listed-objects.ts'
import type { SimulationResult } from './simulation.ts'

/** Ingresses that would get another address or other ports. */
export interface IngressEffect {
  readonly count: number
  /** The names that would lead to another address; where only ports change, none. */
  readonly hosts: readonly string[]
}

/** By controller. Where addresses are given rather than found out, they stay what they are. */
export function ingressEffects(
  objects: ListedObjects,
  before: SimulationResult,
  after: SimulationResult,
  settings: AddressSettings,
): ReadonlyMap<string, IngressEffect> {
  const ingresses = (objects[Ingress.kind] ?? []) as readonly Cached<IngressObject>[]
  const effects = new Map<string, { count: number; hosts: Set<string> }>()
  for (const ingress of ingresses) {
    const [had, has] = [before, after].map((result) => addressOf(ingress, result, settings))
    const controller = has?.controller ?? had?.controller
    if (controller === undefined || had?.text === has?.text) continue
    const effect = effects.get(controller) ?? { count: 0, hosts: new Set() }
    effects.set(controller, effect)
    effect.count += 1
    if (had?.place === has?.place) continue
    for (const host of hostsOf(ingress)) effect.hosts.add(host)
  }
  return new Map([...effects].map(([name, { count, hosts }]) => [name, { count, hosts: [...hosts].sort() }]))
}

function addressOf(
  ingress: Cached<IngressObject>,
  { cluster, decisions }: SimulationResult,
  settings: AddressSettings,
): { readonly controller: string; readonly text: string; readonly place: string } | undefined {
  const findClass = (name: string): Cached<IngressClassObject> | undefined =>
    cluster.get(IngressClass, { name })
  const belonging = belongingOf(ingress, findClass, settings)
  if (typeof belonging !== 'object') return undefined
  const isGiven =
    settings.publishService !== undefined ||
    (settings.classAddresses.get(classOf(ingress) ?? '') ?? settings.staticAddresses).length > 0
  const addresses: readonly Address[] = isGiven ? [] : (decisions.get(belonging.to)?.addresses ?? [])
  return {
    controller: belonging.to,
    text: addresses.map(formatAddress).join(' '),
    place: addressText(addresses),
  }
}

function hostsOf({ spec }: Cached<IngressObject>): string[] {
  const inTls = (spec?.tls ?? []).flatMap(({ hosts = [] }) => hosts)
  return [...(spec?.rules ?? []).flatMap(({ host }) => host || []), ...inTls]
}
