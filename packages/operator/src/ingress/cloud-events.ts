import {
  type Cached,
  cutToBytes,
  maxUntrustedBytes,
  type Persisted,
  parseTime,
  sanitizeUntrusted,
} from '@portcullis/kube'
import type { Event } from 'kubernetes-types/core/v1'

/**
 * What the cloud last said about a Service, in the events that it leaves there. Its times are the API server's, as far as
 * that wrote them down: the cloud's own clock may be hours off.
 */
export interface CloudReport {
  /** The last failure, unless something succeeded after it. */
  readonly failure: { readonly message: string; readonly at: Date } | undefined
  /** When the cloud last said that all is done. */
  readonly succeededAt: Date | undefined
  /** Whether it has begun something since. */
  readonly isAtWork: boolean
  /** Whether it found nodes to send traffic to when it last looked; unknown where it never found none. */
  readonly nodes: 'none' | 'some' | 'unknown'
}

const begun = 'EnsuringLoadBalancer'
const failed = 'SyncLoadBalancerFailed'
const ensured = 'EnsuredLoadBalancer'
/** Said when the nodes are others; that there are none is said by a warning instead. */
const updated = 'UpdatedLoadBalancer'
const withoutNodes = 'UnAvailableLoadBalancer'
const reasons = [begun, failed, ensured, updated, withoutNodes]

/** Its own name, and the names under which it reports Events. */
const serviceController = 'service-controller'
const byTheCloud = { component: serviceController }

/**
 * What a report needs of an event. The API server keeps events for an hour, those about Services that have long gone among
 * them: on a busy cluster they are thousands, and most of their content is not needed here.
 */
export function projectCloudEvent(event: Persisted<Event>): Persisted<Event> {
  const { namespace, name, uid, resourceVersion } = event.metadata
  const recorded = recordedTextOf(event)
  const metadata = {
    ...(namespace && { namespace }),
    name,
    uid,
    resourceVersion,
    ...(recorded !== undefined && { creationTimestamp: recorded }),
  }
  const reason = reasons.find((each) => each === event.reason)
  const { involvedObject, message } = event
  const { name: service = '', uid: serviceUid = '' } = involvedObject
  const isAboutService = service.length <= mostNameLength && serviceUid.length <= mostUidLength
  if (reason === undefined || !isByTheCloud(event) || !isAboutService) return { metadata, involvedObject: {} }
  return {
    metadata,
    involvedObject: { name: service, uid: serviceUid },
    source: byTheCloud,
    reason,
    ...(reason === failed && message !== undefined && { message: cutToBytes(message, maxUntrustedBytes) }),
    ...withTime(event),
  }
}

/** No object has longer ones; the API server does not check that in an Event. */
const mostNameLength = 253
const mostUidLength = 64

/** @param uid of the Service: events about one that had its name before do not count */
export function cloudReport(events: readonly Cached<Event>[], uid: string): CloudReport {
  const ours = events.filter((event) => event.involvedObject.uid === uid && isByTheCloud(event))
  const last = (...reasons: readonly string[]) =>
    latest(ours.filter(({ reason }) => reasons.includes(reason ?? '')))
  const failure = last(failed)
  const success = last(ensured, updated)
  const beginning = last(begun)
  const isOver = failure !== undefined && isAfter(success, failure)
  return {
    failure:
      failure === undefined || isOver
        ? undefined
        : { message: sanitizeUntrusted(failure.message ?? 'no message'), at: timeOf(failure) },
    succeededAt: success && timeOf(success),
    isAtWork: beginning !== undefined && !isAfter(failure, beginning) && !isAfter(success, beginning),
    nodes: nodesFound(last(withoutNodes), last(updated), beginning, last(ensured)),
  }
}

/** Any client that may write Events could report a failure or success of the cloud. */
function isByTheCloud({ source, reportingComponent }: Cached<Event>): boolean {
  return (source?.component || reportingComponent) === serviceController
}

type LatestEvent = Cached<Event> | undefined

/** A load balancer is called ensured without nodes too, after the warning: only what began after that has looked again. */
function nodesFound(
  warning: LatestEvent,
  nodesChanged: LatestEvent,
  beginning: LatestEvent,
  end: LatestEvent,
): CloudReport['nodes'] {
  if (warning === undefined) return 'unknown'
  const hasLookedAgain = beginning !== undefined && isAfter(beginning, warning) && isAfter(end, beginning)
  return hasLookedAgain || isAfter(nodesChanged, warning) ? 'some' : 'none'
}

function isAfter(event: LatestEvent, other: Cached<Event>): boolean {
  return event !== undefined && versionOf(event) > versionOf(other)
}

/** Repetitions are counted on one Event, so the one that was written last reports what happened last. */
function latest(events: readonly Cached<Event>[]): Cached<Event> | undefined {
  return events.toSorted((one, other) => (versionOf(one) < versionOf(other) ? 1 : -1))[0]
}

/** Times have whole seconds only; versions of one kind can be compared, officially since Kubernetes 1.35. */
function versionOf({ metadata }: Cached<Event>): bigint {
  return BigInt(metadata.resourceVersion)
}

/** As it was written: a value that is not a time is kept as it is. */
function withTime(event: Cached<Event>): Pick<Event, 'lastTimestamp'> {
  const text = timeTextOf(event)
  return text === undefined ? {} : { lastTimestamp: text }
}

function timeOf(event: Cached<Event>): Date {
  return parseTime(recordedTextOf(event) ?? timeTextOf(event)) ?? new Date(0)
}

/** When it was last written to the API server: repetitions are written to the same Event. */
function recordedTextOf({
  metadata: { managedFields = [], creationTimestamp },
}: Cached<Event>): string | undefined {
  const times = managedFields.flatMap(({ time }) => time ?? [])
  return times.toSorted().at(-1) ?? creationTimestamp
}

function timeTextOf({ lastTimestamp, series, eventTime }: Cached<Event>): string | undefined {
  return lastTimestamp ?? series?.lastObservedTime ?? eventTime
}
