import { byPosition, type Finding, type Rule } from './finding.ts'
import { type InstallConfig, readInstallConfig } from './install-config.ts'
import { depthOf } from './nesting.ts'
import { checkFieldNames } from './rules/field-names.ts'
import { checkFieldTypes } from './rules/field-types.ts'
import { checkLoadBalancer } from './rules/load-balancer.ts'
import { checkNetworkFamilies } from './rules/network-families.ts'
import { checkNetworks } from './rules/networks.ts'
import { checkPlatform } from './rules/platform.ts'
import { checkProxy } from './rules/proxy.ts'
import { checkVipAddresses } from './rules/vip-addresses.ts'
import { checkVipCounts } from './rules/vip-counts.ts'
import { checkVipFamilies } from './rules/vip-families.ts'
import { checkVipPlaces } from './rules/vip-places.ts'
import { readYaml } from './yaml.ts'

const families: readonly ((config: InstallConfig) => Iterable<Finding>)[] = [
  checkFieldNames,
  checkFieldTypes,
  checkPlatform,
  checkLoadBalancer,
  checkVipAddresses,
  checkVipCounts,
  checkVipFamilies,
  checkVipPlaces,
  checkNetworks,
  checkNetworkFamilies,
  checkProxy,
]

/** What is not to be told of a file that is not whole YAML: what is missing may only not have been read. */
const absences: ReadonlySet<Rule> = new Set([
  'platform-missing',
  'load-balancer-absent',
  'vip-missing',
  'vip-looked-up',
  'vip-unequal-counts',
])

/** The installer keeps the file in a ConfigMap, which holds no more. */
const largest = 1024 * 1024
const deepest = 200

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
    const found = families.flatMap((check) => [...check(config)])
    return [...findings, ...found.filter(({ rule }) => isWhole || !absences.has(rule))].sort(byPosition)
  }
  if (findings.some(({ severity }) => severity === 'error')) return [...findings]
  const what = root.kind === 'nothing' ? 'This file is empty' : `This file holds a ${root.kind}`
  return [unreadable(`${what}; an install-config is a map that begins with "apiVersion: v1".`)]
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
