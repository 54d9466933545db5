import type { ObjectMeta } from 'kubernetes-types/meta/v1'

/** Anything that the API server stores. */
export interface KubeObject {
  apiVersion?: string
  kind?: string
  metadata?: ObjectMeta
}

/** An object as the API server returned it: what the server always sets is there. */
export type Persisted<T extends KubeObject = KubeObject> = T & {
  metadata: ObjectMeta & { name: string; uid: string; resourceVersion: string }
}

/**
 * A kind of object and, for the compiler, its TypeScript type. The path under which the server serves it is
 * found through discovery, unless it is one of the `builtInResources`.
 *
 *     const Ingress = kind<networking.Ingress>('networking.k8s.io/v1', 'Ingress')
 */
export interface Kind<T extends KubeObject = KubeObject> {
  readonly apiVersion: string
  readonly kind: string
  /** Never set: carries the type. */
  readonly object?: T
}

export function kind<T extends KubeObject>(apiVersion: string, kindName: string): Kind<T> {
  return { apiVersion, kind: kindName }
}

/** Which object of a kind. Objects of cluster-scoped kinds have no namespace. */
export interface ObjectRef {
  readonly namespace?: string | undefined
  readonly name: string
}

/** `namespace/name`, or `name` for a cluster-scoped object: what caches and queues know an object by. */
export type Key = string

export function keyOf({ namespace, name }: ObjectRef): Key {
  return namespace === undefined || namespace === '' ? name : `${namespace}/${name}`
}

export function keyOfObject({ metadata }: { readonly metadata: ObjectRef }): Key {
  return keyOf(metadata)
}

export function refOf(key: Key): ObjectRef {
  const slash = key.indexOf('/')
  return slash === -1 ? { name: key } : { namespace: key.slice(0, slash), name: key.slice(slash + 1) }
}

export function namespaceOf(key: Key): string {
  return key.slice(0, Math.max(0, key.indexOf('/')))
}

/** All the way down: objects in a cache are shared, so they must not be changed. */
export type DeepReadonly<T> = T extends (infer E)[]
  ? readonly DeepReadonly<E>[]
  : T extends object
    ? { readonly [P in keyof T]: DeepReadonly<T[P]> }
    : T
