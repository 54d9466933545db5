import { checkRecords, type DnsProblem } from '../dns/check-records.ts'
import { type ClusterName, namesOf } from '../dns/cluster-names.ts'
import type { DnsAnswer } from '../dns/dns-answer.ts'
import { refusalToRead } from './check.ts'
import { type Finding, finding } from './finding.ts'
import { type InstallConfig, readInstallConfig } from './install-config.ts'
import { clusterIn } from './planned-cluster.ts'
import type { Value } from './value.ts'
import { readYaml } from './yaml.ts'

/** The DNS client, and randomness for the name of an application that no zone lists. */
export interface Online {
  readonly ask: (names: readonly string[]) => Promise<readonly DnsAnswer[]>
  readonly random: () => number
}

/** Where DNS differs from the file. A file that cannot be read is reported by `checkInstallConfig`. */
export async function checkOnline(text: string, { ask, random }: Online): Promise<readonly Finding[]> {
  if (refusalToRead(text) !== undefined) return []
  const { root } = readYaml(text)
  if (root.kind !== 'map') return []
  const config = readInstallConfig(root, undefined)
  const cluster = clusterIn(config)
  if (cluster === undefined) {
    const message = 'Names cannot be looked up without metadata.name and baseDomain; set both.'
    return [finding('dns-name-unknown', root, message)]
  }
  const names = namesOf(cluster, random)
  const answers = await ask(names.map(({ name }) => name))
  return checkRecords(names, answers).map((problem) => findingOf(problem, config))
}

/** Beside the addresses that it is about, where there are any. */
function findingOf({ rule, severity, name, message }: DnsProblem, config: InstallConfig): Finding {
  return finding(rule, placeOf(name, config), message, severity)
}

function placeOf(name: ClusterName | undefined, { platform, root }: InstallConfig): Value {
  const vips = name?.use === 'apps' ? platform?.ingress : platform?.api
  return (name && vips?.addresses[0]?.value) ?? platform?.value ?? root
}
