import type { Kind, KubeObject, ObjectRef, Persisted } from '../objects/objects.ts'

/**
 * What can be asked of an API server. `Client` does it over the network; whatever needs only a verb or two takes
 * `Pick<KubeApi, 'get' | 'patch'>`, which a test fakes in three lines.
 */
export interface KubeApi {
  get<T extends KubeObject>(kind: Kind<T>, ref: ObjectRef, options?: RequestOptions): Promise<Persisted<T>>
  /** All pages, gathered. */
  list<T extends KubeObject>(kind: Kind<T>, options?: ListOptions): Promise<ObjectList<T>>
  /** One page after the other, all of one version of the collection. */
  pages<T extends KubeObject>(kind: Kind<T>, options?: ListOptions): AsyncIterable<ObjectList<T>>
  create<T extends KubeObject>(kind: Kind<T>, object: T, options?: WriteOptions): Promise<Persisted<T>>
  /** Replaces the whole object. With `metadata.resourceVersion` set, only if it was not written since. */
  replace<T extends KubeObject>(kind: Kind<T>, object: T, options?: WriteOptions): Promise<Persisted<T>>
  patch<T extends KubeObject>(
    kind: Kind<T>,
    ref: ObjectRef,
    patch: Patch,
    options?: WriteOptions,
  ): Promise<Persisted<T>>
  /** Patches without reading the response, for callers that watch the object: the server is asked for its metadata only. */
  patchMetadataOnly(kind: Kind, ref: ObjectRef, patch: Patch, options?: WriteOptions): Promise<void>
  delete<T extends KubeObject>(kind: Kind<T>, ref: ObjectRef, options?: DeleteOptions): Promise<void>
  /** The raw stream of one watch request; `watch()` in watch.ts is the one that never ends. */
  watchOnce<T extends KubeObject>(kind: Kind<T>, options: WatchOnceOptions): Promise<WatchStream<T>>
}

export interface RequestOptions {
  readonly subresource?: 'status' | 'scale' | (string & {})
  /**
   * The most that one call may take, retries included, once it is its turn. 30 seconds by default. How
   * long it waits for its turn, while the server is overloaded, only `signal` limits.
   */
  readonly timeoutMs?: number
  /** A Retry-After of the server is an error instead of a wait: for requests that must be decided again by then. */
  readonly noRetry?: boolean
  readonly signal?: AbortSignal | undefined
}

export interface Selection {
  /** All namespaces when there is none. */
  readonly namespace?: string | undefined
  readonly labelSelector?: string | undefined
  readonly fieldSelector?: string | undefined
}

/** Which objects may be read without their very long lists. */
export interface ElideOptions {
  /**
   * Where it is false for an object, the caller keeps only facts of it: very long lists in it may be cut short
   * before they are parsed.
   */
  readonly isKeptWhole?: ((object: Persisted) => boolean) | undefined
}

export interface ListOptions extends RequestOptions, Selection, ElideOptions {
  /** Objects in a page at most; 0 for all in one. Pages of large objects have fewer. */
  readonly pageSize?: number
}

export interface WriteOptions extends RequestOptions {
  readonly fieldManager?: string
  readonly fieldValidation?: 'Strict' | 'Warn' | 'Ignore'
  /** Everything is checked and answered, nothing is stored. */
  readonly dryRun?: boolean
}

export interface DeleteOptions extends RequestOptions {
  /** Delete only this very object: 409 when it has been replaced or changed. */
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string }
  readonly propagation?: 'Foreground' | 'Background' | 'Orphan'
  readonly gracePeriodSeconds?: number
  readonly dryRun?: boolean
}

export type Patch =
  | { readonly type: 'merge'; readonly body: object }
  | { readonly type: 'strategic'; readonly body: object }
  | { readonly type: 'json'; readonly body: readonly JsonPatchOperation[] }
  /** Server-side apply: `body` is all that we want to own. Needs `fieldManager`. */
  | { readonly type: 'apply'; readonly body: object; readonly force?: boolean }

export interface JsonPatchOperation {
  readonly op: 'add' | 'remove' | 'replace' | 'test' | 'move' | 'copy'
  readonly path: string
  readonly from?: string
  readonly value?: unknown
}

export interface ObjectList<T extends KubeObject> {
  readonly resourceVersion: string
  readonly items: Persisted<T>[]
}

export interface WatchOnceOptions extends Selection, ElideOptions {
  /**
   * Only what happened after this version. Without one, all existing objects come first, as if they had just been added,
   * and then a bookmark for which `isEndOfInitialEvents` holds. Servers before Kubernetes 1.34 may refuse that.
   */
  readonly resourceVersion?: string | undefined
  /** After which the server ends the stream by itself. */
  readonly timeoutSeconds: number
  readonly signal: AbortSignal
}

export type WatchStream<T extends KubeObject> = AsyncIterable<WatchEvent<T>[]>

/** One line of a watch, as the server sends it. */
export type WatchEvent<T extends KubeObject> =
  | ObjectEvent<T>
  | { readonly type: 'ERROR'; readonly object: Status }

/** A change of an object, or a bookmark. */
export interface ObjectEvent<T extends KubeObject> {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK'
  readonly object: Persisted<T>
}

/** Whether this event ends the initial events of a watch without a version. */
export function isEndOfInitialEvents<T extends KubeObject>(event: WatchEvent<T>): event is ObjectEvent<T> {
  const { type, object } = event
  return type === 'BOOKMARK' && object.metadata.annotations?.['k8s.io/initial-events-end'] === 'true'
}

/** `meta/v1 Status`: how the API server reports an error. */
export interface Status {
  readonly code?: number
  readonly reason?: string
  readonly message?: string
  readonly details?: {
    readonly name?: string
    readonly retryAfterSeconds?: number
    readonly causes?: readonly {
      readonly field?: string
      readonly message?: string
      readonly reason?: string
    }[]
  }
}

/** Permission to write, asked at the last moment before a write leaves the machine. */
export interface WriteGuard {
  /** Milliseconds for which the permission surely holds; throws when there is none. */
  check(): number
  /** Aborts when the permission is lost: writes in flight are then cut off. */
  readonly signal: AbortSignal
}
