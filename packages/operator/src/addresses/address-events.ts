import { type Cached, type EventRecord, Ingress, type Regarding, sanitizeUntrusted } from '@portcullis/kube'
import type { Ingress as IngressObject } from 'kubernetes-types/networking/v1'
import { formatAddress } from './address.ts'
import { classOf } from './ingress-class.ts'
import type { AddressReason } from './reasons.ts'

// The Events about addresses, of an Ingress or an IngressController.

/** Tenants create Ingresses in any number: events about other things need room as well. */
const maxUnsent = 100

export function regardingIngress(ingress: Cached<IngressObject>): Regarding {
  const { apiVersion, kind } = Ingress
  return { ...ingress, apiVersion, kind }
}

export function regardingController(namespace: string, name: string): Regarding {
  return { apiVersion: 'operator.openshift.io/v1', kind: 'IngressController', namespace, name }
}

/** @param note why; see `Selections.explain` */
export function ingressNotSelected(note: string): EventRecord {
  return { ...warning('IngressNotSelected', note), maxUnsent }
}

export function addressRefused(error: unknown): EventRecord {
  const note = `The API server rejects the address: ${sanitizeUntrusted((error as Error).message)}`
  return { ...warning('AddressRefused', note), maxUnsent }
}

/** @param manager who writes the other address; empty if unknown */
export function addressContested(ingress: Cached<IngressObject>, manager: string): EventRecord {
  const theirs = (ingress.status?.loadBalancer?.ingress ?? []).map(formatAddress).join(', ') || 'none'
  const who = manager === '' ? 'Another client' : `"${sanitizeUntrusted(manager)}"`
  const note = `${who} keeps overwriting the address with ${sanitizeUntrusted(theirs)}. The operator leaves the Ingress alone for some minutes: make sure that only one controller serves the class "${sanitizeUntrusted(classOf(ingress) ?? '')}"`
  return { ...warning('AddressContested', note), maxUnsent }
}

export const addressesRemoved: EventRecord = warning(
  'AddressesRemoved',
  'The IngressController has had no address for longer than the grace period: the addresses of its Ingresses are removed',
)

function warning(reason: AddressReason, note: string): EventRecord {
  return { type: 'Warning', reason, action: 'WriteAddress', note }
}
