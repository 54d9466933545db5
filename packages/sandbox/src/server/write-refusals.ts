import type { Storage } from '@portcullis/kube'
import type { AnyObject, FieldError } from '@portcullis/schema'
import type { Resource } from '../resource.ts'
import {
  badRequest,
  conflict,
  forbidden,
  internalError,
  invalid,
  modifiedMeanwhile,
  notFound,
  StatusError,
} from './api-status.ts'
import type { DeleteOptions, WriteTarget } from './registry.ts'
import { aboutOf, keyOf } from './storage-key.ts'

type CollectionRef = Pick<WriteTarget, 'resource' | 'namespace'>
type WriteContext = Pick<WriteTarget, 'resource' | 'subresource' | 'isPatch'>

export function refuseForeignNamespace({ metadata }: AnyObject, namespace: string | undefined): void {
  if (!metadata.namespace || metadata.namespace === namespace) return
  throw badRequest('the namespace of the provided object does not match the namespace sent on the request')
}

export function refuseMissingNamespace(
  { resource, namespace }: CollectionRef,
  { metadata }: AnyObject,
  storage: Storage,
): void {
  if (namespace === undefined) return
  const found = storage.get('namespaces', namespace)
  if (found === undefined) throw notFound({ group: '', plural: 'namespaces', kind: 'Namespace' }, namespace)
  if (found.metadata.deletionTimestamp === undefined) return
  const problem = `unable to create new content in namespace ${namespace} because it is being terminated`
  const { status } = forbidden(aboutOf(resource), metadata.name ?? '', problem)
  throw new StatusError(403, 'Forbidden', status.message ?? problem, {
    ...status.details,
    causes: [
      {
        reason: 'NamespaceTerminating',
        message: `namespace ${namespace} is being terminated`,
        field: 'metadata.namespace',
      },
    ],
  })
}

export function refuseSystemNamespace(resource: Resource, name: string): void {
  if (!['default', 'kube-system', 'kube-public'].includes(name)) return
  throw forbidden(aboutOf(resource), name, 'this namespace may not be deleted')
}

export function refuseStale(
  { resource, subresource, isPatch = false }: WriteContext,
  object: AnyObject,
  old: AnyObject,
  name: string,
): void {
  const { uid, resourceVersion } = object.metadata
  const about = aboutOf(resource)
  refuseMalformedVersion(object)
  if (!resourceVersion && resource.behaviour.needsVersionOnUpdate && subresource !== 'scale') {
    const problem = 'Invalid value: 0: must be specified for an update'
    throw invalid({ ...about, kind: about.plural }, name, [
      { reason: 'FieldValueInvalid', field: 'metadata.resourceVersion', message: problem },
    ])
  }
  if (resourceVersion && resourceVersion !== old.metadata.resourceVersion)
    throw conflict(about, name, modifiedMeanwhile)
  if (uid && !isPatch && uid !== old.metadata.uid)
    throw conflict(about, name, uidMismatch(resource, old.metadata, uid))
}

export function refuseUnmetPreconditions(
  resource: Resource,
  { metadata }: AnyObject,
  { preconditions = {} }: DeleteOptions,
): void {
  const about = { ...aboutOf(resource), group: groupKept(resource), plural: resource.kind }
  const { uid, resourceVersion } = preconditions
  if (uid !== undefined && uid !== metadata.uid) {
    const problem = `the UID in the precondition (${uid}) does not match the UID in record (${metadata.uid}). The object might have been deleted and then recreated`
    throw conflict(about, metadata.name ?? '', problem)
  }
  if (resourceVersion !== undefined && resourceVersion !== metadata.resourceVersion) {
    const problem = `the ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in record (${metadata.resourceVersion}). The object might have been modified`
    throw conflict(about, metadata.name ?? '', problem)
  }
}

export function refuseMalformedVersion({ metadata: { resourceVersion } }: AnyObject): void {
  if (!resourceVersion || /^\d+$/.test(resourceVersion)) return
  const problem = `strconv.ParseUint: parsing ${JSON.stringify(resourceVersion)}: invalid syntax`
  throw new StatusError(500, '', problem)
}

/** An Event is validated and stored as a core one, whichever API group it comes by. */
function groupKept({ kept, group }: Resource): string {
  return kept === undefined ? group : ''
}

/** @param warnings sent with the refusal */
export function refuseInvalid(
  resource: Resource,
  object: AnyObject,
  errors: readonly FieldError[],
  warnings: readonly string[] = [],
): void {
  const about = { ...aboutOf(resource), group: groupKept(resource), kind: object.kind }
  const unknown = errors.find(({ reason }) => reason === 'Unknown')
  if (unknown !== undefined) throw new StatusError(500, '', unknown.message)
  const internal = errors.find(({ reason }) => reason === 'InternalError')
  if (internal !== undefined) throw internalError(internal.message.replace('Internal error: ', ''))
  if (errors.length === 0) return
  const refusal = invalid(about, object.metadata.name ?? '', errors)
  refusal.warnings = warnings
  throw refusal
}

/** Where the real server keeps built-in kinds whose places are older than their names. */
const oldPlaces: Readonly<Record<string, string>> = {
  services: 'services/specs',
  endpoints: 'services/endpoints',
  nodes: 'minions',
  ingresses: 'ingress',
}

export function uidMismatch(
  resource: Resource,
  found: { name?: string | undefined; namespace?: string | undefined; uid?: string | undefined },
  uid: string,
): string {
  const { group, plural, isCustom } = resource
  const isGrouped = isCustom || group === 'apiextensions.k8s.io'
  const kept = isGrouped ? `${group}/${plural}` : (oldPlaces[plural] ?? plural)
  const key = `/registry/${kept}/${keyOf(found.namespace, found.name ?? '')}`
  return `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: ${uid}, UID in object meta: ${found.uid ?? ''}`
}
