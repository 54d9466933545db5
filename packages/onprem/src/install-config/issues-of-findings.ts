import { type KnownProblem, knownProblems } from '../known-issues.ts'
import type { Finding, Rule } from './finding.ts'
import type { InstallConfig } from './install-config.ts'
import type { PlatformKey } from './platforms.ts'

interface Meeting {
  readonly problem: KnownProblem
  readonly rules: readonly Rule[]
  /** All of them if nothing is said. */
  readonly platforms?: readonly PlatformKey[]
  /** Whether it is about load balancers of the customer alone. */
  readonly isCustomers?: true
}

/** At which findings others were before, by the number of what happened to them. */
const meetings: readonly Meeting[] = [
  { problem: 1, rules: ['vip-outside-machine-networks'], platforms: ['baremetal', 'openstack', 'vsphere'] },
  { problem: 2, rules: ['vip-outside-machine-networks', 'vip-shared'], isCustomers: true },
  { problem: 3, rules: ['vip-outside-machine-networks'], platforms: ['nutanix', 'vsphere'] },
  { problem: 7, rules: ['vip-networks-apart'] },
  { problem: 8, rules: ['vip-missing'], platforms: ['openstack'], isCustomers: true },
  {
    problem: 9,
    rules: ['vip-one-family', 'vip-unequal-counts', 'vip-family-order'],
    platforms: ['openstack'],
    isCustomers: true,
  },
  {
    problem: 10,
    rules: ['vip-missing', 'vip-outside-machine-networks'],
    platforms: ['openstack'],
    isCustomers: true,
  },
  { problem: 20, rules: ['proxy-vip'] },
]

/** The finding, with what is known of others who had it. */
export function withOthers(finding: Finding, { platform }: InstallConfig): Finding {
  const known = meetings
    .filter(
      ({ rules, platforms, isCustomers }) =>
        platform !== undefined &&
        rules.includes(finding.rule) &&
        (platforms?.includes(platform.key) ?? true) &&
        (isCustomers === undefined || platform.loadBalancer === 'UserManaged'),
    )
    .map(({ problem }) => knownProblems[problem])
  return known.length === 0 ? finding : { ...finding, known }
}
