import type { Clock, Random, Storage } from '@portcullis/kube'
import { type KubernetesSchemas, loadKubernetesSchemas, type Schema } from '@portcullis/schema'
import { definitionResource } from './crd/definition-resource.ts'
import { serveDefinitions } from './crd/definitions.ts'
import { builtInResources } from './kinds/built-in.ts'
import type { ClusterView, Resource } from './resource.ts'
import { BodyReader } from './server/body-reader.ts'
import { bootstrap } from './server/bootstrap.ts'
import { FieldManagement } from './server/field-management.ts'
import { PatchReader } from './server/patch-reader.ts'
import { Registry } from './server/registry.ts'
import { ResourceHandler } from './server/resource-handler.ts'
import { ResourceTable } from './server/resource-table.ts'
import { reviewResources } from './server/review-resources.ts'
import { collectionOf, keyOf } from './server/storage-key.ts'
import { newUid } from './server/uid.ts'

/** What is served, and by which schemas it is read: takes long to load, and knows of no object. */
export interface ServedKinds {
  readonly schemas: KubernetesSchemas
  readonly schemaOf: (group: string, version: string, kind: string) => Schema
  /** CustomResourceDefinition itself. */
  readonly definitions: Resource
  /** Those that definitions add while it runs included. */
  readonly resources: ResourceTable
}

export function servedKinds(): ServedKinds {
  const schemas = loadKubernetesSchemas()
  const schemaOf = (group: string, version: string, kind: string) =>
    schemas.lookup({ group, version, kind }) ?? {}
  const definitions = definitionResource(schemaOf('apiextensions.k8s.io', 'v1', 'CustomResourceDefinition'))
  const resources = new ResourceTable([
    ...builtInResources(schemaOf),
    ...reviewResources(schemaOf),
    definitions,
  ])
  return { schemas, schemaOf, definitions, resources }
}

export interface ApiOptions {
  readonly kinds: ServedKinds
  /** What a new cluster has from the start is added if it is empty. */
  readonly storage: Storage
  readonly clock: Clock
  readonly random: Random
}

/** All of an API server that answers requests, without the network before it. */
export function assembleApi({ kinds, storage, clock, random }: ApiOptions) {
  const { schemas, schemaOf, definitions, resources } = kinds
  const now = () => clock.now()
  const cluster: ClusterView = {
    now,
    random,
    get: (resource, { namespace, name }) => storage.get(collectionOf(resource), keyOf(namespace, name)),
    list: (resource, namespace) =>
      storage
        .list(collectionOf(resource), namespace === undefined ? '' : `${namespace}/`)
        .map(([, object]) => object),
  }
  const registry = new Registry({ storage, cluster, newUid: () => newUid(random) })
  const fields = new FieldManagement(now)
  serveDefinitions({ storage, resources, definitions, fields, now })
  if (storage.list('namespaces').length === 0) bootstrap(registry, resources)
  const bodies = new BodyReader(schemas)
  const patches = new PatchReader(schemas)
  const handler = new ResourceHandler({ storage, registry, clock, bodies, patches, fields })
  return { handler, registry, resources, storage, cluster, bodies, fields, schemaOf }
}
