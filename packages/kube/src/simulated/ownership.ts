import type { ManagedFieldsEntry } from 'kubernetes-types/meta/v1'
import { isObject, isSameJson, valueIn } from '../objects/merge-patch.ts'

/** Who writes; `time` as `metav1.Time` is written. */
export interface FieldWriter {
  readonly manager: string
  readonly time: string
}

interface Owned {
  readonly apiVersion?: string
  readonly metadata?: { readonly managedFields?: ManagedFieldsEntry[] }
}

/**
 * `metadata.managedFields` after an update or a patch (other than apply): the writer owns what the write changed,
 * and no other manager does any more. What it changed in the status was written through that subresource.
 *
 * The API server knows from the schema of a kind which lists have keys and which maps are undivided; here a few names
 * of fields say it, which is as much as the operator's own objects need. The sandbox goes by the schemas.
 */
export function managedFieldsAfter(
  before: Owned | undefined,
  after: Owned,
  writer: FieldWriter,
): ManagedFieldsEntry[] {
  const entries = before?.metadata?.managedFields ?? []
  const old = partsOf(before ?? {})
  const now = partsOf(after)
  const main = booked(
    entries,
    differenceBetween('', old.main, now.main),
    identity(after, writer, ''),
    writer.time,
  )
  return booked(
    main,
    differenceBetween('', old.status, now.status),
    identity(after, writer, 'status'),
    writer.time,
  )
}

/** A set of fields, as it is kept in `fieldsV1`. */
type Tree = { [step: string]: Tree }

/** What differs, as sets of fields: what has another value now, and what is there no more. */
interface Difference {
  readonly written: Tree | undefined
  readonly removed: Tree | undefined
}

const nothing: Difference = { written: undefined, removed: undefined }

/** Identities and fields that only the server sets have no owner. */
const unowned = new Set([
  'name',
  'namespace',
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'managedFields',
])

type Fields = Readonly<Record<string, unknown>>

function partsOf(object: Owned): { readonly main: Fields; readonly status: Fields } {
  const main: Record<string, unknown> = {}
  const status: Record<string, unknown> = {}
  for (const field of Object.keys(object)) {
    if (field === 'apiVersion' || field === 'kind') continue
    const value = (object as Fields)[field]
    if (field === 'status') status[field] = value
    else main[field] = field === 'metadata' ? ownable(value as Fields) : value
  }
  return { main, status }
}

function ownable(metadata: Fields | undefined): Fields {
  const ownable: Record<string, unknown> = {}
  for (const field of Object.keys(metadata ?? {})) if (!unowned.has(field)) ownable[field] = metadata?.[field]
  return ownable
}

function differenceBetween(field: string, before: unknown, after: unknown): Difference {
  if (before === after) return nothing
  if (after === undefined) return { written: undefined, removed: {} }
  const keys = itemKeys[field]
  if (keys !== undefined && Array.isArray(after) && (isItems(before) || isItems(after)))
    return steps(itemsOf(before, keys), itemsOf(after, keys), true)
  if (isObject(after) && (isDivided(field, before) || isDivided(field, after)))
    return steps(fieldsOf(isObject(before) ? before : {}), fieldsOf(after), false)
  return isSameJson(before, after) ? nothing : { written: {}, removed: undefined }
}

interface Step {
  readonly field: string
  readonly value: unknown
}

function steps(
  before: ReadonlyMap<string, Step>,
  after: ReadonlyMap<string, Step>,
  areItems: boolean,
): Difference {
  let written: Tree | undefined
  let removed: Tree | undefined
  for (const [step, { field, value }] of after) {
    const old = before.get(step)
    const difference = differenceBetween(field, old?.value, value)
    // An item that is new was put there as a whole.
    const isNewItem = areItems && old === undefined
    if (isNewItem) (written ??= {})[step] = { '.': {}, ...difference.written }
    else if (difference.written !== undefined) (written ??= {})[step] = difference.written
    if (difference.removed !== undefined) (removed ??= {})[step] = difference.removed
  }
  for (const step of before.keys()) if (!after.has(step)) (removed ??= {})[step] = {}
  return { written, removed }
}

function fieldsOf(object: Fields): Map<string, Step> {
  const fields = new Map<string, Step>()
  for (const field of Object.keys(object)) {
    if (object[field] !== undefined) fields.set(`f:${field}`, { field, value: object[field] })
  }
  return fields
}

