import type { Service } from 'kubernetes-types/core/v1'
import type { Stored } from '../../../kube/store.ts'
import type { EventTexts } from '../component-events.ts'
import {
  isInternalIp,
  isNetworkLoadBalancer,
  type LoadBalancerAddress,
  loadBalancerName,
  newAddress,
} from './addresses.ts'
import type { CloudFault } from './faults.ts'
import type { CloudPlatform } from './platforms.ts'

export const cleanupFinalizer = 'service.kubernetes.io/load-balancer-cleanup'

/** All that one decision about one Service needs. */
export interface CloudSnapshot {
  readonly service: Stored<Service>
  readonly platform: CloudPlatform
  readonly faults: ReadonlySet<CloudFault>
  readonly timing: CloudTiming
  /** Milliseconds of a clock that never jumps. */
  readonly now: number
  /** Where the last decision left off; undefined for a Service that is new to this process. */
  readonly progress: Progress | undefined
  readonly addressesInUse: ReadonlySet<string>
  readonly turn: number
  readonly hasNodes: boolean
}

export interface CloudTiming {
  readonly provisioningMs: number
  readonly deletionMs: number
  /** How long a deletion takes under the fault `slowDeletion`. */
  readonly slowDeletionMs: number
  readonly retryBaseMs: number
  readonly retryMaxMs: number
}

/** The real service controller's: 5 seconds, doubling to 5 minutes. */
export const realTiming: CloudTiming = {
  provisioningMs: 2_000,
  deletionMs: 1_000,
  slowDeletionMs: 60_000,
  retryBaseMs: 5_000,
  retryMaxMs: 300_000,
}

/** What is under way for a Service. A process that starts anew begins from what the Service itself shows. */
export type Progress =
  | { readonly state: 'working'; readonly on: string; readonly until: number; readonly failures: number }
  | { readonly state: 'failed'; readonly on: string; readonly retryAt: number; readonly failures: number }
  | { readonly state: 'done'; readonly on: string }

export type CloudStep =
  | { readonly step: 'tell'; readonly event: EventTexts }
  | { readonly step: 'addFinalizer' }
  | { readonly step: 'removeFinalizer' }
  | { readonly step: 'publish'; readonly addresses: readonly LoadBalancerAddress[] }

export interface CloudDecision {
  readonly steps: readonly CloudStep[]
  readonly progress: Progress | undefined
  readonly lookAgainInMs?: number
}

/** What the cloud's service controller does next about one Service. */
export function decideCloud(snapshot: CloudSnapshot): CloudDecision {
  const { service, progress, now } = snapshot
  if (!wantsLoadBalancer(service) && !needsCleanup(service)) return { steps: [], progress: undefined }
  const on = relevantFields(service)
  if (progress === undefined || progress.on !== on) return begin(snapshot, on, 0)
  if (progress.state === 'done') return { steps: [], progress }
  const due = progress.state === 'failed' ? progress.retryAt : progress.until
  if (now < due) return { steps: [], progress, lookAgainInMs: due - now }
  return progress.state === 'failed'
    ? begin(snapshot, on, progress.failures)
    : finish(snapshot, on, progress.failures)
}

/** Whether a Service is this controller's: one with a class belongs to another. */
export function wantsLoadBalancer({ spec, metadata }: Stored<Service>): boolean {
  return (
    spec?.type === 'LoadBalancer' &&
    spec.loadBalancerClass === undefined &&
    metadata.deletionTimestamp === undefined
  )
}

/** Whether there may be a load balancer that must go. */
export function needsCleanup(service: Stored<Service>): boolean {
  return (service.metadata.finalizers ?? []).includes(cleanupFinalizer) && !wantsLoadBalancer(service)
}

/** What the real controller compares to tell whether a Service must be looked at again. */
export function relevantFields({ metadata, spec }: Stored<Service>): string {
  return JSON.stringify([metadata.uid, metadata.deletionTimestamp !== undefined, metadata.annotations, spec])
}

/** Also said when the last node goes. */
export const noHosts = {
  type: 'Warning',
  reason: 'UnAvailableLoadBalancer',
  message: 'There are no available nodes for LoadBalancer',
} as const

const tell = (type: EventTexts['type'], reason: string, message: string): CloudStep => ({
  step: 'tell',
  event: { type, reason, message },
})

function begin(snapshot: CloudSnapshot, on: string, failures: number): CloudDecision {
  const { service, timing, now } = snapshot
  const addresses = addressesOf(service)
  const steps: CloudStep[] = []
  let takesMs: number
  if (needsCleanup(service)) {
    takesMs = snapshot.faults.has('slowDeletion') ? timing.slowDeletionMs : timing.deletionMs
    steps.push(tell('Normal', 'DeletingLoadBalancer', 'Deleting load balancer'))
  } else {
    const changes = addresses.length === 0 || mustChangeScope(snapshot)
    takesMs = changes ? timing.provisioningMs : 0
    steps.push(tell('Normal', 'EnsuringLoadBalancer', 'Ensuring load balancer'), { step: 'addFinalizer' })
  }
  if (takesMs > 0) {
    const progress: Progress = { state: 'working', on, until: now + takesMs, failures }
    return { steps, progress, lookAgainInMs: takesMs }
  }
  const end = finish(snapshot, on, failures)
  return { ...end, steps: [...steps, ...end.steps] }
}

