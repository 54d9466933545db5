import type { DnsRule } from '../dns/check-records.ts'
import { knownProblems } from '../known-issues.ts'
import { type FindingId, knowledge } from './remedies.ts'

/** What became of one check. */
export interface Verdict {
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
  const { means, known, ...general } = knowledge[id]
  return {
    id,
    subject,
    tried,
    cameBack,
    means,
    remedy: remedy ?? general.remedy,
    known: known.map((number) => knownProblems[number]),
  }
}

/** A verdict on what was found: passed if that is nothing. */
export function verdict(
  check: string,
  claim: string,
  findings: readonly PreflightFinding[],
  note = '',
): Verdict {
  return { check, claim, status: findings.length === 0 ? 'passed' : 'failed', note, findings }
}

export function skipped(check: string, claim: string, note: string): Verdict {
  return { check, claim, status: 'skipped', note, findings: [] }
}
