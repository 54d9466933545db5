import type { Cached } from '@portcullis/kube'
import type { Service } from 'kubernetes-types/core/v1'
import type { EventTexts } from '../component-events.ts'
import { type AddressRanges, documentationRanges } from './address-ranges.ts'
import { isNetworkLoadBalancer, type LoadBalancerAddress, loadBalancerName, newAddress } from './addresses.ts'
import type { CloudFault } from './faults.ts'
import { noHosts } from './hosts.ts'
import type { CloudPlatform, RefusedLoadBalancer } from './platforms.ts'
import { needsCleanup, needsSync, wantsLoadBalancer } from './wanted.ts'

/** All that one decision about one Service needs. */
export interface CloudSnapshot {
  readonly service: Cached<Service>
  readonly platform: CloudPlatform
  readonly faults: ReadonlySet<CloudFault>
  readonly timing: CloudTiming
  /** Milliseconds of a clock that never jumps. */
  readonly now: number
  /** Where the last decision left off; undefined for a Service that is new to this process. */
  readonly progress: Progress | undefined
  readonly addressesInUse: ReadonlySet<string>
  /** Those for documentation unless given. */
  readonly ranges?: AddressRanges
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
export interface Progress {
  /** As it was when this began: what changes meanwhile is looked at afterwards, as the real one does. */
  readonly service: Cached<Service>
  /** What the cloud has for it. The API server takes it from the status of a Service whose type changes. */
  readonly loadBalancer: LoadBalancerAddress | undefined
  /** When the cloud will have done what it was asked for; undefined once it has. */
  readonly answersAt?: number
  /** How often in a row it failed. */
  readonly failures: number
  /** Once promised, a further try comes, even if a change of the Service came first and all is well by then. */
  readonly retryAt?: number
}

export type CloudStep =
  | { readonly step: 'event'; readonly event: EventTexts }
  | { readonly step: 'addFinalizer' }
  | { readonly step: 'removeFinalizer' }
  /** From now on the load balancer sends to the nodes that there are. */
  | { readonly step: 'attachHosts' }
  | { readonly step: 'publish'; readonly addresses: readonly LoadBalancerAddress[] }

export interface CloudDecision {
  readonly steps: readonly CloudStep[]
  readonly progress: Progress | undefined
  readonly requeueAfterMs?: number
}

/** What the cloud's service controller does next about one Service. */
export function decideCloud(snapshot: CloudSnapshot): CloudDecision {
  const { service, now } = snapshot
  const progress = progressOn(service, snapshot.progress)
  if (progress?.answersAt !== undefined) {
    return now < progress.answersAt
      ? { steps: [], progress, requeueAfterMs: progress.answersAt - now }
      : finish(snapshot, progress)
  }
  if (!wantsLoadBalancer(service) && !needsCleanup(service)) return { steps: [], progress: undefined }
  if (progress === undefined) return begin(snapshot, firstProgress(service))
  const { loadBalancer, failures, retryAt } = progress
  if (retryAt !== undefined && now >= retryAt) return begin(snapshot, { service, loadBalancer, failures })
  if (needsSync(progress.service, service)) return begin(snapshot, { ...progress, service })
  return { steps: [], progress, ...requeueAt(retryAt, now) }
}

/** A Service that was deleted and made anew is another one. */
function progressOn(service: Cached<Service>, progress: Progress | undefined): Progress | undefined {
  return progress?.service.metadata.uid === service.metadata.uid ? progress : undefined
}

function firstProgress(service: Cached<Service>): Progress {
  return { service, loadBalancer: addressIn(service), failures: 0 }
}

function requeueAt(time: number | undefined, now: number): { readonly requeueAfterMs?: number } {
  return time === undefined ? {} : { requeueAfterMs: Math.max(0, time - now) }
}

const eventStep = (type: EventTexts['type'], reason: string, message: string): CloudStep => ({
  step: 'event',
  event: { type, reason, message },
})

/** A snapshot, with the Service as it was when the cloud was asked, and what the cloud had for it then. */
type Asked = CloudSnapshot & Pick<Progress, 'service' | 'loadBalancer'>

function begin(snapshot: CloudSnapshot, progress: Progress): CloudDecision {
  const asked = { ...snapshot, ...progress }
  const { steps, takesMs } = needsCleanup(asked.service) ? beginCleanup(asked) : beginEnsuring(asked)
  if (takesMs > 0) {
    const answersAt = snapshot.now + takesMs
    return { steps, progress: { ...progress, answersAt }, requeueAfterMs: takesMs }
  }
  const end = finish(snapshot, progress)
  return { ...end, steps: [...steps, ...end.steps] }
}

interface Beginning {
  readonly steps: readonly CloudStep[]
  readonly takesMs: number
}

function beginCleanup(asked: Asked): Beginning {
  const { timing, faults } = asked
  if (!isFound(asked)) return { steps: [], takesMs: 0 }
  return {
    steps: [eventStep('Normal', 'DeletingLoadBalancer', 'Deleting load balancer')],
    takesMs: faults.has('slowDeletion') ? timing.slowDeletionMs : timing.deletionMs,
  }
}

function beginEnsuring(asked: Asked): Beginning {
  const { loadBalancer, timing, hasNodes } = asked
  const steps: CloudStep[] = [
    eventStep('Normal', 'EnsuringLoadBalancer', 'Ensuring load balancer'),
    { step: 'addFinalizer' },
    { step: 'attachHosts' },
  ]
  if (!hasNodes) steps.push({ step: 'event', event: noHosts })
  const changes = loadBalancer === undefined || mustChangeScope(asked)
  return { steps, takesMs: changes ? timing.provisioningMs : 0 }
}

/** The cloud has answered what it was asked when the Service was as it is in `progress`. */
function finish(snapshot: CloudSnapshot, progress: Progress): CloudDecision {
  const { now } = snapshot
  const { service, failures } = progress
  const asked = { ...snapshot, ...progress }
  const outcome = needsCleanup(service) ? cleanUp(asked) : ensure(asked)
  const retryAt = retryAfter(outcome, asked, progress)
  return {
    steps: outcome.problem === undefined ? outcome.steps : [failure(outcome.problem)],
    progress: {
      service,
      loadBalancer: outcome.problem === undefined ? outcome.loadBalancer : progress.loadBalancer,
      failures: outcome.problem === undefined ? 0 : failures + 1,
      ...(retryAt !== undefined && { retryAt }),
    },
    ...requeueAt(needsSync(service, snapshot.service) ? now : retryAt, now),
  }
}

function retryAfter(
  { problem }: EnsureResult,
  { now, timing }: CloudSnapshot,
  { failures, retryAt }: Progress,
): number | undefined {
  if (problem === undefined) return retryAt
  const delay = Math.min(timing.retryMaxMs, timing.retryBaseMs * 2 ** Math.min(failures, 30))
  return Math.min(retryAt ?? Infinity, now + delay)
}

function failure(problem: string): CloudStep {
  return eventStep('Warning', 'SyncLoadBalancerFailed', `Error syncing load balancer: ${problem}`)
}

type EnsureResult =
  | {
      readonly steps: readonly CloudStep[]
      readonly loadBalancer: LoadBalancerAddress | undefined
      readonly problem?: undefined
    }
  | { readonly problem: string }

function cleanUp(asked: Asked): EnsureResult {
  const { platform, faults } = asked
  if (faults.has('denied') && isFound(asked)) {
    return { problem: `failed to delete load balancer: ${platform.errors.deleteDenied(refused(asked))}` }
  }
  return {
    loadBalancer: undefined,
    steps: [
      { step: 'removeFinalizer' },
      eventStep('Normal', 'DeletedLoadBalancer', 'Deleted load balancer'),
      { step: 'publish', addresses: [] },
    ],
  }
}

function ensure(asked: Asked): EnsureResult {
  const { service, loadBalancer, platform, faults } = asked
  if (isElsewhere(asked)) return { steps: [], loadBalancer }
  const errors = platform.errors
  const one = refused(asked)
  const failed = (cause: string): EnsureResult => ({ problem: `failed to ensure load balancer: ${cause}` })
  if (loadBalancer === undefined) {
    if (faults.has('denied')) return failed(errors.createDenied(one))
    if (faults.has('quota')) return failed(errors.quota(one))
    return withNewAddress(asked)
  }
  const change = changeOfType(asked)
  if (change !== undefined) return failed(change)
  if (!mustChangeScope(asked)) return ensured(service, loadBalancer)
  if (faults.has('denied')) return failed(errors.updateDenied(one))
  if (faults.has('inPlaceChangeFails')) return failed(errors.updateFails(one))
  return withNewAddress(asked)
}

function withNewAddress({
  service,
  platform,
  ranges = documentationRanges,
  addressesInUse,
  turn,
}: Asked): EnsureResult {
  const annotations = service.metadata.annotations ?? {}
  const address = newAddress({
    platform,
    loadBalancer: loadBalancerName(service.metadata.uid),
    internal: platform.isInternal(annotations),
    networkLoadBalancer: isNetworkWanted(service),
    ranges,
    inUse: addressesInUse,
    turn,
  })
  if (address === undefined) {
    return { problem: 'failed to ensure load balancer: no address is free in the range of this cloud' }
  }
  return ensured(service, address)
}

/** Writes the status only where it says something else. */
function ensured(service: Cached<Service>, loadBalancer: LoadBalancerAddress): EnsureResult {
  const shown = addressIn(service)
  const isShown = shown?.ip === loadBalancer.ip && shown?.hostname === loadBalancer.hostname
  const ensured = eventStep('Normal', 'EnsuredLoadBalancer', 'Ensured load balancer')
  return {
    loadBalancer,
    steps: isShown ? [ensured] : [ensured, { step: 'publish', addresses: [loadBalancer] }],
  }
}

const typeAnnotation = 'service.beta.kubernetes.io/aws-load-balancer-type'

function isNetworkWanted({ metadata }: Cached<Service>): boolean {
  return metadata.annotations?.[typeAnnotation] === 'nlb'
}

function refused({ service }: Asked): RefusedLoadBalancer {
  return { name: loadBalancerName(service.metadata.uid), isNetwork: isNetworkWanted(service) }
}

/** Whether another controller, which the sandbox does not play, makes this kind of load balancer. */
function isElsewhere({ service, platform }: Asked): boolean {
  const type = service.metadata.annotations?.[typeAnnotation] ?? ''
  return platform.name === 'AWS' && ['external', 'nlb-ip'].includes(type)
}

/** Whether the cloud has a load balancer of the kind that it looks for before it deletes one. */
function isFound(asked: Asked): boolean {
  return asked.loadBalancer !== undefined && !isElsewhere(asked) && changeOfType(asked) === undefined
}

/** What AWS' cloud controller says to an attempt to make one type of load balancer another. */
function changeOfType({ service, loadBalancer, platform }: Asked): string | undefined {
  if (platform.name !== 'AWS' || loadBalancer?.hostname === undefined) return undefined
  const wantsNetwork = isNetworkWanted(service)
  if (isNetworkLoadBalancer(loadBalancer.hostname) === wantsNetwork) return undefined
  const wanted = wantsNetwork ? 'NLB' : 'Classic Load Balancer'
  return `cannot update Load Balancer Type annotation "${typeAnnotation}" after creation for ${wanted}`
}

/** AWS and others say `Ensured` and change nothing, without a word. */
function mustChangeScope({ service, loadBalancer, platform, ranges = documentationRanges }: Asked): boolean {
  if (!platform.changesScopeInPlace || loadBalancer?.ip === undefined) return false
  return ranges.Internal.includes(loadBalancer.ip) !== platform.isInternal(service.metadata.annotations ?? {})
}

function addressIn({ status }: Cached<Service>): LoadBalancerAddress | undefined {
  const [shown] = status?.loadBalancer?.ingress ?? []
  if (shown?.hostname !== undefined) return { hostname: shown.hostname }
  return shown?.ip === undefined ? undefined : { ip: shown.ip }
}
