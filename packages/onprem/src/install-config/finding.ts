import type { Key, Value } from './value.ts'

/** An error is refused by the installer or an operator, or cannot work; a warning installs, but not as one expects. */
export type Severity = 'error' | 'warning'

/** Something in an install-config.yaml that is not right. */
export interface Finding {
  readonly severity: Severity
  /** The field, as `platform.vsphere.apiVIPs[1]`; empty for the file as a whole. */
  readonly path: string
  readonly line: number
  readonly column: number
  /** As it is written in the file; empty where something is missing. */
  readonly value: string
  readonly rule: Rule
  /** What is wrong with which value, and what to do about it. */
  readonly message: string
  /** Public reports of others with the same problem; absent where none is known. */
  readonly known?: readonly string[]
}

/** Every rule, by the name that findings carry, and how serious it is to break it. */
export const rules = {
  'yaml-syntax': 'error',
  'yaml-duplicate-key': 'error',
  'yaml-alias': 'error',
  'yaml-tag': 'warning',
  'field-type': 'error',
  'field-name': 'error',
  'field-case': 'warning',
  'list-too-long': 'error',
  'more-findings': 'error',

  'platform-missing': 'error',
  'platform-several': 'error',
  'platform-unsupported': 'error',
  'platform-not-on-premises': 'warning',
  'cluster-name': 'error',
  'base-domain': 'error',

  'load-balancer-type': 'error',
  'load-balancer-feature-set': 'error',
  'load-balancer-absent': 'warning',
  'dns-records-type': 'error',
  'dns-records-feature-set': 'error',

  'vip-missing': 'error',
  'vip-looked-up': 'warning',
  'vip-deprecated-field': 'warning',
  'vip-fields-disagree': 'error',
  'vip-not-an-address': 'error',
  'vip-special-address': 'error',
  'vip-too-many': 'error',
  'vip-same-family': 'error',
  'vip-unequal-counts': 'error',
  'vip-family-order': 'error',
  'vip-order-rewritten': 'warning',
  'vip-one-family': 'warning',
  'vip-shared': 'error',
  'vip-networks-apart': 'warning',
  'vip-outside-machine-networks': 'error',
  'vip-in-cluster-network': 'error',
  'vip-in-service-network': 'error',
  'vip-in-ovn-network': 'error',
  'vip-network-address': 'error',
  'vip-broadcast-address': 'error',
  'vip-gateway-address': 'error',
  'vip-first-address': 'warning',
  'vip-host-address': 'error',

  'network-notation': 'error',
  'network-overlap': 'error',
  'network-overlaps-ovn': 'error',
  'network-overlaps-docker': 'warning',
  'service-network-size': 'error',
  'service-network-count': 'error',
  'network-families': 'error',
  'network-family-order': 'error',

  'proxy-entry': 'error',
  'proxy-vip': 'warning',

  'dns-name-unknown': 'error',
  'dns-name-missing': 'error',
  'dns-wildcard-missing': 'error',
  'dns-wrong-address': 'error',
  'dns-api-int-elsewhere': 'error',
  'dns-silent': 'error',
  'dns-failed': 'error',
} as const satisfies Record<string, Severity>

export type Rule = keyof typeof rules

/** A finding at a value; its severity is that of the rule, unless given. */
export function finding(
  rule: Rule,
  value: Value,
  message: string,
  severity: Severity = rules[rule],
): Finding {
  const { path, line, column, text } = value
  return shortened({ severity, path, line, column, value: text, rule, message })
}

/** A finding at the name of a field. */
export function findingAtKey(rule: Rule, { name, line, column, value }: Key, message: string): Finding {
  return shortened({ severity: rules[rule], path: value.path, line, column, value: name, rule, message })
}

/** A value may be as long as the file. The middle is left out, so that a message keeps its beginning and its remedy. */
export function shortened(finding: Finding): Finding {
  const { path, value, message } = finding
  return { ...finding, path: cut(path, 200), value: cut(value, 200), message: cut(message, 1000) }
}

function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most / 2)} … ${text.slice(-most / 2)}`
}

/** The first few of a list in a message, and how many more there are. */
export function listed(texts: readonly string[]): string {
  const more = texts.length - 8
  return more <= 0 ? texts.join(', ') : `${texts.slice(0, 8).join(', ')} and ${more} more`
}

/** In the order of the file; errors before warnings at the same place. */
export function byPosition(one: Finding, other: Finding): number {
  return (
    one.line - other.line ||
    one.column - other.column ||
    one.severity.localeCompare(other.severity) ||
    one.rule.localeCompare(other.rule)
  )
}
