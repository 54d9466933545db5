import type { TestProject } from 'vitest/node'
import { thisMachine, whyNoRealNodes } from './requirements.ts'
import { startNodes } from './start-nodes.ts'

/** Vitest's global setup of the project `nodes`: one bed, which `sharedNodes` hands to the tests. */
export async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  const reason = whyNoRealNodes(await thisMachine())
  if (reason !== undefined) {
    console.log(`Skipped: ${reason}`)
    return undefined
  }
  const nodes = await startNodes({ log: (line) => console.log(line) })
  project.provide('nodes', nodes.coordinates)
  return () => nodes.stop()
}
