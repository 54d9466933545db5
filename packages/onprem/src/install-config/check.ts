import { byPosition, type Finding, type Rule } from './finding.ts'
import { type InstallConfig, readInstallConfig } from './install-config.ts'
import { withKnownIssues } from './issues-of-findings.ts'
import { depthOf } from './nesting.ts'
import { checkClusterNames } from './rules/cluster-names.ts'
import { checkFieldNames } from './rules/field-names.ts'
import { checkFieldTypes } from './rules/field-types.ts'
import { checkListLengths } from './rules/list-lengths.ts'
import { checkLoadBalancer } from './rules/load-balancer.ts'
import { checkNetworkFamilies } from './rules/network-families.ts'
import { checkNetworks } from './rules/networks.ts'
import { checkPlatform } from './rules/platform.ts'
import { checkProxy } from './rules/proxy.ts'
import { checkVipAddresses } from './rules/vip-addresses.ts'
import { checkVipCounts } from './rules/vip-counts.ts'
import { checkVipFamilies } from './rules/vip-families.ts'
import { checkVipLocations } from './rules/vip-location.ts'
import { readYaml } from './yaml.ts'

const families: readonly ((config: InstallConfig) => Iterable<Finding>)[] = [
  checkFieldNames,
  checkFieldTypes,
  checkListLengths,
  checkPlatform,
  checkClusterNames,
  checkLoadBalancer,
  checkVipAddresses,
  checkVipCounts,
  checkVipFamilies,
  checkVipLocations,
  checkNetworks,
  checkNetworkFamilies,
  checkProxy,
]

/** Findings that are left out for a file that is not whole YAML: what is missing may only not have been read. */
const absences: ReadonlySet<Rule> = new Set([
  'platform-missing',
  'load-balancer-absent',
  'vip-missing',
  'vip-looked-up',
  'vip-unequal-counts',
])

function isAbsence({ rule, value }: Finding): boolean {
  const isName = rule === 'cluster-name' || rule === 'base-domain'
  return absences.has(rule) || (isName && value === '')
}

/** The installer keeps the file in a ConfigMap, which holds no more. */
const largest = 1024 * 1024
const deepest = 200

/** For one rule; more would not be read. */
const mostFindings = 64

interface Options {
  /** The release that is to be installed, 4.x; the newest when it is not given. */
  readonly release?: number | undefined
}

/**
 * Everything that is wrong with an install-config.yaml, as far as load balancers go, in the order of the file. A file
 * that is not YAML is checked as far as it could be read: a wrong address is worth knowing along with a missing quote.
 */
export function checkInstallConfig(text: string, { release }: Options = {}): Finding[] {
  const refusal = refusalToRead(text)
  if (refusal !== undefined) return [unreadable(refusal)]
  const { root, findings } = readYaml(text)
  if (root.kind === 'map') {
    const config = readInstallConfig(root, release)
    const isWhole = findings.every(({ rule }) => rule !== 'yaml-syntax')
    const found = families.flatMap((check) => [...check(config)].map((each) => withKnownIssues(each, config)))
    return foremost([...findings, ...found.filter((each) => isWhole || !isAbsence(each))].sort(byPosition))
  }
  if (findings.some(({ severity }) => severity === 'error')) return foremost(findings)
  const what = root.kind === 'nothing' ? 'This file is empty' : `This file holds a ${root.kind}`
  return [unreadable(`${what}; an install-config is a map that begins with "apiVersion: v1".`)]
}

/** The first of each rule, and at the next one how many more there are. */
function foremost(findings: readonly Finding[]): Finding[] {
  const byRule = new Map<Rule, Finding[]>()
  for (const each of findings) {
    const same = byRule.get(each.rule)
    if (same === undefined) byRule.set(each.rule, [each])
    else same.push(each)
  }
  return [...byRule.values()].flatMap(summedUp).sort(byPosition)
}

function summedUp(same: readonly Finding[]): readonly Finding[] {
  const next = same[mostFindings]
  if (next === undefined) return same
  const message = `There are ${same.length - mostFindings} more findings of ${next.rule}, the first of them here; correct the ${mostFindings} before it and check again.`
  return [...same.slice(0, mostFindings), { ...next, rule: 'more-findings', message }]
}

/** Why a text is not even read; undefined for most. */
export function refusalToRead(text: string): string | undefined {
  if (text.length > largest)
    return 'This file is larger than a cluster can keep (1 MiB); move long texts out of it.'
  if (depthOf(text) > deepest)
    return `This file is nested more than ${deepest} levels deep; remove brackets or indentation.`
  return undefined
}

function unreadable(message: string): Finding {
  return { severity: 'error', path: '', line: 1, column: 1, value: '', rule: 'yaml-syntax', message }
}
