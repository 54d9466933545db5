import type { Event } from 'kubernetes-types/core/v1'
import type { Stored } from '../kube/store.ts'

/** What the cloud last said about a Service, in the events that it leaves there. */
export interface CloudReport {
  /** The last failure, unless something succeeded after it. */
  readonly failure: { readonly message: string; readonly at: Date } | undefined
  /** When the cloud last said that all is done. */
  readonly succeededAt: Date | undefined
  /** Whether it has begun something since. */
  readonly isAtWork: boolean
}

const begun = 'EnsuringLoadBalancer'
const failed = 'SyncLoadBalancerFailed'
const succeeded = new Set(['EnsuredLoadBalancer', 'UpdatedLoadBalancer'])

/** @param uid of the Service: events about one that had its name before do not count */
export function cloudReport(events: readonly Stored<Event>[], uid: string): CloudReport {
  const ours = events.filter((event) => event.involvedObject.uid === uid)
  const failure = latest(ours.filter(({ reason }) => reason === failed))
  const success = latest(ours.filter(({ reason }) => succeeded.has(reason ?? '')))
  const beginning = latest(ours.filter(({ reason }) => reason === begun))
  const ends = [failure, success].flatMap((event) => (event === undefined ? [] : versionOf(event)))
  const isOver = failure !== undefined && success !== undefined && versionOf(success) > versionOf(failure)
  return {
    failure:
      failure === undefined || isOver
        ? undefined
        : { message: failure.message ?? 'no message', at: timeOf(failure) },
    succeededAt: success && timeOf(success),
    isAtWork: beginning !== undefined && ends.every((end) => end < versionOf(beginning)),
  }
}

/** Repetitions are counted on one Event, so the one that was written last tells of what happened last. */
function latest(events: readonly Stored<Event>[]): Stored<Event> | undefined {
  return events.toSorted((one, other) => (versionOf(one) < versionOf(other) ? 1 : -1))[0]
}

/** Times have whole seconds only; versions of one kind can be compared, officially since Kubernetes 1.35. */
function versionOf({ metadata }: Stored<Event>): bigint {
  return BigInt(metadata.resourceVersion)
}

function timeOf({ lastTimestamp, series, eventTime, metadata }: Stored<Event>): Date {
  return new Date(lastTimestamp ?? series?.lastObservedTime ?? eventTime ?? metadata.creationTimestamp ?? 0)
}
