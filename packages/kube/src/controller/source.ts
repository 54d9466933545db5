import type { Key } from '../objects/objects.ts'

/** One change of a collection that is kept up to date. */
export type Change<T> =
  | { readonly type: 'added'; readonly object: T }
  | { readonly type: 'updated'; readonly object: T; readonly previous: T }
  | { readonly type: 'deleted'; readonly object: T }

/** A collection that is kept up to date and tells of its changes. A `Store` is one. */
export interface Source<T> {
  values(): Iterable<T>
  /** Calls back with every change from now on, until the returned function is called. */
  subscribe(listener: (change: Change<T>) => void): () => void
}

/** What an object must have so that a log line can name it. */
export interface NamedObject {
  readonly kind?: string | undefined
  readonly metadata: { readonly namespace?: string | undefined; readonly name: string }
}

/** Which keys to reconcile because of an object: its own, its owner's, those of all who refer to it. */
export type MapFunc<T> = (object: T) => Iterable<Key> | Key | undefined

/** A source whose objects are already mapped to keys: what a controller listens to. */
export interface KeySource {
  /** Gives the keys of all that is there now, then of all that changes, until the returned function is called. */
  subscribe(listener: KeyListener): () => void
}

export interface KeyListener {
  wake(key: Key): void
  /** An object could not be mapped. Given to the controller, which logs it, because the watch must go on. */
  onMapError(object: NamedObject, error: unknown): void
}

/**
 * Maps a source to keys.
 *
 *     from(services, (service) => ownerOf(service), { when: specChanged })
 *
 * An update wakes the keys of the object as it was and as it is, so that an object that moves from one owner to
 * another wakes both.
 *
 * @param options.when which changes count, all unless given; what is there at the start counts as added
 */
export function from<T extends NamedObject>(
  source: Source<T>,
  keysOf: MapFunc<T>,
  { when = () => true }: { readonly when?: (change: Change<T>) => boolean } = {},
): KeySource {
  return {
    subscribe(listener) {
      const wakeKeysOf = (object: T) => {
        try {
          for (const key of keysIn(keysOf(object))) listener.wake(key)
        } catch (error) {
          listener.onMapError(object, error)
        }
      }
      const counts = (change: Change<T>) => {
        try {
          return when(change)
        } catch (error) {
          listener.onMapError(change.object, error)
          return true // Reconciling once too often does no harm.
        }
      }
      const onChange = (change: Change<T>) => {
        if (counts(change)) objectsIn(change).forEach(wakeKeysOf)
      }
      for (const object of source.values()) onChange({ type: 'added', object })
      return source.subscribe(onChange)
    },
  }
}

/** Wakes one key once in every term, so that it is looked at even if nothing speaks of it. */
export function enqueueOnStart(key: Key): KeySource {
  return {
    subscribe(listener) {
      listener.wake(key)
      return () => {}
    },
  }
}

function objectsIn<T>(change: Change<T>): readonly T[] {
  return change.type === 'updated' ? [change.previous, change.object] : [change.object]
}

function keysIn(keys: Iterable<Key> | Key | undefined): Iterable<Key> {
  if (keys === undefined) return []
  return typeof keys === 'string' ? [keys] : keys
}
