import { type Cached, type DeepReadonly, findCondition, sanitizeUntrusted } from '@portcullis/kube'
import type { Service } from 'kubernetes-types/core/v1'
import type { Address } from '../addresses/address.ts'
import { serviceAddresses } from '../addresses/service-addresses.ts'
import type { IngressControllerStatus } from '../api/ingress-controller.ts'

/** The condition whose message is the address of a controller: any version of the API has room for that. */
export const publishedCondition = 'Published'

/** Where a controller was last seen to be reached; empty when nowhere. */
export function publishedAddress(status: DeepReadonly<IngressControllerStatus> | undefined): string {
  const published = findCondition(status?.conditions, publishedCondition)
  return published?.status === 'True' ? (published.message ?? '') : ''
}

/** Addresses in one line, in an order of their own. The addresses that nodes report are not validated. */
export function addressText(addresses: readonly Address[]): string {
  const texts = addresses.flatMap(({ ip, hostname }) => ip || hostname || [])
  return [...new Set(texts.map(sanitizeUntrusted))].sort().join(',')
}

/** Whether the cloud has given a load balancer another address since its controller's was last seen. */
export function hasNewAddress(
  service: Cached<Service>,
  status: DeepReadonly<IngressControllerStatus> | undefined,
): boolean {
  const address = addressText(serviceAddresses(service))
  return address !== '' && address !== publishedAddress(status)
}
