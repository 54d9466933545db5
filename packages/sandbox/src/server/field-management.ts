import type { AnyObject } from '@portcullis/schema'
import { applyConfiguration, updateManagedFields, type Write } from '../patch/apply/field-manager.ts'
import { resetFieldsOf } from '../patch/apply/reset-fields.ts'
import type { JsonObject } from '../patch/json-value.ts'
import type { Resource } from '../resource.ts'
import { refusing } from './refused-patch.ts'
import type { WriteOptions } from './write-options.ts'

/** The real server takes a Scale that it has made itself for a custom resource. */
const foreignScale = 'request to convert CR to an invalid group/version: autoscaling/v1'

interface WriteBy {
  readonly resource: Resource
  readonly subresource: string | undefined
  readonly options: WriteOptions
}

/** The managedFields of objects: updated with every write, and used by server-side apply. */
export class FieldManagement {
  readonly #now: () => Date

  constructor(now: () => Date) {
    this.#now = now
  }

  /** Brings `metadata.managedFields` of the new object up to date. */
  track({
    object,
    old,
    ...by
  }: WriteBy & { readonly object: AnyObject; readonly old: AnyObject | undefined }): void {
    const live = old as JsonObject | undefined
    const tracked = updateManagedFields(
      live,
      object as unknown as JsonObject,
      this.#write(by),
    ) as unknown as AnyObject
    object.metadata = tracked.metadata
  }

  /** Server-side apply: the new object; throws a 409 where others own what is applied. */
  apply({
    live,
    applied,
    ...by
  }: WriteBy & { readonly live: AnyObject | undefined; readonly applied: AnyObject }): AnyObject {
    const write = { ...this.#write(by), force: by.options.force }
    const merged = refusing(() =>
      applyConfiguration(live as JsonObject | undefined, applied as unknown as JsonObject, write),
    )
    return merged as unknown as AnyObject
  }

  #write({ resource, subresource, options }: WriteBy): Write {
    const { group, version, kind, schema, isCustom = false, subresources } = resource
    return {
      kind: { apiVersion: group === '' ? version : `${group}/${version}`, kind, schema },
      isCustom,
      manager: options.manager,
      // Of two groups that keep the same objects, neither knows the fields of the other.
      isServed: (apiVersion) => isCustom || groupOf(apiVersion) === group,
      now: this.#now(),
      subresource,
      resetFields: resetFieldsOf({ group, kind, subresources, isCustom }, subresource),
      unconvertible: isCustom && subresource === 'scale' ? foreignScale : undefined,
    }
  }
}

function groupOf(apiVersion: string): string {
  return apiVersion.includes('/') ? (apiVersion.split('/')[0] ?? '') : ''
}
