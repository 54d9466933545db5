import { createHash } from 'node:crypto'
import type { Cached } from '@portcullis/kube'
import type { Ingress } from 'kubernetes-types/networking/v1'
import type { AddressDecision } from './decide-ingress.ts'

export type AddressChange = Extract<AddressDecision, { readonly do: 'write' | 'clear' }>

/**
 * One version of an Ingress, and the address that we would write: as a digest, for it is kept of every Ingress whose address
 * was refused.
 */
export function attemptOf({ metadata }: Pick<Cached<Ingress>, 'metadata'>, decision: AddressChange): string {
  return createHash('sha256')
    .update(`${metadata.resourceVersion} ${JSON.stringify(decision)}`)
    .digest('base64')
}
