import { addFinalizer, type Cached, type MergePatch, removeFinalizer } from '@portcullis/kube'
import type { Service } from 'kubernetes-types/core/v1'
import type { CloudStep } from './decide.ts'
import { cleanupFinalizer } from './wanted.ts'

/** A merge patch of a Service or of its status. */
export interface ServiceWrite {
  readonly body: MergePatch
  readonly subresource?: 'status'
}

/** What one of the cloud's steps writes to the Service as it is now; undefined where that is nothing. */
export function serviceWriteOf(step: CloudStep, service: Cached<Service>): ServiceWrite | undefined {
  switch (step.step) {
    case 'addFinalizer':
      return addFinalizer(service, cleanupFinalizer)
    case 'removeFinalizer':
      return removeFinalizer(service, cleanupFinalizer)
    case 'publish': {
      const hasAddresses = step.addresses.length > 0
      if (!hasAddresses && !hasAddress(service)) return undefined
      const ingress = hasAddresses ? step.addresses : null
      return { body: { status: { loadBalancer: { ingress } } }, subresource: 'status' }
    }
    case 'event':
    case 'attachHosts':
      return undefined
  }
}

export function hasAddress({ status }: Cached<Service>): boolean {
  return (status?.loadBalancer?.ingress ?? []).length > 0
}
