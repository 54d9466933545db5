import type { Counts, LoadReport, LossSpan, TargetReport } from './report.ts'

const mostSpans = 8

/** One line for the message of a test that fails: what was sent to each target, and what became of it. */
export function formatReport({ targets, startedAt, endedAt, lateMs }: LoadReport): string {
  const each = Object.entries(targets).map(([name, target]) => `${name}: ${formatTarget(target, startedAt)}`)
  return [...each, `in ${seconds(endedAt - startedAt)}, generator late by ${Math.round(lateMs)} ms`].join(
    ' | ',
  )
}

function formatTarget(target: TargetReport, startedAt: number): string {
  const { sent, answered, failed, inFlight, lost, spans, closing, latencyMs, largestGapMs } = target
  const parts = [
    `${sent} sent, ${lost} lost`,
    `answered ${formatCounts(answered)}`,
    `failed ${formatCounts(failed)}`,
    ...(inFlight > 0 ? [`${inFlight} in flight`] : []),
    ...(spans.length > 0 ? [`lost at ${formatSpans(spans, startedAt)}`] : []),
    ...(['pods', 'nodes', 'clients'] as const).flatMap((who) =>
      Object.keys(target[who]).length > 0 ? [`${who} ${formatCounts(target[who])}`] : [],
    ),
    ...(closing > 0 ? [`${closing} closing`] : []),
    `p50 ${latencyMs.p50} p99 ${latencyMs.p99} max ${latencyMs.max} ms`,
    `largest gap ${largestGapMs} ms`,
  ]
  return parts.join('; ')
}

function formatCounts(counts: Counts): string {
  const each = Object.entries(counts).map(([name, count]) => `${name}×${count}`)
  return each.length === 0 ? 'none' : each.join(' ')
}

/** `12.3s+0.4s (8 of 20: ECONNREFUSED×8)`: when since the start, and for how long. */
function formatSpans(spans: readonly LossSpan[], startedAt: number): string {
  const shown = spans
    .slice(0, mostSpans)
    .map(
      ({ begin, end, lost, sent, reasons }) =>
        `${seconds(begin - startedAt)}+${seconds(end - begin)} (${lost} of ${sent}: ${formatCounts(reasons)})`,
    )
  const others = spans.length - shown.length
  return [...shown, ...(others > 0 ? [`and ${others} more`] : [])].join(', ')
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)}s`
}
