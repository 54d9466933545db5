import { isSameJson } from '@portcullis/kube'
import {
  type AnyObject,
  applyDefaults,
  cloneJson,
  invalid as invalidField,
  problemsOfSubdomain,
  validateMeta,
} from '@portcullis/schema'
import { managedFieldsAfterScale, managedFieldsOfScale, type Scalable } from '../patch/apply/scale.ts'
import type { Resource } from '../resource.ts'
import { badRequest, invalid } from './api-status.ts'
import type { BodyReader, ReadObject } from './body-reader.ts'
import type { FieldManagement } from './field-management.ts'
import { refuseRenaming } from './object-name.ts'
import { dropRepeatedOwners } from './owner-references.ts'
import { type PatchReader, patchTypeOf } from './patch-reader.ts'
import type { Registry, WriteResult, WriteTarget } from './registry.ts'
import type { ApiRequest } from './resource-handler.ts'
import { builtInScalePaths, replicasOf, type Scale, scaled, scaleKind, scaleOf } from './scale.ts'
import type { WriteOptions } from './write-options.ts'

/** What an object gets for its replicas that says nothing of them, to see whether a write of its Scale does. */
const noReplicas = -2_147_483_648

/**
 * Writes of `scale`. A Scale is read, patched and owned as an object of its own; of what becomes of it the object gets
 * the replicas, and who owns them.
 */
export class ScaleWriter {
  readonly #registry: Registry
  readonly #bodies: BodyReader
  readonly #patches: PatchReader
  readonly #fields: FieldManagement

  constructor(parts: {
    registry: Registry
    bodies: BodyReader
    patches: PatchReader
    fields: FieldManagement
  }) {
    this.#registry = parts.registry
    this.#bodies = parts.bodies
    this.#patches = parts.patches
    this.#fields = parts.fields
  }

  replace(request: ApiRequest, options: WriteOptions, warnings: string[]): WriteResult {
    const { resource, path } = request
    const isCustom = resource.isCustom ?? false
    const read = this.#bodies.readScale(request, options, { isCustom })
    warnings.push(...read.warnings, ...dropRepeatedOwners(read.object))
    refuseRenaming(read.object, path.name ?? '')
    const change = (scale: Scale) => {
      const object = structuredClone(read.object)
      this.#track(object, scale, request, options)
      return object
    }
    // A client that sends a whole Scale means the object with this identity.
    return this.#update(request, options, change, read.object.metadata.uid)
  }

  patch(request: ApiRequest, options: WriteOptions, warnings: string[]): WriteResult {
    const { path } = request
    const isApply = patchTypeOf(request) === 'application/apply-patch+yaml'
    const applied = isApply ? this.#patches.readApply(request) : undefined
    return this.#update(request, options, (scale) => {
      if (applied !== undefined) {
        const object = this.#applied(applied, scale, request, options)
        refuseRenaming(object, path.name ?? '')
        return object
      }
      const patched: ReadObject = this.#patches.patchScale(request, scale, options)
      warnings.push(...patched.warnings)
      refuseRenaming(patched.object, path.name ?? '')
      this.#track(patched.object, scale, request, options)
      warnings.push(...dropRepeatedOwners(patched.object, ' after mutating admission happens'))
      return patched.object
    })
  }

  #update(
    { resource, path }: ApiRequest,
    { dryRun }: WriteOptions,
    change: (scale: Scale) => AnyObject,
    uid?: string,
  ): WriteResult {
    const { scale: paths = builtInScalePaths } = resource
    // The owners of the replicas come with the Scale.
    let isDefaulted = false
    const target: WriteTarget = {
      resource,
      namespace: path.namespace,
      subresource: 'scale',
      dryRun,
      track: () => {},
      // Where there was nothing but replicas now are, the defaults beside them are read, but not written.
      fillIn: (object) => {
        if (!resource.isCustom) return
        const written = cloneJson(object)
        applyDefaults(object, resource.schema)
        isDefaulted = !isSameJson(written, object)
      },
      isUnsettled: () => isDefaulted,
    }
    return this.#registry.update(target, path.name ?? '', (old) => {
      const scale = this.#scaleFor(old, resource)
      const wanted = change(scale)
      if (resource.isCustom) refuseNoReplicas(wanted, paths.specReplicasPath)
      else refuseInvalidScale(wanted, path.namespace)
      const changed = scaled(old, wanted, paths)
      const managedFields = managedFieldsAfterScale(
        old.metadata.managedFields,
        wanted.metadata.managedFields,
        scalable(resource),
      )
      const { managedFields: _, resourceVersion: __, ...metadata } = changed.metadata
      const { resourceVersion = '' } = wanted.metadata
      return {
        ...changed,
        metadata: {
          ...metadata,
          resourceVersion,
          ...(uid && { uid }),
          ...(managedFields.length > 0 && { managedFields }),
        },
      }
    })
  }

  #scaleFor(object: AnyObject, resource: Resource): Scale {
    const { scale: paths = builtInScalePaths } = resource
    const scale = scaleOf(object, paths)
    const managedFields = managedFieldsOfScale(object.metadata.managedFields, scalable(resource))
    if (managedFields.length > 0)
      Object.assign(scale.metadata, { managedFields } as Partial<AnyObject['metadata']>)
    if (resource.isCustom && replicasOf(object, paths) === undefined) scale.spec = { replicas: noReplicas }
    return scale
  }

  #track(object: AnyObject, old: Scale, request: ApiRequest, options: WriteOptions): void {
    this.#fields.track({
      object,
      old,
      resource: this.#asResource(request.resource),
      subresource: 'scale',
      options,
    })
  }

  #applied(applied: AnyObject, live: Scale, request: ApiRequest, options: WriteOptions): AnyObject {
    const resource = this.#asResource(request.resource)
    const merged = this.#fields.apply({ live, applied, resource, subresource: 'scale', options })
    return this.#patches.admitApplied(merged, { ...resource, isCustom: false }, applied)
  }

  /** A Scale, in the form that the managedFields accounting needs. */
  #asResource(parent: Resource): Resource {
    return { ...parent, ...scaleKind, schema: this.#bodies.scaleSchema, subresources: [], behaviour: {} }
  }
}

function scalable({ group, version, scale: paths = builtInScalePaths }: Resource): Scalable {
  return {
    apiVersion: group === '' ? version : `${group}/${version}`,
    replicasPath: paths.specReplicasPath.split('.').slice(1),
  }
}

function refuseNoReplicas(scale: AnyObject, path: string): void {
  if ((scale as Scale).spec?.replicas !== noReplicas) return
  throw badRequest(`the spec replicas field ${JSON.stringify(path)} cannot be empty`)
}

function refuseInvalidScale(scale: AnyObject, namespace = ''): void {
  const { metadata, spec } = scale as Scale
  const replicas = spec?.replicas ?? 0
  const errors = validateMeta({ ...metadata, namespace }, { namespaced: true, name: problemsOfSubdomain })
  if (replicas < 0) errors.push(invalidField('spec.replicas', replicas, 'must be greater than or equal to 0'))
  if (errors.length > 0)
    throw invalid({ group: 'autoscaling', plural: 'scales', kind: 'Scale' }, metadata.name ?? '', errors)
}
