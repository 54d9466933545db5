import { type Finding, finding } from '../finding.ts'
import type { InstallConfig } from '../install-config.ts'
import { isDualStack, type Networks } from '../networking.ts'

/** IPv4, IPv6 or both: decided by the Services' networks, and the same everywhere. */
export function* checkNetworkFamilies({ networking, platform }: InstallConfig): Iterable<Finding> {
  const { machine, cluster, service } = networking
  const isDual = isDualStack(networking)
  yield* checkServiceCount(service, isDual ? 2 : 1)
  if (!isDual) return
  for (const networks of [machine, cluster, service]) {
    const families = new Set(networks.all.map(({ network }) => network.family))
    const value = networks.written ?? service.written
    if (value === undefined) continue
    const [first] = networks.all
    if (families.size === 1 && first !== undefined) {
      const missing = first.network.family === 4 ? 6 : 4
      const message = `${networks.use}Network has no IPv${missing} network while serviceNetwork has both families; add one.`
      yield finding('network-families', value, message)
    } else if (first?.network.family === 6 && platform?.mayPreferIpv6 === false) {
      const message = `${networks.use}Network begins with IPv6, which ${platform.title} does not support; write IPv4 first.`
      yield finding('network-family-order', value, message)
    }
  }
}

function* checkServiceCount({ written, values }: Networks, wanted: number): Iterable<Finding> {
  const surplus = values[wanted]
  if (written === undefined || surplus === undefined) return
  const rule = wanted === 2 ? 'one of each family' : 'or two if one is IPv4 and the other IPv6'
  const message = `${surplus.text} is network ${wanted + 1} of serviceNetwork; keep ${wanted}, ${rule}.`
  yield finding('service-network-count', surplus, message)
}
