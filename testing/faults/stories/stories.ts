import { addresses, ipv6, otherAddresses } from './addresses.ts'
import { details } from './details.ts'
import { clocks, elections } from './elections.ts'
import { foreignPorts, ports } from './host-ports.ts'
import { hostile, otherWriters } from './other-writers.ts'
import { refusals } from './refusals.ts'
import { scopes, scopesOtherwise } from './scopes.ts'
import type { Story } from './story.ts'
import { lifecycles, typeChanges } from './strategies.ts'

export const stories: readonly Story[] = [
  ...scopes,
  ...scopesOtherwise,
  ...refusals,
  ...details,
  ...typeChanges,
  ...lifecycles,
  ...ports,
  ...foreignPorts,
  ...addresses,
  ...otherAddresses,
  ...elections,
  ...otherWriters,
  ...hostile,
  ...ipv6,
  ...clocks,
]

export function noSuchStory(asked: string): string {
  const names = stories.map(({ name }) => `  ${name}`)
  return [`--story is "${asked}", and no story is called so, or in part. There are:`, ...names].join('\n')
}
