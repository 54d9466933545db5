import { inject } from 'vitest'
import { type ControlPlaneCoordinates, ControlPlaneHandle } from './control-plane-handle.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    controlPlane: ControlPlaneCoordinates
  }
}

/**
 * The control plane that all test files of the projects `control-plane` and `machine` share, each its own: use a namespace of your own. To stop or
 * restart its API server would hurt the others; a test that needs that starts a plane for itself.
 */
export function sharedControlPlane(): ControlPlaneHandle {
  return new ControlPlaneHandle(inject('controlPlane'))
}
