import type { NodesHandle } from '../clusters/real-nodes/nodes-handle.ts'
import { manifests, must, operatorNamespace } from './installation.ts'

/** Removes all that an installation of the default names brings, and what is published: the bed is as if there had never been one. */
export async function freshCluster(bed: NodesHandle): Promise<void> {
  const { stdout } = await bed.kubectl(['get', 'customresourcedefinitions', '--output=name'])
  if (stdout.includes('ingresscontrollers.operator.openshift.io'))
    await must(bed, [
      `--namespace=${operatorNamespace}`,
      'delete',
      'ingresscontrollers',
      '--all',
      '--timeout=90s',
    ])
  await must(bed, ['delete', '--ignore-not-found', '--timeout=90s', '--filename=-'], await manifests())
}
