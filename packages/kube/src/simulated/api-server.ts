import { isBeingDeleted } from '../objects/finalizers.ts'
import type { MergePatch } from '../objects/merge-patch.ts'
import { type Key, keyOf } from '../objects/objects.ts'
import type { Collection, Storage, StoredObject } from './storage.ts'
import { createdObject, type Defaults, deletedObject, isFinalized, patchedObject } from './writes.ts'

export interface SimulatedApiServerOptions {
  /** Where objects are; everybody may read there, and subscribe to what is written. */
  readonly storage: Pick<Storage, 'get' | 'put' | 'remove'>
  readonly now: () => Date
  readonly newUid: () => string
  /** What is filled in after each write, whatever the kind. */
  readonly defaults?: Defaults<StoredObject>
}

/** Which object a write is meant for, beyond its name, and who writes. */
export interface WriteOptions {
  /** None where a part of the server writes: then no manager owns what it wrote. */
  readonly manager?: string | undefined
  /** An object that has this name and another uid is left alone. */
  readonly uid?: string | undefined
}

/**
 * The writes of an API server, carried out in the moment in which they are asked for: no network, no schemas, nobody
 * refused. `plan` tries changes on it, the fixtures of tests and the quick writes of the fault campaign go through it.
 * What an API server validates is in the sandbox.
 *
 * Objects and patches are taken as they are: send them through `asReceived` where they were never JSON.
 */
export class SimulatedApiServer {
  readonly #storage: SimulatedApiServerOptions['storage']
  readonly #now: () => Date
  readonly #newUid: () => string
  readonly #defaults: Defaults<StoredObject> | undefined

  constructor({ storage, now, newUid, defaults }: SimulatedApiServerOptions) {
    this.#storage = storage
    this.#now = now
    this.#newUid = newUid
    this.#defaults = defaults
  }

  /** Throws where there is one of this name already. */
  create(collection: Collection, object: StoredObject, { manager }: WriteOptions): StoredObject {
    const key = keyOf({ ...object.metadata, name: object.metadata.name ?? '' })
    const present = this.#storage.get(collection, key)
    if (present !== undefined) {
      const why = isBeingDeleted(present) ? ' and is being deleted' : ''
      throw new Error(`${object.kind} ${key} already exists${why}.`)
    }
    const writer = { manager, now: this.#now() }
    return this.#storage.put(collection, key, createdObject(object, this.#newUid(), writer, this.#defaults))
  }

  /**
   * The object as it is then: the very same one where the patch changes nothing, and where the patch takes the last
   * finalizer away, as it was last. Undefined where there is no such object.
   */
  patch(
    collection: Collection,
    key: Key,
    patch: MergePatch,
    { manager, uid }: WriteOptions = {},
  ): StoredObject | undefined {
    const before = this.#find(collection, key, uid)
    if (before === undefined) return undefined
    const after = patchedObject(before, patch, { manager, now: this.#now() }, this.#defaults)
    if (after === before) return before
    if (!isFinalized(after)) return this.#storage.put(collection, key, after)
    this.#storage.remove(collection, key)
    return after
  }

  /** The object as it waits for its finalizers; undefined where it is gone. */
  delete(
    collection: Collection,
    key: Key,
    { uid }: Pick<WriteOptions, 'uid'> = {},
  ): StoredObject | undefined {
    const before = this.#find(collection, key, uid)
    if (before === undefined) return undefined
    const waiting = deletedObject(before, this.#now())
    if (waiting === undefined) this.#storage.remove(collection, key)
    else if (waiting !== before) return this.#storage.put(collection, key, waiting)
    return waiting
  }

  #find(collection: Collection, key: Key, uid: string | undefined): StoredObject | undefined {
    const found = this.#storage.get(collection, key)
    return uid === undefined || uid === found?.metadata.uid ? found : undefined
  }
}
