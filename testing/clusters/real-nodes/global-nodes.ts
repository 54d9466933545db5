import type { TestProject } from 'vitest/node'
import { kernelSettings } from './kernel-settings.ts'
import { thisMachine, whyNoRealNodes } from './requirements.ts'
import { startNodes } from './start-nodes.ts'

/** Vitest's global setup of the project `nodes`: one bed, which `sharedNodes` hands to the tests. */
export async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  const reason = whyNoRealNodes(await thisMachine())
  if (reason !== undefined) {
    project.provide('nodes', { reason })
    return undefined
  }
  const before = await kernelSettings()
  const nodes = await startNodes({ log: (line) => console.log(line) })
  const { coordinates, images } = nodes
  project.provide('nodes', { coordinates, images, kernelSettings: before })
  return () => nodes.stop()
}
