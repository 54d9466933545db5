import type { z } from 'zod'

/**
 * What a person may write where this schema holds: what has a default may be left out. An optional field is there
 * or not there, never `undefined`, as in JSON and in the types of Kubernetes itself.
 */
export type SchemaInput<S extends z.ZodType> = Exact<z.input<S>>

type Exact<T> = T extends readonly (infer E)[]
  ? Exact<E>[]
  : T extends object
    ? { [P in keyof T]: Exact<Exclude<T[P], undefined>> }
    : T
