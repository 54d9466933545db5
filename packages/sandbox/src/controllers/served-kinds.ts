import type { Kind } from '@portcullis/kube'
import type { APIGroupList, APIResourceList } from 'kubernetes-types/meta/v1'

/** A kind as discovery lists it. */
export interface ServedKind extends Kind {
  /** `deployments.apps` */
  readonly resource: string
  readonly namespaced: boolean
  readonly verbs: readonly string[]
}

/** All kinds of a cluster, each in the version that its group prefers. Asked again and again: kinds come and go. */
export type FindKinds = () => Promise<readonly ServedKind[]>

/**
 * Finds the kinds of a cluster through its discovery documents.
 *
 * @param read gives the JSON at a path of the API server, such as `/apis/apps/v1`
 */
export function kindsByDiscovery(read: (path: string) => Promise<unknown>): FindKinds {
  return async () => {
    const { groups } = (await read('/apis')) as APIGroupList
    const versions = groups.flatMap(({ preferredVersion, versions: [first] }) => {
      const version = preferredVersion ?? first
      return version === undefined ? [] : [version.groupVersion]
    })
    const lists = await Promise.all([
      resourcesAt(read, '/api/v1', 'v1'),
      ...versions.map((version) => resourcesAt(read, `/apis/${version}`, version)),
    ])
    return lists.flat()
  }
}

/** A group whose list cannot be had, like that of an API service that is down, is left out this time. */
async function resourcesAt(
  read: (path: string) => Promise<unknown>,
  path: string,
  apiVersion: string,
): Promise<ServedKind[]> {
  let list: APIResourceList
  try {
    list = (await read(path)) as APIResourceList
  } catch {
    return []
  }
  const group = apiVersion.includes('/') ? `.${apiVersion.split('/')[0]}` : ''
  return list.resources
    .filter(({ name }) => !name.includes('/'))
    .map(({ name, kind, namespaced, verbs }) => ({
      apiVersion,
      kind,
      resource: `${name}${group}`,
      namespaced,
      verbs,
    }))
}
