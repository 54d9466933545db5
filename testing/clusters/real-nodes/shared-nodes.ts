import { inject } from 'vitest'
import { type NodesCoordinates, NodesHandle } from './nodes-handle.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    nodes: NodesCoordinates
  }
}

/** The bed of real nodes that all test files of the project `nodes` share, one after the other: each heals what it breaks. */
export function sharedNodes(): NodesHandle {
  return new NodesHandle(inject('nodes'))
}
