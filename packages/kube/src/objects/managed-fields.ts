import type { ManagedFieldsEntry } from 'kubernetes-types/meta/v1'
import { isObject } from './merge-patch.ts'
import { parseTime } from './time.ts'

/**
 * Which manager set which field of an object, as the API server records it in `metadata.managedFields`. A field that
 * another manager changed after us is theirs, not ours: that is how "own only what you wrote" can be kept.
 */
interface Managed {
  readonly metadata?: { readonly managedFields?: readonly Readonly<ManagedFieldsEntry>[] }
}

/** The fields of one object that a manager set, and those below them; computed lazily. */
export class OwnedFields {
  readonly #find: () => readonly unknown[]
  #found: readonly unknown[] | undefined

  constructor(find: () => readonly unknown[]) {
    this.#find = find
  }

  get #trees(): readonly unknown[] {
    this.#found ??= this.#find()
    return this.#found
  }

  /** Whether the manager set this field, or something in it. */
  has(field: string): boolean {
    return this.#trees.some((tree) => isObject(tree) && Object.hasOwn(tree, `f:${field}`))
  }

  in(field: string): OwnedFields {
    return new OwnedFields(() => this.#trees.flatMap((tree) => (isObject(tree) ? [tree[`f:${field}`]] : [])))
  }

  /** Of an item in a list whose items have keys. */
  ofItem(item: object): OwnedFields {
    return new OwnedFields(() =>
      this.#trees.flatMap((tree) =>
        itemsOf(tree).flatMap(({ keys, part }) => (isItem(item, keys) ? [part] : [])),
      ),
    )
  }

  /** Whether the manager set it and it is atomic: the last writer of such a map owns all of it. */
  get isUndivided(): boolean {
    return this.#trees.some((tree) => isObject(tree) && Object.keys(tree).length === 0)
  }

  /** Whether the manager put the whole thing there, rather than a field into what was there. */
  get isWhole(): boolean {
    return this.#trees.some((tree) => isObject(tree) && Object.hasOwn(tree, '.'))
  }
}

/** What a manager owns of an object, by its writes to the object itself or to one of its subresources. */
export function fieldsOwnedBy(manager: string, object: Managed, subresource = ''): OwnedFields {
  return new OwnedFields(() => entriesOfManager(manager, object, subresource).map(({ fieldsV1 }) => fieldsV1))
}

/** When a manager last changed something in an object, its subresources aside. */
export function lastWriteBy(manager: string, object: Managed): Date | undefined {
  const times = entriesOfManager(manager, object, '').flatMap(({ time }) => parseTime(time) ?? [])
  return times.sort((one, other) => other.getTime() - one.getTime())[0]
}

/** When a field, or something in it, was last changed by any of those who set it: by the API server's clock. */
export function lastChangeOf(path: readonly string[], { metadata }: Managed): Date | undefined {
  const times = (metadata?.managedFields ?? [])
    .filter((entry) => holds(entry, path))
    .flatMap(({ time }) => parseTime(time) ?? [])
  return times.sort((one, other) => other.getTime() - one.getTime())[0]
}

function holds({ fieldsV1 }: Readonly<ManagedFieldsEntry>, path: readonly string[]): boolean {
  return path
    .slice(0, -1)
    .reduce((fields, field) => fields.in(field), new OwnedFields(() => [fieldsV1]))
    .has(path.at(-1) ?? '')
}

/** The other managers that set a field, or something in it; the last one first. */
export function otherManagersOf(path: readonly string[], manager: string, { metadata }: Managed): string[] {
  return (metadata?.managedFields ?? [])
    .filter((entry) => entry.manager !== manager && holds(entry, path))
    .toSorted((one, other) => ((one.time ?? '') < (other.time ?? '') ? 1 : -1))
    .flatMap((entry) => entry.manager ?? [])
}

function entriesOfManager(
  manager: string,
  { metadata }: Managed,
  subresource: string,
): Readonly<ManagedFieldsEntry>[] {
  return (metadata?.managedFields ?? []).filter(
    (entry) => entry.manager === manager && (entry.subresource ?? '') === subresource,
  )
}

/** The part of a tree that is about one item of a list, and by what the item is known. */
interface Item {
  readonly keys: readonly (readonly [string, unknown])[]
  readonly part: unknown
}

/** Objects in a store never change, and are looked at again with each decision: their keys are read once. */
const itemsRead = new WeakMap<object, readonly Item[]>()

function itemsOf(tree: unknown): readonly Item[] {
  if (!isObject(tree)) return []
  const known = itemsRead.get(tree)
  if (known !== undefined) return known
  const items = Object.entries(tree).flatMap(([key, part]): Item[] =>
    key.startsWith('k:') ? [{ keys: Object.entries(JSON.parse(key.slice(2)) as object), part }] : [],
  )
  itemsRead.set(tree, items)
  return items
}

/** `k:{"name":"router"}` names the item whose name is router. */
function isItem(item: object, keys: Item['keys']): boolean {
  return keys.every(([field, value]) => (item as Record<string, unknown>)[field] === value)
}
