import { KindNotServedError } from '../kube/discovery.ts'
import { ApiError } from '../kube/errors.ts'
import { kind } from '../kube/objects.ts'
import type { Verbs } from '../kube/verbs.ts'
import type { Settings } from './settings.ts'

const ClusterVersion = kind('config.openshift.io/v1', 'ClusterVersion')

/** What people type on this cluster: an OpenShift cluster knows its version, and its users have `oc`. */
export async function findCommandLine(client: Pick<Verbs, 'get'>): Promise<Settings['commandLine']> {
  try {
    await client.get(ClusterVersion, { name: 'version' })
    return 'oc'
  } catch (error) {
    if (error instanceof KindNotServedError) return 'kubectl'
    if (error instanceof ApiError) return error.code === 403 ? 'oc' : 'kubectl'
    throw error
  }
}
