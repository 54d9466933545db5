import type { ObjectMeta } from 'kubernetes-types/meta/v1'

/** The server may write what clients may only read. */
type Writable<T> = { -readonly [Field in keyof T]: T[Field] }

/** An object as an API server keeps it: plain JSON, of any kind. */
export interface AnyObject {
  apiVersion: string
  kind: string
  metadata: Writable<ObjectMeta>
  [field: string]: unknown
}
