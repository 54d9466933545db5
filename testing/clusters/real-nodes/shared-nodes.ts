import { beforeEach, inject } from 'vitest'
import type { BedImages } from '../images/bed-images.ts'
import { type NodesCoordinates, NodesHandle } from './nodes-handle.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** A bed of real nodes, or why there is none. */
    nodes: SharedNodes | { readonly reason: string }
  }
}

export interface SharedNodes {
  readonly coordinates: NodesCoordinates
  readonly images: BedImages
  /** What the kernel was set to before there was a bed, by paths below /proc/sys. */
  readonly kernelSettings: Readonly<Record<string, string>>
}

/**
 * The bed of real nodes that all test files of the project `nodes` share, one after the other: each heals what it breaks. Where there
 * can be none, the tests of the file are skipped, and say why.
 */
export function sharedNodes(): { readonly bed: NodesHandle } & SharedNodes {
  const shared = inject('nodes')
  beforeEach(({ skip }) => {
    if ('reason' in shared) skip(shared.reason)
  })
  // Nothing but tests uses it, and they are skipped.
  if ('reason' in shared) return {} as ReturnType<typeof sharedNodes>
  return { bed: new NodesHandle(shared.coordinates), ...shared }
}
