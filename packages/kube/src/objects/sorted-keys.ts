import { isObject } from './merge-patch.ts'

/**
 * The same content with the keys of every object in order. API servers send fields in an order of their own, which is
 * neither that of a file nor that of a schema.
 */
export function withSortedKeys<T>(value: T): T
export function withSortedKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item: unknown) => withSortedKeys(item))
  if (!isObject(value)) return value
  const fields = Object.entries(value).map(([key, field]) => [key, withSortedKeys(field)] as const)
  return Object.fromEntries(fields.sort(([one], [other]) => (one < other ? -1 : 1)))
}
