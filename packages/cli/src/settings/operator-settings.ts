import {
  mebibytesIn,
  millisecondsIn,
  type OperatorConfiguration,
  platformNamed,
  platforms,
  type Settings,
} from '@portcullis/operator'

export function settingsOf(
  configuration: OperatorConfiguration,
  commandLine: Settings['commandLine'],
): Settings {
  const { operatorNamespace, operandNamespace, routerImage, maxReplicas } = configuration
  const { routerCpuRequest, routerMemoryRequest, routerMemoryLimit } = configuration
  const { domain, platform, firstNodePort } = configuration
  return {
    operatorNamespace,
    operandNamespace,
    routerImage,
    routerCpuRequest,
    routerMemoryRequest,
    routerMemoryLimit,
    maxReplicas,
    defaultDomain: domain,
    platform,
    commandLine,
    firstNodePort,
    clientsFollowSeconds: (millisecondsIn(configuration.previousStrategyGrace) ?? 0) / 1000,
  }
}

export function refuseUnknownPlatform({ platform }: OperatorConfiguration): void {
  if (platform === undefined || platformNamed(platform) !== undefined) return
  const known = platforms.map(({ name }) => name).join(', ')
  throw new Error(`Unknown platform "${platform}"; choose one of ${known}.`)
}

/** The API server would refuse the pods: routers would never start. */
export function refuseMemoryAboveLimit(configuration: OperatorConfiguration): void {
  const { routerMemoryRequest: request, routerMemoryLimit: limit } = configuration
  if (mebibytesIn(request) <= mebibytesIn(limit)) return
  throw new Error(
    `routerMemoryRequest is ${request}, more than routerMemoryLimit, which is ${limit}; lower the request, or raise the limit.`,
  )
}
