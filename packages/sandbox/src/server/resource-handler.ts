import type { Clock, Storage } from '@portcullis/kube'
import { isSameJson } from '@portcullis/kube'
import { type AnyObject, cloneJson } from '@portcullis/schema'
import type { Resource, User } from '../resource.ts'
import { methodNotAllowed, methodNotSupported, notFound, StatusError, unknownPath } from './api-status.ts'
import type { BodyReader } from './body-reader.ts'
import { readDeleteOptions } from './delete-options.ts'
import type { FieldManagement } from './field-management.ts'
import { isTrue, readListOptions } from './list-options.ts'
import { listPage, refuseFuture } from './lister.ts'
import { finalizedNamespace } from './namespace-finalize.ts'
import { refuseRenaming } from './object-name.ts'
import { dropRepeatedOwners } from './owner-references.ts'
import { type PatchReader, patchTypeOf } from './patch-reader.ts'
import { boundPod } from './pod-binding.ts'
import type { Deletion, Registry, WriteResult, WriteTarget } from './registry.ts'
import { formWanted, type Included, Representation } from './representation.ts'
import type { ResourcePath } from './request-info.ts'
import { builtInScalePaths, refuseUnscalable, scaleColumns, scaleKind, scaleOf } from './scale.ts'
import { ScaleWriter } from './scale-writer.ts'
import { aboutOf, collectionOf, keyOf } from './storage-key.ts'
import { startWatch, type WatchLine, type WatchSource } from './watcher.ts'
import { readWriteOptions, type WriteOptions } from './write-options.ts'

/** A request for a resource, taken apart. */
export interface ApiRequest {
  readonly method: string
  readonly path: ResourcePath
  readonly resource: Resource
  readonly query: URLSearchParams
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: string
  readonly user: User
}

/** What to answer: an object, or a stream of events. */
export type ApiResponse =
  | { readonly code: number; readonly body: object; readonly warnings: readonly string[] }
  | {
      readonly watch: (send: (line: WatchLine) => void) => () => void
      readonly timeoutSeconds: number | undefined
    }

/** Answers requests for resources, each verb as the API server does it. */
export class ResourceHandler {
  readonly #storage: Storage
  readonly #registry: Registry
  readonly #clock: Clock
  readonly #bodies: BodyReader
  readonly #patches: PatchReader
  readonly #fields: FieldManagement
  readonly #scales: ScaleWriter

  constructor(parts: {
    storage: Storage
    registry: Registry
    clock: Clock
    bodies: BodyReader
    patches: PatchReader
    fields: FieldManagement
  }) {
    this.#storage = parts.storage
    this.#registry = parts.registry
    this.#clock = parts.clock
    this.#bodies = parts.bodies
    this.#patches = parts.patches
    this.#fields = parts.fields
    this.#scales = new ScaleWriter(parts)
  }

  handle(request: ApiRequest): ApiResponse {
    const { method, path, resource } = request
    if (path.subresource !== undefined && !resource.subresources.includes(path.subresource)) {
      throw resource.isCustom ? notFound(aboutOf(resource), path.name ?? '') : unknownPath()
    }
    const special = this.#special(request)
    if (special !== undefined) return special
    const verb = verbs[`${method} ${path.name === undefined ? 'collection' : 'object'}`]
    if (verb === undefined || (resource.namespaced && path.namespace === undefined && method !== 'GET')) {
      throw methodNotAllowed()
    }
    if (verb === 'delete' && path.subresource !== undefined)
      throw resource.isCustom ? methodNotSupported(aboutOf(resource), verb) : methodNotAllowed()
    return withDeprecation(this[verb](request), resource)
  }

