import { expect } from 'vitest'
import { checkInstallConfig } from '../install-config/check.ts'
import type { Finding } from '../install-config/finding.ts'

interface Options {
  /** 4.x */
  readonly release?: number
}

/**
 * Holds an install-config to its own remarks: `#! 15 error vip-shared` at the end of a line means that this is found
 * there, at column 15, and nothing else is. Several are put behind each other with commas. Name and domain of the
 * cluster, which most have nothing to do with, are not missed.
 */
export function expectFindings(text: string, options: Options = {}): void {
  const lines = text.replace(/^\n/, '').split('\n')
  const expected = lines.flatMap((line, i) => {
    const [, remarks = ''] = line.split('#!')
    return remarks.split(',').flatMap((remark) => (remark.trim() === '' ? [] : `${i + 1}:${remark.trim()}`))
  })
  const file = lines.map((line) => line.split('#!')[0]?.trimEnd()).join('\n')
  const findings = findingsIn(file, options)
  const found = findings.map(({ line, column, severity, rule }) => `${line}:${column} ${severity} ${rule}`)
  expect(found, findings.map(({ message }) => message).join('\n')).toEqual(expected)
}

/** The sentences that are said of an install-config. */
export function messagesOf(text: string, options: Options = {}): string[] {
  return findingsIn(text.replace(/^\n/, ''), options).map(({ message }) => message)
}

function findingsIn(text: string, options: Options): readonly Finding[] {
  const isMissingName = ({ rule, value }: Finding) =>
    (rule === 'cluster-name' || rule === 'base-domain') && value === ''
  return checkInstallConfig(text, options).filter((each) => !isMissingName(each))
}
