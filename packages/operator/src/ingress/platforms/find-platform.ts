import { type DeepReadonly, sanitizeUntrusted } from '@portcullis/kube'
import type { Infrastructure } from '../../api/infrastructure.ts'
import type { Platform } from './platform.ts'
import { platformNamed, platforms } from './platforms.ts'

/** The platform of the cluster, or why it cannot be determined. */
export type PlatformFinding =
  | { readonly platform: Platform; readonly problem?: undefined }
  | { readonly platform?: undefined; readonly problem: string }

export interface PlatformEvidence {
  /** `Infrastructure/cluster`, where there is one. */
  readonly infrastructure: DeepReadonly<Infrastructure> | undefined
  /** `spec.providerID` of every node that has one. */
  readonly providerIds: readonly string[]
  /** The value of `--platform`. */
  readonly setting: string | undefined
}

/** From `Infrastructure/cluster`, else from the provider IDs of the nodes, else from `--platform`. */
export function findPlatform({ infrastructure, providerIds, setting }: PlatformEvidence): PlatformFinding {
  const status = infrastructure?.status
  const stated = status?.platformStatus?.type || status?.platform
  if (stated) return named(stated, 'Infrastructure cluster, status.platformStatus.type')
  const found = [...new Set(providerIds.map(schemeOf))]
  const [scheme] = found
  if (found.length === 1 && scheme !== undefined) {
    const platform = platforms.find((each) => each.providerIds.includes(scheme))
    if (platform !== undefined) return { platform }
  }
  if (setting !== undefined) return named(setting, '--platform')
  return {
    problem: `The platform of the cluster cannot be determined: ${whyNot(found.map(sanitizeUntrusted))} ${remedy}`,
  }
}

function named(name: string, source: string): PlatformFinding {
  const platform = platformNamed(name)
  if (platform !== undefined) return { platform }
  return {
    problem: `The platform of the cluster cannot be determined: ${source} is "${sanitizeUntrusted(name)}", which is not one of ${platforms.map((each) => each.name).join(', ')}.`,
  }
}

function whyNot(schemes: readonly string[]): string {
  if (schemes.length === 0) return 'Infrastructure "cluster" does not name it, and no node has a provider ID.'
  if (schemes.length > 1) return `the provider IDs of the nodes differ (${schemes.toSorted().join(', ')}).`
  return `the provider IDs of the nodes start with "${schemes[0]}", which is unknown.`
}

const remedy =
  'Set status.platformStatus.type of Infrastructure "cluster", or start the operator with --platform (None if there is no cloud).'

/** `aws:///us-east-1a/i-0123` is of the scheme `aws`. */
function schemeOf(providerId: string): string {
  return providerId.split('://')[0] ?? providerId
}
