import type { Resource } from '../resource.ts'
import type { About } from './api-status.ts'

/** Both groups of Event keep their objects in one place. */
export function collectionOf({ group, plural }: Pick<Resource, 'group' | 'plural'>): string {
  return group === '' || group === 'events.k8s.io' ? plural : `${group}/${plural}`
}

export function keyOf(namespace: string | undefined, name: string): string {
  return namespace === undefined ? name : `${namespace}/${name}`
}

export function aboutOf({ group, plural, kind }: Resource): About {
  return { group, plural, kind }
}
