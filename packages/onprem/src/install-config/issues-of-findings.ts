import { type KnownIssue, knownIssues } from '../known-issues.ts'
import type { Finding, Rule } from './finding.ts'
import type { InstallConfig } from './install-config.ts'
import type { PlatformKey } from './platforms.ts'

interface IssueMatch {
  readonly problem: KnownIssue
  readonly rules: readonly Rule[]
  /** All of them, unless given. */
  readonly platforms?: readonly PlatformKey[]
  /** Whether it concerns UserManaged load balancers only. */
  readonly isUserManaged?: true
}

/** Which known issues match which findings. */
const issueMatches: readonly IssueMatch[] = [
  { problem: 1, rules: ['vip-outside-machine-networks'], platforms: ['baremetal', 'openstack', 'vsphere'] },
  { problem: 2, rules: ['vip-outside-machine-networks', 'vip-shared'], isUserManaged: true },
  { problem: 3, rules: ['vip-outside-machine-networks'], platforms: ['nutanix', 'vsphere'] },
  { problem: 7, rules: ['vip-networks-apart'] },
  { problem: 8, rules: ['vip-missing'], platforms: ['openstack'], isUserManaged: true },
  {
    problem: 9,
    rules: ['vip-one-family', 'vip-unequal-counts', 'vip-family-order'],
    platforms: ['openstack'],
    isUserManaged: true,
  },
  {
    problem: 10,
    rules: ['vip-missing', 'vip-outside-machine-networks'],
    platforms: ['openstack'],
    isUserManaged: true,
  },
  { problem: 20, rules: ['proxy-vip'] },
]

/** The finding, with the known issues that it matches. */
export function withKnownIssues(finding: Finding, { platform }: InstallConfig): Finding {
  const known = issueMatches
    .filter(
      ({ rules, platforms, isUserManaged }) =>
        platform !== undefined &&
        rules.includes(finding.rule) &&
        (platforms?.includes(platform.key) ?? true) &&
        (isUserManaged === undefined || platform.loadBalancer === 'UserManaged'),
    )
    .map(({ problem }) => knownIssues[problem])
  return known.length === 0 ? finding : { ...finding, known }
}
