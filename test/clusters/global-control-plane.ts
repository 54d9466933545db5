import type { TestProject } from 'vitest/node'
import { startControlPlane } from './control-plane.ts'

/** Vitest's global setup of the project `cluster`: one control plane, which `sharedControlPlane` hands to the tests. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const plane = await startControlPlane({ log: (line) => console.log(line) })
  project.provide('controlPlane', plane.coordinates)
  return () => plane.stop()
}
