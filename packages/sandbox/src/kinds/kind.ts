// oxlint-disable typescript/no-unnecessary-type-parameters -- the caller knows which kind's spec it is
import type { AnyObject } from '@portcullis/schema'
import type { Resource } from '../resource.ts'

/** A built-in kind; only its schema comes from elsewhere. */
export type Kind = Omit<Resource, 'schema'>

/** The `spec` of an object, made if there is none: in Go there always is one. */
export function specOf<T>(object: AnyObject): T {
  object.spec ??= {}
  return object.spec as T
}

export function statusOf<T>(object: AnyObject): T {
  object.status ??= {}
  return object.status as T
}

/** An object in the types of its kind. */
export function as<T>(object: AnyObject): T {
  return object as unknown as T
}
