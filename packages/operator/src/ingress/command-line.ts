import { ApiError, isNotFound, KindNotServedError, type KubeApi, kind } from '@portcullis/kube'
import type { Settings } from './settings.ts'

const ClusterVersion = kind('config.openshift.io/v1', 'ClusterVersion')

/**
 * What people type on this cluster: an OpenShift cluster knows its version, and its users have `oc`. An API server that
 * is not well has not answered: the caller tries again, rather than give the wrong commands for as long as it runs.
 */
export async function findCommandLine(client: Pick<KubeApi, 'get'>): Promise<Settings['commandLine']> {
  try {
    await client.get(ClusterVersion, { name: 'version' })
    return 'oc'
  } catch (error) {
    if (error instanceof KindNotServedError || isNotFound(error)) return 'kubectl'
    if (error instanceof ApiError && error.code === 403) return 'oc'
    throw error
  }
}