  get(request: ApiRequest): ApiResponse {
    const { path, query, resource } = request
    const name = path.name ?? ''
    if (isTrue(query.get('watch'))) return this.list(request)
    refuseFuture(this.#storage, Number(query.get('resourceVersion') ?? 0))
    return ok(200, this.#shown(request, this.#present(resource, this.#stored(request, name))))
  }

  list(request: ApiRequest): ApiResponse {
    const { path, query, resource } = request
    const options = readListOptions(query, resource, path.name)
    const representation = this.#representation(request)
    const { namespace } = path
    if (!options.isWatch) {
      const { objects, metadata } = listPage(this.#storage, resource, namespace, options)
      const shown = objects.map((object) => visible(resource, this.#present(resource, object)))
      return ok(200, representation.list(shown, metadata))
    }
    const represent: WatchSource['represent'] = (object, { isFirst, isAsKept }) => {
      const presented = this.#present(resource, object)
      return representation.event(isAsKept ? presented : visible(resource, presented), isFirst)
    }
    const source = { storage: this.#storage, resource, namespace, options, clock: this.#clock, represent }
    return { watch: (send) => startWatch({ ...source, send }), timeoutSeconds: options.timeoutSeconds }
  }

  create(request: ApiRequest): ApiResponse {
    const { resource, query, headers } = request
    const options = readWriteOptions(query, 'CreateOptions', {
      userAgent: headers['user-agent'],
      isApply: false,
    })
    const { object, warnings } = this.#read(request, options)
    if (resource.review !== undefined) {
      this.#fields.track({ object, old: undefined, resource, subresource: undefined, options })
      return ok(201, resource.review(object, request.user, this.#clock.now()), warnings)
    }
    const created = warning(warnings, () =>
      this.#registry.create(this.#target(request, options), this.#kept(resource, object)),
    )
    const allWarnings = [...warnings, ...(resource.behaviour.warnings?.(created, undefined) ?? [])]
    return ok(201, this.#shown(request, this.#present(resource, created)), allWarnings)
  }

  replace(request: ApiRequest): ApiResponse {
    const { resource, path, query, headers } = request
    const name = path.name ?? ''
    const options = readWriteOptions(query, 'UpdateOptions', {
      userAgent: headers['user-agent'],
      isApply: false,
    })
    if (path.subresource === 'scale') return this.#scale(request, options, 'replace')
    const { object, warnings } = this.#read(request, options)
    refuseRenaming(object, name)
    // Even by way of its status.
    const mayCreate = resource.behaviour.createsOnUpdate
    const written = warning(warnings, () =>
      this.#registry.update(
        this.#target(request, options),
        name,
        () => this.#kept(resource, object),
        mayCreate ? () => this.#kept(resource, object) : undefined,
      ),
    )
    return this.#written(request, written, warnings)
  }

  patch(request: ApiRequest): ApiResponse {
    const { resource, path, query, headers } = request
    const name = path.name ?? ''
    const isApply = patchTypeOf(request) === 'application/apply-patch+yaml'
    const options = readWriteOptions(query, 'PatchOptions', { userAgent: headers['user-agent'], isApply })
    if (path.subresource === 'scale') return this.#scale(request, options, 'patch')
    if (isApply) return this.#apply(request, options)
    const warnings: string[] = []
    const target = this.#target(request, options)
    const track = (object: AnyObject, old: AnyObject | undefined) => {
      target.track(object, old)
      warnings.push(...dropRepeatedOwners(object, ' after mutating admission happens'))
    }
    const written = warning(warnings, () =>
      this.#registry.update({ ...target, track, isPatch: true }, name, (old) => {
        const patched = this.#patches.patch(request, this.#present(resource, old), options)
        warnings.push(...patched.warnings)
        refuseRenaming(patched.object, name)
        return this.#kept(resource, patched.object)
      }),
    )
    return this.#written(request, written, warnings)
  }

  delete(request: ApiRequest): ApiResponse {
    const { resource, path, query, body } = request
    const { dryRun, orphanDependents, ...options } = readDeleteOptions(query, body)
    const target = { resource, namespace: path.namespace, dryRun }
    const deletion = this.#registry.delete(target, path.name ?? '', options)
    // orphanDependents=false is answered with a Status of an unfinished deletion, as in the real server.
    const code = orphanDependents === false && !deletion.isGone ? 202 : 200
    return ok(code, this.#deleted(request, deletion))
  }

  deleteCollection(request: ApiRequest): ApiResponse {
    const { resource, path, query, body } = request
    const { dryRun, orphanDependents: _, ...options } = readDeleteOptions(new URLSearchParams(), body)
    const selected = listPage(this.#storage, resource, path.namespace, readListOptions(query, resource))
    const target = { resource, namespace: path.namespace, dryRun }
    for (const { metadata } of selected.objects) this.#registry.delete(target, metadata.name ?? '', options)
    const metadata = { resourceVersion: selected.metadata.resourceVersion }
    return ok(
      200,
      this.#representation(request).list(
        // As they were found.
        selected.objects.map((object) => visible(resource, this.#present(resource, object))),
        metadata,
      ),
    )
  }

  #read(request: ApiRequest, options: WriteOptions): { object: AnyObject; warnings: readonly string[] } {
    const { object, warnings } = this.#bodies.read(request, request.resource, options)
    return { object, warnings: [...warnings, ...dropRepeatedOwners(object)] }
  }

  /** Subresources that are no part of an object, but something to be done to it. */
  #special(request: ApiRequest): ApiResponse | undefined {
    const { method, path, resource, body } = request
    const name = path.name ?? ''
    if (path.subresource === 'binding' && method === 'POST') {
      const bound = (pod: AnyObject) => boundPod(pod, body, this.#clock.now())
      this.#registry.amend({ resource, namespace: path.namespace }, name, bound)
      return ok(201, { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 })
    }
    if (path.subresource === 'finalize' && method === 'PUT') {
      const finalized = this.#registry.amend({ resource, namespace: undefined }, name, (old) =>
        finalizedNamespace(old, body),
      )
      return ok(200, finalized)
    }
    return undefined
  }

  #apply(request: ApiRequest, options: WriteOptions): ApiResponse {
    const { resource, path } = request
    const name = path.name ?? ''
    const applied = this.#patches.readApply(request)
    let isReadOtherwise = false
    const isUnsettled = () => isReadOtherwise
    const fillIn = (object: AnyObject) => {
      // Where there was no status null may be kept for one, which is not read either.
      if (object['status'] !== null) return
      delete object['status']
      isReadOtherwise = true
    }
    const target = { ...this.#target(request, options), track: () => {}, isPatch: true, fillIn, isUnsettled }
    const merge = (live: AnyObject | undefined) => {
      const merged = this.#fields.apply({ live, applied, resource, subresource: path.subresource, options })
      refuseRenaming(merged, name)
      const admitted = this.#patches.admitApplied({ ...merged }, resource, applied)
      // What is null or empty in the metadata of a custom resource is kept, and not read; with its status none comes.
      isReadOtherwise =
        resource.isCustom === true &&
        path.subresource === undefined &&
        !isWithin(merged.metadata, admitted.metadata)
      return admitted
    }
    const written = this.#registry.update(
      target,
      name,
      (old) => this.#kept(resource, merge(this.#present(resource, old))),
      path.subresource === undefined || resource.behaviour.createsOnUpdate
        ? () => this.#kept(resource, merge(undefined))
        : undefined,
    )
    return this.#written(request, written, [])
  }

  #scale(request: ApiRequest, options: WriteOptions, verb: 'replace' | 'patch'): ApiResponse {
    const warnings: string[] = []
    const written = warning(warnings, () => this.#scales[verb](request, options, warnings))
    return this.#written(request, written, warnings)
  }

  #written(request: ApiRequest, written: WriteResult, warnings: readonly string[]): ApiResponse {
    const { object, old } = written
    const { resource } = request
    const { subresource } = request.path
    const inTheEnd = resource.behaviour.warnings?.(object, old, subresource) ?? []
    const allWarnings = [...warnings, ...written.warnings, ...inTheEnd]
    return ok(
      old === undefined ? 201 : 200,
      this.#shown(request, this.#present(resource, object)),
      allWarnings,
    )
  }

  #deleted(request: ApiRequest, { object, isGone }: Deletion): object {
    const { resource } = request
    // What stays for a while is returned as it is stored.
    if (!isGone) return this.#representation(request).one(this.#present(resource, object))
    if (resource.behaviour.returnsDeleted) return this.#shown(request, this.#present(resource, object))
    const { name, uid } = object.metadata
    const details = {
      name,
      ...(resource.group !== '' && { group: resource.group }),
      kind: resource.plural,
      uid,
    }
    return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details }
  }

  #target({ resource, path }: ApiRequest, options: WriteOptions): WriteTarget {
    return {
      resource,
      namespace: path.namespace,
      subresource: path.subresource,
      dryRun: options.dryRun,
      track: (object, old) => {
        const shown = this.#present(resource, resource.behaviour.asKept?.(object) ?? object)
        const before = old && this.#present(resource, old)
        this.#fields.track({ object: shown, old: before, resource, subresource: path.subresource, options })
        const { managedFields } = shown.metadata
        if (managedFields === undefined) delete object.metadata.managedFields
        else object.metadata.managedFields = managedFields
      },
    }
  }

  #stored({ resource, path }: ApiRequest, name: string): AnyObject {
    const object = this.#storage.get(collectionOf(resource), keyOf(path.namespace, name))
    if (object === undefined) throw notFound(aboutOf(resource), name)
    return object
  }

  /** An object as this kind and version shows it. */
  #present({ kept }: Resource, object: AnyObject): AnyObject {
    return kept === undefined ? object : kept.from(cloneJson(object))
  }

