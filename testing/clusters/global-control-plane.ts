import type { TestProject } from 'vitest/node'
import { requestsOfOperators } from '../installation/audit.ts'
import { startControlPlane } from './control-plane.ts'

/** Vitest's global setup of the projects `control-plane` and `machine`: one control plane for each, which `sharedControlPlane` hands to the tests. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const plane = await startControlPlane({ log: (line) => console.log(line) })
  project.provide('controlPlane', plane.coordinates)
  return async () => {
    const refused = await refusedRequests(plane.auditLog)
    await plane.stop()
    if (refused.length === 0) return
    // Vitest would print an error thrown here, and go on.
    console.error(`Operators asked for what their manifests do not allow:\n${refused.join('\n')}`)
    process.exitCode = 1
  }
}

/** Whatever test it was in: the operators of all stories have the rights of the manifests, and no others. */
async function refusedRequests(auditLog: string): Promise<string[]> {
  const requests = await requestsOfOperators(auditLog)
  return requests
    .filter(({ responseStatus }) => responseStatus?.code === 403)
    .map(({ user, verb, requestURI }) => `  ${user.username}: ${verb} ${requestURI}`)
}
