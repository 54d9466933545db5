import { beforeEach } from 'vitest'

/** Skips the tests of a file where network namespaces cannot be made, and says why. */
export function skipWithoutNamespaces(): void {
  beforeEach(({ skip }) => {
    if (process.platform !== 'linux') skip('Network namespaces need Linux.')
    if (process.getuid?.() !== 0) skip('Only root may make network namespaces.')
  })
}
