import type { Clock, Manager, Metrics } from '@portcullis/kube'
import type { Registry } from 'prom-client'
import { AddressBook } from './addresses/address-book.ts'
import { registerAddressWriter } from './addresses/address-writer.ts'
import { AddressMetrics } from './addresses/metrics.ts'
import { addressReasons } from './addresses/reasons.ts'
import { type AddressSettings, defaultAddressSettings } from './addresses/settings.ts'
import { IngressMetrics } from './ingress/metrics.ts'
import { ingressReasons } from './ingress/reasons/reasons.ts'
import { ingressReconciler } from './ingress/reconciler.ts'
import type { Settings } from './ingress/settings.ts'
import { watchedKinds } from './ingress/watched-kinds.ts'

export interface OperatorParts {
  readonly manager: Pick<Manager, 'watchAll' | 'reconcile'>
  readonly settings: Settings
  readonly addresses?: AddressSettings
  readonly clock: Clock
  readonly metrics: Pick<Metrics, 'registry'>
}

/**
 * The composition root: which reconcilers make up the operator. Read it first.
 *
 * One publishes IngressControllers and writes into the address book where each is reached; the other writes these addresses
 * to the status of every Ingress.
 */
export function assembleOperator(parts: OperatorParts): void {
  const { manager, settings, clock, metrics } = parts
  const { addresses = { ...defaultAddressSettings, controllerNamespace: settings.operatorNamespace } } = parts
  const book = new AddressBook(clock)
  const counted = operatorMetrics(metrics.registry, clock)
  const caches = manager.watchAll(watchedKinds(settings))
  manager.reconcile(ingressReconciler({ caches, settings, clock, book, metrics: counted.ingress }))
  registerAddressWriter({ manager, book, settings: addresses, clock, metrics: counted.addresses })
}

/** All that the operator counts beside what its manager does. */
export function operatorMetrics(registry: Registry, clock: Clock) {
  return {
    ingress: new IngressMetrics({ registry, clock }),
    addresses: new AddressMetrics({ registry }),
  }
}

/** Every reason that the operator gives in conditions and events. */
export const operatorReasons = { ...ingressReasons, ...addressReasons }
