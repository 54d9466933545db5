import type { Key } from '@portcullis/kube'
import type { Annotations } from './platforms.ts'

/**
 * What can go wrong in the cloud:
 * - `quota`: no further load balancer can be made;
 * - `denied`: nothing can be made, changed or deleted;
 * - `inPlaceChangeFails`: a live load balancer cannot get another scope;
 * - `slowDeletion`: load balancers take long to go away.
 */
export type CloudFault = (typeof cloudFaults)[number]

export const cloudFaults = ['quota', 'denied', 'inPlaceChangeFails', 'slowDeletion'] as const

/** Faults of one Service, for users with only kubectl: `kubectl annotate service router sandbox.portcullis.dev/cloud-fault=quota`. */
export const faultAnnotation = 'sandbox.portcullis.dev/cloud-fault'

/** The current faults. They may be changed at any time. */
export class CloudFaults {
  readonly #everywhere = new Set<CloudFault>()
  readonly #byService = new Map<Key, Set<CloudFault>>()

  /** @param service `namespace/name`; all Services unless given */
  inject(fault: CloudFault, { service }: { readonly service?: Key } = {}): void {
    if (service === undefined) this.#everywhere.add(fault)
    else this.#byService.set(service, (this.#byService.get(service) ?? new Set()).add(fault))
  }

  /** Services that have failed notice at their next try, as with a real cloud. */
  repair(fault: CloudFault, { service }: { readonly service?: Key } = {}): void {
    if (service === undefined) this.#everywhere.delete(fault)
    else this.#byService.get(service)?.delete(fault)
  }

  repairAll(): void {
    this.#everywhere.clear()
    this.#byService.clear()
  }

  of(service: Key, annotations: Annotations = {}): ReadonlySet<CloudFault> {
    const annotated = (annotations[faultAnnotation] ?? '').split(',').map((name) => name.trim())
    return new Set([
      ...this.#everywhere,
      ...(this.#byService.get(service) ?? []),
      ...cloudFaults.filter((fault) => annotated.includes(fault)),
    ])
  }
}
