import { Service } from '@portcullis/kube'
import { ownerOf } from '../ingress/names.ts'
import type { Platform } from '../ingress/platforms/platform.ts'
import type { SimulatedCluster } from './simulated-cluster.ts'

/** Stands for an address that only the cloud will know: one that the status of an Ingress takes, and that nobody has. */
export const addressToCome = 'given-by-the-cloud.invalid'

/** The text of an address, as people are shown it. */
export function shownAddress(text: string): string {
  return text === addressToCome ? '<given by the cloud>' : text
}

/** Gives an address to load balancers that are new or are to change; without a cloud they get none. */
export function provisionLoadBalancers(
  cluster: SimulatedCluster,
  platform: Platform | undefined,
  services: ReadonlySet<string>,
): void {
  if (platform?.scope === undefined) return
  for (const service of cluster.all(Service)) {
    if (!services.has(service.metadata.uid) || service.spec?.type !== 'LoadBalancer') continue
    if (ownerOf(service) === undefined) continue
    const status = { loadBalancer: { ingress: [{ hostname: addressToCome }] } }
    cluster.patch(Service, service, { status }, 'cloud-controller-manager')
  }
}
