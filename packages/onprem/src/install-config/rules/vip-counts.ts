import { type Finding, finding } from '../finding.ts'
import type { InstallConfig, OnPremises, Vips } from '../install-config.ts'

/** One or two virtual IPs for the API, and as many for ingress. */
export function* checkVipCounts(config: InstallConfig): Iterable<Finding> {
  const { platform } = config
  if (platform === undefined) return
  const { api, ingress } = platform
  yield* checkPresence(config, platform, api, ingress)
  yield* checkPresence(config, platform, ingress, api)
  for (const vips of [api, ingress]) {
    const [, , third] = vips.values
    if (third === undefined) continue
    const message = `${third.text} is one of ${vips.written?.length} virtual IPs in ${vips.field}; keep at most two, one IPv4 and one IPv6.`
    yield finding('vip-too-many', third, message)
  }
  yield* compareCounts(platform)
}

function* checkPresence(
  config: InstallConfig,
  platform: OnPremises,
  vips: Vips,
  others: Vips,
): Iterable<Finding> {
  if (vips.values.length > 0) return
  const { use, field } = vips
  const { loadBalancer, title, value, withoutVips } = platform
  const missing = `There is no virtual IP for ${use === 'API' ? 'the API' : use}`
  if (withoutVips === 'looked-up') {
    const message = `${missing}, so the installer takes the first address that ${hostOf(config, use)} resolves to; write it as ${field}.`
    yield finding('vip-looked-up', value, message)
  } else if (withoutVips === 'refused' || (withoutVips === 'derived' && loadBalancer === 'UserManaged')) {
    yield finding(
      'vip-missing',
      value,
      `${missing}, which ${title} needs; write ${loadBalancer === 'UserManaged' ? 'that of your load balancer' : 'a free address of machineNetwork'} as ${field}.`,
    )
  } else if (withoutVips === 'accepted' && others.values.length > 0) {
    yield finding(
      'vip-missing',
      value,
      `${missing} while there is one in ${others.field}; write one as ${field}.`,
    )
  } else if (withoutVips === 'accepted' && platform.key === 'nutanix') {
    const message = `${missing}, which the agent-based installer refuses and nobody else serves; write one as ${field}.`
    yield finding('vip-missing', value, message, 'warning')
  }
}

function hostOf({ root }: InstallConfig, use: Vips['use']): string {
  const cluster = root.field('metadata')?.field('name')?.text ?? '<name>'
  const domain = root.field('baseDomain')?.text ?? '<baseDomain>'
  return `${use === 'API' ? 'api' : 'test.apps'}.${cluster}.${domain}`
}

function* compareCounts({ api, ingress, comparesCounts }: OnPremises): Iterable<Finding> {
  const [some, more] = [api, ingress].toSorted((one, other) => one.values.length - other.values.length)
  if (some === undefined || more === undefined || some.written === undefined) return
  const [fewer, most] = [some.values.length, more.values.length]
  if (fewer === most || fewer === 0 || most > 2) return
  const because = comparesCounts
    ? 'which the network operator refuses after the installation'
    : 'so one of the two is not reached by both families'
  const message = `${some.field} has ${fewer} and ${more.field} ${most} virtual IPs, ${because}; give as many of both.`
  yield finding('vip-unequal-counts', some.written, message, comparesCounts ? 'error' : 'warning')
}
