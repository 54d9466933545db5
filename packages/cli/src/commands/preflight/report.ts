import type { CheckResult, PreflightFinding } from '@portcullis/onprem'
import { printable } from '../../io/printable.ts'

export interface PreflightReport {
  readonly domain: string
  readonly results: readonly CheckResult[]
  readonly seconds: number
}

export const preflightFormats = { text: toText, json: toJson, junit: toJunit } as const

export type PreflightFormat = keyof typeof preflightFormats

const signs = { passed: '✓', failed: '✗', accepted: '!', skipped: '-' } as const

/** A line for each check, with the details of those that failed. */
function toText({ domain, results, seconds }: PreflightReport): string {
  const lines = results.flatMap(({ status, claim, note, findings }) => [
    printable(`${signs[status]} ${claim}${note === '' ? '' : ` (${note})`}`),
    ...findings.flatMap((finding) => details(finding).map((line) => `    ${printable(line)}`)),
  ])
  const count = (status: CheckResult['status']) => results.filter((each) => each.status === status).length
  const parts = [
    `${count('passed')} passed`,
    `${count('failed')} failed`,
    ...(count('accepted') > 0 ? [`${count('accepted')} accepted`] : []),
    `${count('skipped')} skipped`,
  ]
  return [...lines, '', `${printable(domain)}: ${parts.join(', ')}, in ${seconds.toFixed(0)} s.`].join('\n')
}

function details({
  id,
  subject,
  tried,
  cameBack,
  means,
  remedy,
  known,
}: PreflightFinding): readonly string[] {
  return [
    `${id}: ${subject}`,
    `  tried:      ${tried}`,
    `  result:     ${cameBack}`,
    `  meaning:    ${means}`,
    `  remedy:     ${remedy}`,
    ...known.map((problem) => `  known:      ${problem}`),
  ]
}

function toJson({ domain, results, seconds }: PreflightReport): string {
  const failed = results.filter(({ status }) => status === 'failed').length
  return JSON.stringify({ domain, failed, seconds: Math.round(seconds), checks: results }, null, 2)
}

function toJunit({ domain, results, seconds }: PreflightReport): string {
  const count = (status: CheckResult['status']) => results.filter((each) => each.status === status).length
  const cases = results.map(({ check, claim, status, note, findings }) => {
    const [first] = findings
    const inside =
      status === 'failed'
        ? `<failure type="${xml(first?.id ?? '')}" message="${xml(first?.cameBack ?? '')}">${xml(findings.flatMap(details).join('\n'))}</failure>`
        : status === 'skipped'
          ? `<skipped message="${xml(note)}"/>`
          : `<system-out>${xml([note, ...findings.flatMap(details)].join('\n'))}</system-out>`
    return `    <testcase classname="${xml(check)}" name="${xml(claim)}">${inside}</testcase>`
  })
  const totals = `tests="${results.length}" failures="${count('failed')}" skipped="${count('skipped')}" time="${seconds.toFixed(1)}"`
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites ${totals}>`,
    `  <testsuite name="portcullis preflight ${xml(domain)}" ${totals}>`,
    ...cases,
    '  </testsuite>',
    '</testsuites>',
  ].join('\n')
}

/** XML does not allow control characters. */
function xml(text: string): string {
  return text
    .replaceAll(/[^\P{Cc}\n\t]/gu, '?')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}
