import { type Finding, finding, findingAtKey } from '../finding.ts'
import type { InstallConfig } from '../install-config.ts'
import { isOnPremises, platforms } from '../platforms.ts'
import type { Value } from '../value.ts'

const elsewhere = ['aws', 'azure', 'gcp', 'ibmcloud', 'powervs', 'powervc', 'none', 'external', 'libvirt']
const onPremises = Object.keys(platforms).join(', ')

/** Which platform the cluster is for, and what it forbids. */
export function* checkPlatform({ root, platform, release }: InstallConfig): Iterable<Finding> {
  yield* checkChoice(root)
  if (platform === undefined) return
  const { lastRelease, title, value } = platform
  if (lastRelease !== undefined && (release ?? Number.POSITIVE_INFINITY) > lastRelease) {
    const message = `${title} can be installed up to OpenShift 4.${lastRelease} and is refused since; choose another platform or that release.`
    yield finding('platform-unsupported', value, message)
  }
}

function* checkChoice(root: Value): Iterable<Finding> {
  const platform = root.field('platform')
  if (platform !== undefined && platform.kind !== 'map') return
  const keys = platform?.keys ?? []
  const known = keys.filter(({ name }) =>
    [...elsewhere, ...Object.keys(platforms)].includes(name.toLowerCase()),
  )
  const [first, second] = known
  if (platform === undefined || keys.length === 0) {
    yield finding(
      'platform-missing',
      platform ?? root,
      `No platform is named; write one of ${onPremises} below "platform:".`,
    )
  } else if (first === undefined) {
    // A name that is nearly right is reported as that.
    const unknown = keys.filter(({ name }) => !/^bare[-_]metal$/i.test(name))
    for (const key of unknown.slice(0, 1)) {
      const message = `The platform ${key.name} is not known; write one of ${onPremises}.`
      yield findingAtKey('platform-missing', key, message)
    }
  } else if (second !== undefined) {
    const message = `There are two platforms, ${first.name} and ${second.name}; keep one of them.`
    yield findingAtKey('platform-several', second, message)
  } else if (first.value.kind === 'nothing') {
    const message = `${first.name} is empty, which counts as no platform; write its fields below it, or "${first.name}: {}".`
    yield findingAtKey('platform-missing', first, message)
  } else if (!isOnPremises(first.name.toLowerCase())) {
    const message = `The virtual IPs of ${first.name}, if it has any, are not checked; this command is for ${onPremises}.`
    yield findingAtKey('platform-not-on-premises', first, message)
  }
}
