import type { Storage } from '@portcullis/kube'
import { timestamp } from '@portcullis/kube'
import type { AnyObject } from '@portcullis/schema'
import type { Resource } from '../resource.ts'
import type { FieldManagement } from '../server/field-management.ts'
import type { ResourceTable } from '../server/resource-table.ts'
import { collectionOf } from '../server/storage-key.ts'
import { statusWithNames } from './accepted-names.ts'
import { resourcesOf } from './custom-resource.ts'
import { type Definition, type DefinitionStatus, isEstablished } from './definition.ts'
import { cleanupFinalizer } from './definition-resource.ts'

/** As whom the server writes what it finds out itself. */
const manager = 'kube-apiserver'

export interface DefinitionServing {
  readonly storage: Storage
  readonly resources: ResourceTable
  /** CustomResourceDefinition itself. */
  readonly definitions: Resource
  readonly fields: FieldManagement
  readonly now: () => Date
}

/**
 * Serves what the stored definitions define: accepts their names, marks them established, adds their resources,
 * and takes them away with everything of the kind when a definition is deleted.
 */
export function serveDefinitions(serving: DefinitionServing): () => void {
  const { storage, resources, definitions, now } = serving
  const collection = collectionOf(definitions)
  const refresh = () => {
    const stored = storage.list(collection).map(([, object]) => object as Definition)
    resources.replaceCustom(stored.filter(isEstablished).flatMap(resourcesOf))
  }
  return storage.subscribe(collection, ({ type, key, object }) => {
    const definition = object as Definition
    if (type !== 'DELETED') {
      // After the answer to the write that is under way, as the real server's controllers do it.
      queueMicrotask(() => {
        if (storage.get(collection, key)?.metadata.resourceVersion !== definition.metadata.resourceVersion)
          return
        if (definition.metadata.deletionTimestamp === undefined)
          acceptNames(serving, key, definition, timestamp(now()))
        else cleanUp(storage, collection, key, definition)
      })
    }
    refresh()
  })
}

/** Two writes, as others see them: the names are accepted, and then the kind is served. */
function acceptNames(serving: DefinitionServing, key: string, definition: Definition, now: string): void {
  const { storage, definitions } = serving
  const others = storage
    .list(collectionOf(definitions))
    .map(([, object]) => object as Definition)
    .filter(({ metadata }) => metadata.uid !== definition.metadata.uid)
  const status = statusWithNames(definition, others, now)
  if (status === definition.status) return
  const isNew = !isEstablished(definition) && isEstablished({ ...definition, status })
  if (isNew) writeStatus(serving, key, definition, installing(status))
  const present = storage.get(collectionOf(definitions), key) as Definition
  writeStatus(serving, key, present, status)
}

function installing(status: DefinitionStatus): DefinitionStatus {
  const conditions = (status.conditions ?? []).map((condition) =>
    condition.type === 'Established'
      ? { ...condition, status: 'False' as const, reason: 'Installing' }
      : condition,
  )
  return { ...status, conditions }
}

function writeStatus(
  { storage, definitions, fields }: DefinitionServing,
  key: string,
  old: Definition,
  status: DefinitionStatus,
): void {
  const object = { ...old, metadata: { ...old.metadata }, status } as AnyObject
  const options = { dryRun: false, fieldValidation: 'Ignore', manager, force: false } as const
  fields.track({ object, old, resource: definitions, subresource: 'status', options })
  storage.put(collectionOf(definitions), key, object)
}

function cleanUp(storage: Storage, collection: string, key: string, { spec, metadata }: Definition): void {
  const instances = `${spec.group}/${spec.names.plural}`
  for (const [instance] of storage.list(instances)) storage.remove(instances, instance)
  const others = (metadata.finalizers ?? []).filter((finalizer) => finalizer !== cleanupFinalizer)
  if (others.length === 0) storage.remove(collection, key)
}
