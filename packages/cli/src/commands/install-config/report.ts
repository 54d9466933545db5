import type { Finding } from '@portcullis/onprem'
import { printable } from '../../io/printable.ts'

/** The findings in a file. */
export interface Report {
  /** The path as given on the command line; - for standard input. */
  readonly file: string
  readonly findings: readonly Finding[]
  readonly errors: number
  readonly warnings: number
  /** The release that it was checked for, 4.x; undefined for the newest. */
  readonly release: number | undefined
}

export function reportOn(file: string, findings: readonly Finding[], release: number | undefined): Report {
  const errors = findings.filter(({ severity }) => severity === 'error').length
  return { file, findings, errors, warnings: findings.length - errors, release }
}

export const formats = { text: toText, json: toJson, github: toGithub } as const

export type Format = keyof typeof formats

/** A line for each finding, which editors and terminals turn into a link, and the totals. */
function toText({ file, findings, errors, warnings, release }: Report): string {
  const name = file === '-' ? 'stdin' : printable(file)
  const lines = findings.flatMap(({ line, column, severity, path, message, rule, known = [] }) => {
    const subject = path === '' ? '' : `${path}: `
    const first = printable(`${name}:${line}:${column}: ${severity}: ${subject}${message} [${rule}]`)
    return [first, ...known.map((each) => `  known: ${each}`)]
  })
  return [...lines, `${name}: ${sum(errors, warnings)} ${byRulesOf(release)}`].join('\n')
}

function byRulesOf(release: number | undefined): string {
  const rules =
    release === undefined
      ? 'the newest OpenShift release (see --openshift-version)'
      : `OpenShift 4.${release}`
  return `by the rules of ${rules}.`
}

function sum(errors: number, warnings: number): string {
  const parts = [count(errors, 'error'), count(warnings, 'warning')].filter(Boolean)
  return parts.length === 0 ? 'no errors and no warnings' : parts.join(' and ')
}

function count(number: number, noun: string): string {
  return number === 0 ? '' : `${number} ${noun}${number === 1 ? '' : 's'}`
}

function toJson({ file, errors, warnings, findings, release }: Report): string {
  const rules =
    release === undefined
      ? { release: null, note: `Checked ${byRulesOf(release)}` }
      : { release: `4.${release}` }
  return JSON.stringify({ file, ...rules, errors, warnings, findings }, null, 2)
}

/** Commands of a GitHub workflow, which shows each finding beside its line; prints nothing without findings. */
function toGithub({ file, findings }: Report): string {
  const lines = findings.map(({ severity, line, column, path, message, rule, known = [] }) => {
    const place = file === '-' ? [] : [`file=${property(file)}`]
    const properties = [
      ...place,
      `line=${line}`,
      `col=${column}`,
      `title=${property(`${path || 'YAML'} [${rule}]`)}`,
    ]
    return `::${severity} ${properties.join(',')}::${data([message, ...known].join('\n'))}`
  })
  return lines.join('\n')
}

function data(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}

function property(text: string): string {
  return data(text).replaceAll(':', '%3A').replaceAll(',', '%2C')
}