function finish(snapshot: CloudSnapshot, on: string, failures: number): CloudDecision {
  const outcome = needsCleanup(snapshot.service) ? cleanUp(snapshot) : ensure(snapshot)
  if (outcome.problem === undefined) {
    return { steps: outcome.steps, progress: { state: 'done', on } }
  }
  const { retryBaseMs, retryMaxMs } = snapshot.timing
  const delay = Math.min(retryMaxMs, retryBaseMs * 2 ** Math.min(failures, 30))
  const message = `Error syncing load balancer: ${outcome.problem}`
  return {
    steps: [tell('Warning', 'SyncLoadBalancerFailed', message)],
    progress: { state: 'failed', on, retryAt: snapshot.now + delay, failures: failures + 1 },
    lookAgainInMs: delay,
  }
}

type Outcome =
  | { readonly steps: readonly CloudStep[]; readonly problem?: undefined }
  | { readonly problem: string }

function cleanUp({ service, platform, faults }: CloudSnapshot): Outcome {
  const name = loadBalancerName(service.metadata.uid)
  if (faults.has('denied')) {
    return { problem: `failed to delete load balancer: ${platform.errors.deleteDenied(name)}` }
  }
  return {
    steps: [
      { step: 'removeFinalizer' },
      tell('Normal', 'DeletedLoadBalancer', 'Deleted load balancer'),
      { step: 'publish', addresses: [] },
    ],
  }
}

function ensure(snapshot: CloudSnapshot): Outcome {
  const { service, platform, faults, hasNodes } = snapshot
  const errors = platform.errors
  const name = loadBalancerName(service.metadata.uid)
  const current = addressesOf(service)
  const failed = (cause: string): Outcome => ({ problem: `failed to ensure load balancer: ${cause}` })
  const steps: CloudStep[] = hasNodes ? [] : [{ step: 'tell', event: noHosts }]
  const ensured = tell('Normal', 'EnsuredLoadBalancer', 'Ensured load balancer')
  if (current.length === 0) {
    if (faults.has('denied')) return failed(errors.createDenied(name))
    if (faults.has('quota')) return failed(errors.quota(name))
    return withNewAddress(snapshot, [...steps, ensured])
  }
  if (changesType(snapshot)) return failed(typeIsFixed)
  if (!mustChangeScope(snapshot)) return { steps: [...steps, ensured] }
  if (faults.has('denied')) return failed(errors.updateDenied(name))
  if (faults.has('inPlaceChangeFails')) return failed(errors.updateFails(name))
  return withNewAddress(snapshot, [...steps, ensured])
}

function withNewAddress(snapshot: CloudSnapshot, steps: readonly CloudStep[]): Outcome {
  const { service, platform, addressesInUse, turn } = snapshot
  const annotations = service.metadata.annotations ?? {}
  const address = newAddress({
    platform,
    loadBalancer: loadBalancerName(service.metadata.uid),
    internal: platform.isInternal(annotations),
    networkLoadBalancer: annotations[typeAnnotation] === 'nlb',
    inUse: addressesInUse,
    turn,
  })
  if (address === undefined) {
    return { problem: 'failed to ensure load balancer: no address is free in the range of this sandbox' }
  }
  return { steps: [...steps, { step: 'publish', addresses: [address] }] }
}

const typeAnnotation = 'service.beta.kubernetes.io/aws-load-balancer-type'

/** Said by AWS' cloud controller for either direction (sic: "for NLB"). */
const typeIsFixed = `cannot update Load Balancer Type annotation "${typeAnnotation}" after creation for NLB`

function changesType({ service, platform }: CloudSnapshot): boolean {
  const [current] = addressesOf(service)
  if (platform.name !== 'AWS' || current?.hostname === undefined) return false
  return (
    isNetworkLoadBalancer(current.hostname) !== (service.metadata.annotations?.[typeAnnotation] === 'nlb')
  )
}

/** AWS and others say `Ensured` and change nothing, without a word. */
function mustChangeScope({ service, platform }: CloudSnapshot): boolean {
  if (!platform.changesScopeInPlace) return false
  const [current] = addressesOf(service)
  if (current?.ip === undefined) return false
  return isInternalIp(current.ip) !== platform.isInternal(service.metadata.annotations ?? {})
}

function addressesOf({ status }: Stored<Service>) {
  return status?.loadBalancer?.ingress ?? []
}