  #kept({ kept }: Resource, object: AnyObject): AnyObject {
    return kept === undefined ? object : kept.to(object)
  }

  #shown(request: ApiRequest, object: AnyObject): object {
    const { scale = builtInScalePaths } = request.resource
    if (request.path.subresource === 'scale') {
      if (request.resource.isCustom) refuseUnscalable(object, scale)
      const columns = scaleColumns(request.resource)
      const asScale = { ...request, resource: { ...request.resource, ...scaleKind, columns } }
      return this.#representation(asScale).one(scaleOf(object, scale))
    }
    const { path, resource } = request
    // Through a subresource all that is kept is seen.
    const seen = path.subresource === undefined ? visible(resource, object) : object
    return this.#representation(request).one(seen)
  }

  #representation({ resource, headers, query }: ApiRequest): Representation {
    const included = (query.get('includeObject') ?? 'Metadata') as Included
    return new Representation({
      resource,
      form: formWanted(headers['accept']),
      included,
      now: () => this.#clock.now(),
    })
  }
}

const verbs: Readonly<
  Record<string, 'get' | 'list' | 'create' | 'replace' | 'patch' | 'delete' | 'deleteCollection'>
> = {
  'GET object': 'get',
  'GET collection': 'list',
  'POST collection': 'create',
  'PUT object': 'replace',
  'PATCH object': 'patch',
  'DELETE object': 'delete',
  'DELETE collection': 'deleteCollection',
}

/** Every request for a deprecated kind gets a warning. */
function withDeprecation(answer: ApiResponse, { behaviour: { deprecation } }: Resource): ApiResponse {
  if (deprecation === undefined || 'watch' in answer || answer.warnings.includes(deprecation)) return answer
  return { ...answer, warnings: [deprecation, ...answer.warnings] }
}

/** Whether each field of one is the same in the other. */
function isWithin(one: object, other: object): boolean {
  const fields = { ...other } as Record<string, unknown>
  return Object.entries(one).every(([name, value]) => isSameJson(value, fields[name]))
}

function visible({ behaviour }: Resource, object: AnyObject): AnyObject {
  return behaviour.shown?.(object) ?? object
}

function ok(code: number, body: object, warnings: readonly string[] = []): ApiResponse {
  return { code, body, warnings }
}

/** Warnings are sent even where the request is refused in the end. */
function warning<R>(warnings: readonly string[], work: () => R): R {
  try {
    return work()
  } catch (error) {
    if (error instanceof StatusError) error.warnings = [...warnings, ...error.warnings]
    throw error
  }
}
