import { expect, test } from 'vitest'
import { parseEchoedRequest } from './echoed-request.ts'
import { formatReport } from './format-report.ts'
import type { RequestResult } from './load-messages.ts'
import { reportOf } from './report.ts'

const start = 1_000_000

/** One request every 100 ms, each answered in 10 ms unless it is lost. */
function results(count: number, lost: readonly number[]): RequestResult[] {
  return Array.from({ length: count }, (_, index) => {
    const common = { target: 'router', sentAt: start + index * 100, tookMs: 10 }
    return lost.includes(index)
      ? { ...common, tookMs: 50, error: 'ECONNREFUSED' }
      : { ...common, status: 200, line: `pod=p${index % 2} node=n client=192.0.2.200` }
  })
}

function report(count: number, lost: readonly number[], sent = count) {
  return reportOf({
    targets: [{ name: 'router', url: 'http://192.0.2.10' }],
    startedAt: start,
    endedAt: start + count * 100,
    sent: { router: sent },
    results: results(count, lost).toReversed(), // Answers come in any order.
    lateMs: 3.4,
  })
}

test('The report of a load has one span for losses that follow one another within a second', () => {
  expect(report(60, [10, 11, 13, 50]).targets['router']?.spans).toEqual([
    { begin: start + 1000, end: start + 1350, lost: 3, sent: 4, reasons: { ECONNREFUSED: 3 } },
    { begin: start + 5000, end: start + 5050, lost: 1, sent: 1, reasons: { ECONNREFUSED: 1 } },
  ])
})

test('The report of a load has the longest time without an answer, up to the end', () => {
  expect(report(60, [10, 11, 13]).targets['router']?.largestGapMs).toBe(300)
  expect(report(60, [57, 58, 59]).targets['router']?.largestGapMs).toBe(390)
})

test('The report of a load has the latencies of the answers alone', () => {
  expect(report(60, [10]).targets['router']?.latencyMs).toEqual({ p50: 10, p99: 10, max: 10 })
})

test('The report of a load is one line', () => {
  expect(formatReport(report(60, [10, 11], 61))).toBe(
    'router: 61 sent, 2 lost; answered 200×58; failed ECONNREFUSED×2; 1 in flight; lost at ' +
      '1.0s+0.1s (2 of 2: ECONNREFUSED×2); pods p0×29 p1×29; nodes n×58; clients 192.0.2.200×58; ' +
      'p50 10 p99 10 max 10 ms; largest gap 300 ms | in 6.0s, generator late by 3 ms',
  )
})

test('The line of an answer is read in any order, with what follows left out', () => {
  expect(parseEchoedRequest('node=n1 pod=a client=2001:db8::1 x=y port=80\npod=b')).toEqual({
    pod: 'a',
    node: 'n1',
    client: '2001:db8::1',
    port: '80',
  })
})

test('The line of an answer is empty where there is nothing of it', () => {
  expect(parseEchoedRequest('<html pod>')).toEqual({})
})
