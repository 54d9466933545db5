import type { TestProject } from 'vitest/node'
import { eventually } from '../eventually.ts'
import { asProcessOf } from './bed-directory.ts'
import { requireNoWayOut } from './isolation.ts'
import { changedSettings, kernelSettings } from './kernel-settings.ts'
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
  return async () => {
    try {
      await requireNoTraces(coordinates.bed, before)
    } catch (error) {
      // Vitest shows what a teardown throws, and succeeds all the same.
      process.exitCode = 1
      throw error
    } finally {
      await nodes.stop()
    }
  }
}

/** After all tests, whatever they did to the nodes: nothing has a way out, and the machine is set to what it was. */
async function requireNoTraces(bed: string, before: Readonly<Record<string, string>>): Promise<void> {
  // A pod that is about to start or to end has a cable without a process.
  await eventually(() => requireNoWayOut(bed, asProcessOf(bed)))
  const after = await kernelSettings()
  const changed = changedSettings(before, after)
  if (changed.length > 0)
    throw new Error(
      `Nodes or their tests changed settings of the machine; set them back.\n${changed.join('\n')}`,
    )
}
