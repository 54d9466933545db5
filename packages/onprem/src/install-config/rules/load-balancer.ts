import { type Finding, finding } from '../finding.ts'
import type { InstallConfig, OnPremises } from '../install-config.ts'
import type { Value } from '../value.ts'

const techPreview = 'TechPreviewNoUpgrade'
const previews = [techPreview, 'DevPreviewNoUpgrade', 'CustomNoUpgrade']

/** The type of the load balancer, whether the release supports it, and where the DNS records are kept. */
export function* checkLoadBalancer({ root, platform, release }: InstallConfig): Iterable<Finding> {
  if (platform === undefined) return
  const { value, loadBalancer } = platform
  const written = value.field('loadBalancer')
  const type = written?.field('type')
  const featureSet = root.field('featureSet')
  if (written?.kind === 'map') yield* checkType(written, type)
  if (type !== undefined && loadBalancer === 'UserManaged')
    yield* checkRelease(platform, type, featureSet, release)
  if (type?.text === 'OpenShiftManagedDefault' && platform.key === 'vsphere' && !hasVips(platform)) {
    const message =
      'OpenShiftManagedDefault without virtual IPs deploys no load balancer on vSphere; give apiVIPs and ingressVIPs, or write UserManaged.'
    yield finding('load-balancer-absent', type, message)
  }
  yield* checkDnsRecords(platform, featureSet, release)
}

function* checkType(loadBalancer: Value, type: Value | undefined): Iterable<Finding> {
  if (type === undefined) {
    const message =
      'loadBalancer has no type; write OpenShiftManagedDefault or UserManaged, or remove loadBalancer.'
    yield finding('load-balancer-type', loadBalancer, message)
  } else if (type.text !== 'OpenShiftManagedDefault' && type.text !== 'UserManaged') {
    const message = `${type.text} is not a type of load balancer; write OpenShiftManagedDefault or UserManaged.`
    yield finding('load-balancer-type', type, message)
  }
}

/** UserManaged came with 4.13, at first as a technology preview, which rules out upgrades. */
function* checkRelease(
  { title, generallyAvailable, lastRelease }: OnPremises,
  type: Value,
  featureSet: Value | undefined,
  release: number | undefined,
): Iterable<Finding> {
  if (release === undefined || (lastRelease !== undefined && release > lastRelease)) return
  if (release < 13) {
    const message = `UserManaged is not known to OpenShift 4.${release}; install 4.13 or later.`
    yield finding('load-balancer-feature-set', type, message)
  } else if (release < (generallyAvailable ?? Number.POSITIVE_INFINITY) && featureSet?.text !== techPreview) {
    const orLater = generallyAvailable === undefined ? '' : `, or install 4.${generallyAvailable} or later`
    const message = `UserManaged is a technology preview on ${title} in OpenShift 4.${release}; write "featureSet: ${techPreview}"${orLater}.`
    yield finding('load-balancer-feature-set', type, message)
  }
}

function* checkDnsRecords(
  { value, loadBalancer }: OnPremises,
  featureSet: Value | undefined,
  release: number | undefined,
): Iterable<Finding> {
  const type = value.field('dnsRecordsType')
  if (type === undefined) return
  if (type.text !== 'Internal' && type.text !== 'External') {
    yield finding(
      'dns-records-type',
      type,
      `${type.text} is not a type of DNS records; write Internal or External.`,
    )
  } else if (type.text === 'External' && loadBalancer !== 'UserManaged') {
    const message =
      'External DNS records need a load balancer of your own; write UserManaged as loadBalancer.type, or Internal here.'
    yield finding('dns-records-type', type, message)
  }
  if (release !== undefined && release < 21) {
    const message = `${type.text}: dnsRecordsType is not known to OpenShift 4.${release}; remove it, or install 4.21 or later.`
    yield finding('dns-records-feature-set', type, message)
  } else if (!previews.includes(featureSet?.text ?? '')) {
    const message = `${type.text}: dnsRecordsType is a technology preview; write "featureSet: ${techPreview}", or remove it.`
    yield finding('dns-records-feature-set', type, message)
  }
}

function hasVips({ api, ingress }: OnPremises): boolean {
  return api.written !== undefined || ingress.written !== undefined
}
