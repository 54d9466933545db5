import type { TestProject } from 'vitest/node'
import { ToolMissing } from '../tool-missing.ts'
import { startAwsCluster } from './aws-cluster.ts'

/** Vitest's global setup of the project `aws`: one cluster, which `sharedAws` hands to the tests. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  try {
    const cluster = await startAwsCluster({ log: (line) => console.log(line) })
    project.provide('aws', { cluster: cluster.coordinates })
    return () => cluster.stop()
  } catch (error) {
    // Without Go a message names what is left out; CI must not pass without these stories.
    if (!(error instanceof ToolMissing) || process.env['CI'] === 'true') throw error
    console.warn(`SKIPPED: all stories on AWS' own cloud controller manager. ${error.message}`)
    project.provide('aws', { missing: error.message })
    return async () => {}
  }
}
