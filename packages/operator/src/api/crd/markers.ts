import { z } from 'zod'

/** What Kubernetes knows to check and JSON Schema does not: https://kubernetes.io/docs/reference/using-api/cel/ */
export interface Rule {
  /** In CEL; `self` is the value, `oldSelf` what it was before. */
  readonly rule: string
  /** A sentence that names the field and says what to do. */
  readonly message: string
  /** The field to blame, from the value on; without it the value itself. */
  readonly fieldPath?: string
  readonly reason?: 'FieldValueInvalid' | 'FieldValueForbidden' | 'FieldValueRequired' | 'FieldValueDuplicate'
}

/** Metadata for `.meta(…)`: the rules that the API server holds a value to. */
export function rules(...rules: readonly Rule[]) {
  return { 'x-kubernetes-validations': rules }
}

/** Metadata of a list of which each writer writes the whole. */
export const atomicList = { 'x-kubernetes-list-type': 'atomic' }

/** Metadata of a list that several may write to, without saying anything twice. */
export const setList = { 'x-kubernetes-list-type': 'set' }

/** Metadata of a list of objects that these fields identify. */
export function mapList(...keys: readonly string[]) {
  return { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': keys }
}

/** Metadata of an object that is written as a whole. */
export const atomicObject = { 'x-kubernetes-map-type': 'atomic' }

/**
 * An object of which OpenShift knows more fields than are defined here. They are kept as they came; the types show
 * those that are defined.
 */
export function openObject<S extends z.core.$ZodLooseShape>(shape: S): z.ZodObject<S> {
  return z.looseObject(shape).meta({ 'x-kubernetes-preserve-unknown-fields': true })
}