/** Maps that the server does not divide: a manager that changes an entry owns the whole map. */
const undivided = new Set(['nodeSelector', 'selector', 'labelSelector'])

function isDivided(field: string, value: unknown): boolean {
  return isObject(value) && !undivided.has(field) && Object.keys(value).length > 0
}

/** Lists whose items the server identifies by keys, as the OpenAPI document of Kubernetes says. */
const itemKeys: Readonly<Record<string, readonly string[]>> = {
  containers: ['name'],
  initContainers: ['name'],
  env: ['name'],
  volumes: ['name'],
  volumeMounts: ['mountPath'],
  ports: ['containerPort', 'port', 'protocol'],
  topologySpreadConstraints: ['topologyKey', 'whenUnsatisfiable'],
}

function isItems(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0 && value.every(isObject)
}

function itemsOf(list: unknown, keys: readonly string[]): Map<string, Step> {
  const items = new Map<string, Step>()
  for (const item of Array.isArray(list) ? list.filter(isObject) : []) {
    const key = Object.fromEntries(
      keys.filter((name) => Object.hasOwn(item, name)).map((name) => [name, valueIn(item, name)]),
    )
    items.set(`k:${JSON.stringify(key)}`, { field: '', value: item })
  }
  return items
}

type Identity = Pick<ManagedFieldsEntry, 'manager' | 'apiVersion' | 'subresource'>

function identity({ apiVersion }: Owned, { manager }: FieldWriter, subresource: string): Identity {
  return { manager, ...(apiVersion && { apiVersion }), ...(subresource && { subresource }) }
}

function booked(
  entries: ManagedFieldsEntry[],
  { written, removed }: Difference,
  writer: Identity,
  time: string,
): ManagedFieldsEntry[] {
  if (written === undefined && removed === undefined) return entries
  const result: ManagedFieldsEntry[] = []
  let own: ManagedFieldsEntry | undefined
  for (const entry of entries) {
    const isOwn = isEntryOf(entry, writer)
    let fields: Tree | undefined = (entry.fieldsV1 ?? {}) as Tree
    if (removed !== undefined) fields = without(fields, removed)
    if (!isOwn && written !== undefined && fields !== undefined) fields = without(fields, written)
    // A removal is dated too; the API server dates only writes that set something.
    if (isOwn)
      own = {
        ...entry,
        fieldsV1: fields ?? {},
        time: fields === entry.fieldsV1 ? (entry.time ?? time) : time,
      }
    else if (fields === entry.fieldsV1) result.push(entry)
    else if (fields !== undefined) result.push({ ...entry, fieldsV1: fields })
  }
  if (written !== undefined) {
    const fieldsV1 = union((own?.fieldsV1 ?? {}) as Tree, written)
    result.push({ ...writer, operation: 'Update', time, fieldsType: 'FieldsV1', fieldsV1 })
  } else if (own !== undefined && Object.keys(own.fieldsV1 ?? {}).length > 0) result.push(own)
  return result
}

function isEntryOf(entry: ManagedFieldsEntry, { manager, apiVersion, subresource }: Identity): boolean {
  return (
    entry.manager === manager &&
    entry.operation === 'Update' &&
    entry.apiVersion === apiVersion &&
    entry.subresource === subresource
  )
}

function union(tree: Tree, more: Tree): Tree {
  const result = { ...tree }
  for (const step of Object.keys(more)) {
    const [had, added] = [tree[step], more[step] ?? {}]
    result[step] = had === undefined ? added : union(had, added)
  }
  return result
}

/** Without these fields and what is below them; undefined where nothing is left. */
function without(tree: Tree, fields: Tree): Tree | undefined {
  let result: Tree | undefined
  for (const step of Object.keys(fields)) {
    const [had, taken] = [tree[step], fields[step] ?? {}]
    if (had === undefined) continue
    const isWhole = Object.keys(taken).length === 0
    const left = isWhole ? undefined : Object.keys(had).length === 0 ? had : without(had, taken)
    if (left === had) continue
    result ??= { ...tree }
    if (left === undefined) delete result[step]
    else result[step] = left
  }
  if (result === undefined) return tree
  return Object.keys(result).length === 0 ? undefined : result
}
