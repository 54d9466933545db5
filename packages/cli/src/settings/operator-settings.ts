import { type OperatorConfiguration, platformNamed, platforms, type Settings } from '@portcullis/operator'

export function settingsOf(
  configuration: OperatorConfiguration,
  commandLine: Settings['commandLine'],
): Settings {
  const { operatorNamespace, operandNamespace, routerImage, routerMemoryLimit, maxReplicas } = configuration
  const { domain, platform, firstNodePort } = configuration
  return {
    operatorNamespace,
    operandNamespace,
    routerImage,
    routerMemoryLimit,
    maxReplicas,
    defaultDomain: domain,
    platform,
    commandLine,
    firstNodePort,
  }
}

export function refuseUnknownPlatform({ platform }: OperatorConfiguration): void {
  if (platform === undefined || platformNamed(platform) !== undefined) return
  const known = platforms.map(({ name }) => name).join(', ')
  throw new Error(`Unknown platform "${platform}"; choose one of ${known}.`)
}
