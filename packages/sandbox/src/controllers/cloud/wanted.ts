import type { Cached } from '@portcullis/kube'
import { isSameJson } from '@portcullis/kube'
import type { Service } from 'kubernetes-types/core/v1'

export const cleanupFinalizer = 'service.kubernetes.io/load-balancer-cleanup'

/** Whether a Service is this controller's: one with a class belongs to another. */
export function wantsLoadBalancer({ spec, metadata }: Cached<Service>): boolean {
  return (
    spec?.type === 'LoadBalancer' &&
    spec.loadBalancerClass === undefined &&
    metadata.deletionTimestamp === undefined
  )
}

export function hasFinalizer({ metadata }: Cached<Service>): boolean {
  return (metadata.finalizers ?? []).includes(cleanupFinalizer)
}

/** Whether there may be a load balancer that must go. */
export function needsCleanup(service: Cached<Service>): boolean {
  if (!hasFinalizer(service)) return false
  const { metadata, spec } = service
  return metadata.deletionTimestamp !== undefined || spec?.type !== 'LoadBalancer'
}

/** Whether the cloud must look at a Service because of what changed. Its own writes never make it so. */
export function needsSync(before: Cached<Service>, after: Cached<Service>): boolean {
  if (needsCleanup(after)) return before.metadata.resourceVersion !== after.metadata.resourceVersion
  if (!wantsLoadBalancer(before) && !wantsLoadBalancer(after)) return false
  return !isSameJson(relevantFields(before), relevantFields(after))
}

/** What the real controller compares: neither labels nor selectors are the cloud's business. */
function relevantFields(service: Cached<Service>) {
  const { metadata, spec } = service
  return {
    wanted: wantsLoadBalancer(service),
    uid: metadata.uid,
    annotations: metadata.annotations ?? {},
    ports: spec?.ports,
    sourceRanges: spec?.loadBalancerSourceRanges,
    affinity: [spec?.sessionAffinity, spec?.sessionAffinityConfig],
    ips: [spec?.loadBalancerIP, spec?.externalIPs ?? []],
    traffic: [spec?.externalTrafficPolicy, spec?.healthCheckNodePort],
    families: spec?.ipFamilies?.length,
  }
}
