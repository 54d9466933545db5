import type { DnsRule } from '../dns/check-records.ts'
import { knownIssues } from '../known-issues.ts'
import { type FindingId, remedies } from './remedies.ts'

/** What became of one check. */
export interface CheckResult {
  /** As `reach api`. */
  readonly check: string
  /** What was to be proved, as a claim. */
  readonly claim: string
  readonly status: 'passed' | 'failed' | 'accepted' | 'skipped'
  /** What was measured, or why it was not. */
  readonly note: string
  readonly findings: readonly PreflightFinding[]
}

export interface PreflightFinding {
  readonly id: FindingId
  /** What it is about, as `127.0.2.10:6443`. */
  readonly subject: string
  readonly tried: string
  readonly cameBack: string
  readonly means: string
  readonly remedy: string
  /** Where others met it. */
  readonly known: readonly string[]
}

export function finding(
  id: FindingId | DnsRule,
  {
    subject,
    tried,
    cameBack,
    remedy,
  }: Pick<PreflightFinding, 'subject' | 'tried' | 'cameBack'> & { remedy?: string },
): PreflightFinding {
  const { means, known, ...general } = remedies[id]
  return {
    id,
    subject,
    tried,
    cameBack,
    means,
    remedy: remedy ?? general.remedy,
    known: known.map((number) => knownIssues[number]),
  }
}

/** The result of a check: passed if that is nothing. */
export function checkResult(
  check: string,
  claim: string,
  findings: readonly PreflightFinding[],
  note = '',
): CheckResult {
  return { check, claim, status: findings.length === 0 ? 'passed' : 'failed', note, findings }
}

export function skipped(check: string, claim: string, note: string): CheckResult {
  return { check, claim, status: 'skipped', note, findings: [] }
}
