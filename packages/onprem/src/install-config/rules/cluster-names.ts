import { isDnsLabel, isDnsName } from '../../dns/dns-name.ts'
import { type Finding, finding } from '../finding.ts'
import { domainIn, type InstallConfig, type OnPremises } from '../install-config.ts'
import type { Value } from '../value.ts'

const letters = 'lower case letters, digits, and hyphens that are neither first nor last'

/** The two texts that every name of the cluster is made of. */
export function* checkClusterNames(config: InstallConfig): Iterable<Finding> {
  const { root, platform } = config
  if (platform === undefined) return
  const name = root.field('metadata')?.field('name')
  const base = root.field('baseDomain')
  const found = [...checkName(name, root, platform), ...checkBase(base, root)]
  yield* found
  const domain = domainIn(config)
  if (found.length > 0 || base === undefined || domain === undefined || isDnsName(domain)) return
  const message = `${domain}, the domain of the cluster, has ${domain.length} characters, and a DNS name may have 253; shorten baseDomain.`
  yield finding('base-domain', base, message)
}

function* checkName(name: Value | undefined, root: Value, { title }: OnPremises): Iterable<Finding> {
  if (name === undefined || name.text === '') {
    const message = 'The cluster has no name, which its DNS names need; set metadata.name, such as edge.'
    yield finding('cluster-name', name ?? root.field('metadata') ?? root, message)
  } else if (name.kind !== 'text' || isDnsLabel(name.text)) {
    return
  } else if (isDnsName(name.text)) {
    const message = `The cluster name ${name.text} must not contain dots on ${title}; write ${name.text.replaceAll('.', '-')}, and put the domain into baseDomain.`
    yield finding('cluster-name', name, message)
  } else {
    const message = `The cluster name "${name.text}" cannot be a label of a DNS name; use at most 63 ${letters}.`
    yield finding('cluster-name', name, message)
  }
}

function* checkBase(base: Value | undefined, root: Value): Iterable<Finding> {
  if (base === undefined || base.text === '') {
    const message =
      'There is no baseDomain, which the DNS names of the cluster need; set your domain, such as example.com.'
    yield finding('base-domain', base ?? root, message)
  } else if (base.kind === 'text' && !isDnsName(base.text.replace(/\.$/, ''))) {
    const message = `The baseDomain "${base.text}" is not a DNS name; write labels separated by dots, such as example.com, each of ${letters}.`
    yield finding('base-domain', base, message)
  }
}
