import type { Key } from '../objects/objects.ts'

/** One change of a collection that is kept up to date. */
export type Change<T> =
  | { readonly type: 'added'; readonly object: T }
  | { readonly type: 'updated'; readonly object: T; readonly previous: T }
  | { readonly type: 'deleted'; readonly object: T }

/** A collection that is kept up to date and notifies of its changes. A `Cache` is one. */
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

/** Which keys to reconcile because of an object: its own, its owner's, those of all objects that refer to it. */
export type MapFunc<T> = (object: T) => Iterable<Key> | Key | undefined

/** A source whose objects are already mapped to keys: what a controller listens to. */
export interface KeySource {
  /** Gives the keys of all that is there now, then of all that changes, until the returned function is called. */
  subscribe(listener: KeyListener): () => void
}

export interface KeyListener {
  enqueue(key: Key): void
  /** An object could not be mapped. Given to the controller, which logs it, because the watch must go on. */
  onMapError(object: NamedObject, error: unknown): void
}

/**
 * Maps a source to keys.
 *
 *     enqueueFrom(services, (service) => ownerOf(service), { predicate: specChanged })
 *
 * An update enqueues the keys of the object as it was and as it is, so that an object that moves from one owner to
 * another enqueues both.
 *
 * @param options.predicate which changes enqueue anything, all unless given; what is there at the start counts as added.
 *   It is asked as often as there is a reason to, and must have no side effects.
 */
export function enqueueFrom<T extends NamedObject>(
  source: Source<T>,
  map: MapFunc<T>,
  { predicate = () => true }: { readonly predicate?: (change: Change<T>) => boolean } = {},
): KeySource {
  return {
    subscribe(listener) {
      const enqueueKeysOf = (object: T) => {
        try {
          for (const key of keysIn(map(object))) listener.enqueue(key)
        } catch (error) {
          listener.onMapError(object, error)
        }
      }
      const passes = (change: Change<T>) => {
        try {
          return predicate(change)
        } catch (error) {
          listener.onMapError(change.object, error)
          return true // Reconciling once too often does no harm.
        }
      }
      const onChange = (change: Change<T>) => {
        if (passes(change)) objectsIn(change).forEach(enqueueKeysOf)
      }
      return handleChanges(source, onChange).subscribe(listener)
    },
  }
}

/**
 * Calls a handler with all that is there now, as added, and with every change from then on; it enqueues nothing. For what
 * has to be kept of changes: predicates keep nothing. Listed before the source whose predicate asks for it, it
 * is called first.
 */
export function handleChanges<T extends NamedObject>(
  source: Source<T>,
  handle: (change: Change<T>) => void,
): KeySource {
  return {
    subscribe(listener) {
      const onChange = (change: Change<T>) => {
        try {
          handle(change)
        } catch (error) {
          listener.onMapError(change.object, error)
        }
      }
      for (const object of source.values()) onChange({ type: 'added', object })
      return source.subscribe(onChange)
    },
  }
}

/** Enqueues one key once in every term of leadership, so that it is reconciled even if no object refers to it. */
export function enqueueOnStart(key: Key): KeySource {
  return {
    subscribe(listener) {
      listener.enqueue(key)
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
