import type { Event as EventObject } from 'kubernetes-types/events/v1'
import type { Patch } from '../client/api.ts'
import { microTime } from '../objects/time.ts'
import { cutToBytes } from '../text/cut-to-bytes.ts'

/** What happened. Records that agree in all of this, and in what they are about, are one series. */
export interface EventRecord {
  readonly type: 'Normal' | 'Warning'
  /** Why, in one CamelCase word: `ScopeChanged`. */
  readonly reason: string
  /** What was done or tried, in one CamelCase word: `DeleteService`. */
  readonly action: string
  /** For people. A note that differs each time (by a duration, a counter) makes each time an Event of its own. */
  readonly note: string
  /** Another object that plays a part. */
  readonly related?: Regarding
  /** So many Events of this reason wait to be sent at most, and more are dropped: for what may happen in any number. */
  readonly maxUnsent?: number
}

/** An object, or a reference to one. */
export type Regarding =
  | {
      readonly apiVersion?: string
      readonly kind?: string
      readonly metadata: { readonly namespace?: string; readonly name?: string; readonly uid?: string }
    }
  | Reference

interface Reference {
  readonly apiVersion?: string
  readonly kind?: string
  readonly namespace?: string
  readonly name?: string
  readonly uid?: string
}

/** The reporting controller and its instance. */
export interface Reporter {
  readonly reportingController: string
  readonly reportingInstance: string
}

/** All records of the same event: how many there were, and how many of them the server knows of. */
export interface Series {
  readonly event: EventObject & { metadata: { namespace: string; name: string } }
  created: boolean
  count: number
  lastObserved: Date
  sent: number
}

/** Longest texts that `events.k8s.io/v1` takes, in bytes. */
const limits = { reason: 128, action: 128, reportingInstance: 128, note: 1024, name: 253 } as const

export function seriesKey(
  regarding: Regarding,
  { type, reason, action, note, related }: EventRecord,
): string {
  return JSON.stringify([idOf(regarding), type, reason, action, note, related && idOf(related)])
}

/** @param suffix distinguishes this Event from others about the same object */
export function newSeries(
  regarding: Regarding,
  record: EventRecord,
  { reportingController, reportingInstance }: Reporter,
  { now, suffix }: { now: Date; suffix: string },
): Series {
  const about = referenceTo(regarding)
  const event = {
    apiVersion: 'events.k8s.io/v1' as const,
    kind: 'Event' as const,
    // Events about objects without a namespace live in `default`: the API server demands it.
    metadata: { namespace: about.namespace || 'default', name: eventName(about.name ?? '', suffix) },
    eventTime: microTime(now),
    type: record.type,
    reason: cutToBytes(record.reason, limits.reason),
    action: cutToBytes(record.action, limits.action),
    note: cutToBytes(record.note, limits.note),
    regarding: about,
    ...(record.related !== undefined && { related: referenceTo(record.related) }),
    reportingController,
    reportingInstance: cutToBytes(reportingInstance, limits.reportingInstance),
  }
  return { event, created: false, count: 0, lastObserved: now, sent: 0 }
}

/** The Event to create: with all that has happened so far. */
export function eventOf(series: Series): EventObject {
  return series.count < 2 ? series.event : { ...series.event, series: seriesField(series) }
}

/** What brings the Event up to date. */
export function patchOf(series: Series): Patch {
  return { type: 'merge', body: { series: seriesField(series) } }
}

function seriesField({ count, lastObserved }: Series) {
  return { count, lastObservedTime: microTime(lastObserved) }
}

function idOf(regarding: Regarding): string {
  const { uid, kind, namespace, name } = referenceTo(regarding)
  return uid ?? `${kind} ${namespace}/${name}`
}

function referenceTo(regarding: Regarding): Reference {
  const { apiVersion, kind } = regarding
  const { namespace, name, uid } = 'metadata' in regarding ? regarding.metadata : regarding
  return {
    ...(apiVersion !== undefined && { apiVersion }),
    ...(kind !== undefined && { kind }),
    ...(namespace !== undefined && { namespace }),
    ...(name !== undefined && { name }),
    ...(uid !== undefined && { uid }),
  }
}

/** Some objects have names that an Event may not have: `system:node`. */
function eventName(objectName: string, suffix: string): string {
  const allowed = objectName
    .toLowerCase()
    .replace(/[^a-z0-9.-]/g, '-')
    .replace(/[-.]+/g, (run) => (run.includes('.') ? '.' : run))
    .slice(0, limits.name - suffix.length - 1)
    .replace(/^[^a-z0-9]+/, '')
  const [name] = /^.*[a-z0-9]/.exec(allowed) ?? []
  return name === undefined ? suffix : `${name}.${suffix}`
}
