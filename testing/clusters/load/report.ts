import { parseEchoedRequest } from './echoed-request.ts'
import type { LoadTarget, RequestResult } from './load-messages.ts'

export interface LoadReport {
  /** Milliseconds since 1970, as all times here. */
  readonly startedAt: number
  readonly endedAt: number
  /** The longest time by which the generator itself was late: what happened then is no fault of the servers. */
  readonly lateMs: number
  readonly targets: Readonly<Record<string, TargetReport>>
  /** The requests to any target that did not get the answer wanted. */
  readonly lost: number
}

export interface TargetReport {
  readonly sent: number
  readonly answered: Counts
  /** By the code of the error. */
  readonly failed: Counts
  readonly inFlight: number
  /** Failed, or answered with another status than the one wanted. */
  readonly lost: number
  /** Who gave the wanted answers, and to whom, as they say themselves. */
  readonly pods: Counts
  readonly nodes: Counts
  readonly clients: Counts
  /** Answers that asked to close the connection, as those of a server that drains do. */
  readonly closing: number
  readonly spans: readonly LossSpan[]
  readonly latencyMs: { readonly p50: number; readonly p99: number; readonly max: number }
  /** The longest time without a wanted answer. */
  readonly largestGapMs: number
}

export type Counts = Readonly<Record<string, number>>

/** Losses that follow one another within a second. */
export interface LossSpan {
  /** When the first request was sent that was lost … */
  readonly begin: number
  /** … and when the last one was given up. */
  readonly end: number
  readonly lost: number
  /** Among these: all that were sent from `begin` to the last loss. */
  readonly sent: number
  readonly reasons: Counts
}

/** All that is known of a run so far. */
export interface LoadRecord {
  readonly targets: readonly LoadTarget[]
  readonly startedAt: number
  readonly endedAt: number
  readonly sent: Counts
  readonly results: readonly RequestResult[]
  readonly lateMs: number
}

const sameSpanMs = 1_000

export function reportOf({ targets, startedAt, endedAt, sent, results, lateMs }: LoadRecord): LoadReport {
  const time = { startedAt, endedAt }
  const reports = targets.map((target) => {
    const own = results.filter((result) => result.target === target.name)
    return [target.name, targetReport(target, time, sent[target.name] ?? 0, own)] as const
  })
  const lost = reports.reduce((sum, [, report]) => sum + report.lost, 0)
  return { ...time, lateMs, targets: Object.fromEntries(reports), lost }
}

/** Of all targets of several runs. */
export function requestsIn(reports: readonly LoadReport[]): number {
  return reports.flatMap(({ targets }) => Object.values(targets)).reduce((sum, { sent }) => sum + sent, 0)
}

export function lostIn(reports: readonly LoadReport[]): number {
  return reports.reduce((sum, { lost }) => sum + lost, 0)
}

function targetReport(
  { expectedStatus = 200 }: LoadTarget,
  time: Pick<LoadRecord, 'startedAt' | 'endedAt'>,
  sent: number,
  unsorted: readonly RequestResult[],
): TargetReport {
  const results = [...unsorted].sort((a, b) => a.sentAt - b.sentAt)
  const isLost = ({ status }: RequestResult) => status !== expectedStatus
  const good = results.filter((result) => !isLost(result))
  const answers = good.map(({ line = '' }) => parseEchoedRequest(line))
  return {
    sent,
    answered: countsOf(results.map(({ status }) => status)),
    failed: countsOf(results.map(({ error }) => error)),
    inFlight: sent - results.length,
    lost: results.length - good.length,
    pods: countsOf(answers.map(({ pod }) => pod)),
    nodes: countsOf(answers.map(({ node }) => node)),
    clients: countsOf(answers.map(({ client }) => client)),
    closing: results.filter(({ closing }) => closing).length,
    spans: spansOf(results, isLost),
    latencyMs: latencies(good),
    largestGapMs: largestGap(time, good),
  }
}

function countsOf(values: readonly (string | number | undefined)[]): Counts {
  const counts = new Map<string, number>()
  for (const value of values)
    if (value !== undefined) counts.set(String(value), (counts.get(String(value)) ?? 0) + 1)
  return Object.fromEntries(counts)
}

function spansOf(results: readonly RequestResult[], isLost: (result: RequestResult) => boolean): LossSpan[] {
  const groups: RequestResult[][] = []
  for (const result of results.filter(isLost)) {
    const group = groups.at(-1)
    if (group !== undefined && result.sentAt <= endOf(group) + sameSpanMs) group.push(result)
    else groups.push([result])
  }
  return groups.map((group) => {
    const [begin, last] = [group[0]?.sentAt ?? 0, group.at(-1)?.sentAt ?? 0]
    return {
      begin,
      end: endOf(group),
      lost: group.length,
      sent: results.filter(({ sentAt }) => sentAt >= begin && sentAt <= last).length,
      reasons: countsOf(group.map(({ error, status }) => error ?? status)),
    }
  })
}

/** One that was sent later may have been given up earlier. */
function endOf(group: readonly RequestResult[]): number {
  return Math.max(...group.map(answeredAt))
}

function answeredAt({ sentAt, tookMs }: RequestResult): number {
  return sentAt + tookMs
}

function latencies(good: readonly RequestResult[]): TargetReport['latencyMs'] {
  const sorted = good.map(({ tookMs }) => tookMs).sort((a, b) => a - b)
  const quantile = (share: number) => sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0
  return { p50: quantile(0.5), p99: quantile(0.99), max: sorted.at(-1) ?? 0 }
}

function largestGap(
  { startedAt, endedAt }: Pick<LoadRecord, 'startedAt' | 'endedAt'>,
  good: readonly RequestResult[],
): number {
  const times = [startedAt, ...good.map(answeredAt).sort((a, b) => a - b), endedAt]
  return Math.round(Math.max(0, ...times.slice(1).map((time, index) => time - (times[index] ?? time))))
}
