import type { ObjectMeta } from 'kubernetes-types/meta/v1'

/** An object of any kind, as an API server keeps it: plain JSON. */
export interface StoredObject {
  apiVersion: string
  kind: string
  metadata: { -readonly [Field in keyof ObjectMeta]: ObjectMeta[Field] }
  [field: string]: unknown
}

/** Which collection: `services`, `apps/deployments`. Both groups of Event share one. */
export type Collection = string

/** One write, as watchers see it. */
export interface Entry {
  readonly revision: number
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'
  readonly collection: Collection
  readonly key: string
  /** As it is now; for a deletion, as it was last, at the version of the deletion. */
  readonly object: StoredObject
  readonly previous: StoredObject | undefined
}

/** The version asked for is no longer kept. */
export class CompactedError extends Error {
  override readonly name = 'CompactedError'
  /** The oldest version that is still kept. */
  readonly oldest: number
  constructor(oldest: number) {
    super(`compacted up to ${oldest}`)
    this.oldest = oldest
  }
}

/** How many writes are kept for watches that start late and lists that continue. */
const historyLimit = 10_000

/**
 * What etcd is to the API server, in memory: objects by key, one number that every write of anything counts up,
 * and the latest writes in order. Stored objects are never changed, only replaced.
 */
export class Storage {
  readonly #collections = new Map<Collection, Map<string, StoredObject>>()
  readonly #listeners = new Map<Collection, Set<(entry: Entry) => void>>()
  #history: Entry[] = []
  #revision: number
  #compactedTo: number

  /** @param revision the number after which the first write comes */
  constructor(revision = 1) {
    this.#revision = revision
    this.#compactedTo = revision - 1
  }

  /** Another one with the same objects and no history, which goes its own way from here. */
  fork(): Storage {
    const fork = new Storage(this.#revision)
    for (const [collection, objects] of this.#collections) fork.#collections.set(collection, new Map(objects))
    fork.#compactedTo = this.#revision
    return fork
  }

  /** The number of the latest write. */
  get revision(): number {
    return this.#revision
  }

  get(collection: Collection, key: string): StoredObject | undefined {
    return this.#collections.get(collection)?.get(key)
  }

  /** Everything whose key begins with `prefix`, in the order of the keys, as of a revision (now, unless given). */
  list(
    collection: Collection,
    prefix = '',
    revision = this.#revision,
  ): readonly (readonly [string, StoredObject])[] {
    const objects =
      revision === this.#revision ? this.#collection(collection) : this.#asOf(collection, revision)
    return [...objects]
      .filter(([key]) => key.startsWith(prefix))
      .sort(([one], [other]) => (one < other ? -1 : one > other ? 1 : 0))
  }

  /** Takes over an object with the version that it has elsewhere: that is no write, and subscribers are not notified. */
  load(collection: Collection, key: string, object: StoredObject): void {
    this.#collection(collection).set(key, object)
  }

  /** Creates or replaces; returns the object at its new version. */
  put(collection: Collection, key: string, object: StoredObject): StoredObject {
    const objects = this.#collection(collection)
    const previous = objects.get(key)
    const stored = this.#versioned(object)
    objects.set(key, stored)
    this.#record({
      type: previous === undefined ? 'ADDED' : 'MODIFIED',
      collection,
      key,
      object: stored,
      previous,
    })
    return stored
  }

  /** Returns the object as it was last, at the version of its deletion. */
  remove(collection: Collection, key: string): StoredObject | undefined {
    const objects = this.#collection(collection)
    const previous = objects.get(key)
    if (previous === undefined) return undefined
    objects.delete(key)
    const object = this.#versioned(previous)
    this.#record({ type: 'DELETED', collection, key, object, previous })
    return object
  }

  /** What was written to a collection after that revision. */
  since(collection: Collection, revision: number): readonly Entry[] {
    this.#refuseCompacted(revision)
    return this.#history.filter((entry) => entry.revision > revision && entry.collection === collection)
  }

  /** Calls back after each write, until the returned function is called. */
  subscribe(collection: Collection, listener: (entry: Entry) => void): () => void {
    const listeners = this.#listeners.get(collection) ?? new Set()
    this.#listeners.set(collection, listeners.add(listener))
    return () => void listeners.delete(listener)
  }

  /** Compacts: drops the history, as etcd does. */
  compact(): void {
    this.#history = []
    this.#compactedTo = this.#revision
  }

  #collection(collection: Collection): Map<string, StoredObject> {
    const objects = this.#collections.get(collection) ?? new Map<string, StoredObject>()
    this.#collections.set(collection, objects)
    return objects
  }

  #versioned(object: StoredObject): StoredObject {
    this.#revision += 1
    const resourceVersion = String(this.#revision)
    if (object.metadata.resourceVersion === resourceVersion) return object
    return { ...object, metadata: { ...object.metadata, resourceVersion } }
  }

  #record(entry: Omit<Entry, 'revision'>): void {
    const whole = { ...entry, revision: this.#revision }
    this.#history.push(whole)
    // Cut in large steps: to cut one off at each write would copy the history each time.
    if (this.#history.length > historyLimit * 1.5) {
      this.#history = this.#history.slice(-historyLimit)
      this.#compactedTo = (this.#history[0]?.revision ?? this.#revision) - 1
    }
    for (const listener of this.#listeners.get(entry.collection) ?? []) listener(whole)
  }

  /** A collection as it once was: today's, with the writes since then undone. */
  #asOf(collection: Collection, revision: number): Map<string, StoredObject> {
    const objects = new Map(this.#collection(collection))
    for (const { key, previous } of this.since(collection, revision).toReversed()) {
      if (previous === undefined) objects.delete(key)
      else objects.set(key, previous)
    }
    return objects
  }

  #refuseCompacted(revision: number): void {
    if (revision < this.#compactedTo) throw new CompactedError(this.#compactedTo)
  }
}
