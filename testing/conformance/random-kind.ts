import * as fc from 'fast-check'

/** A kind that random requests are about: what it looks like, right and wrong. */
export interface RandomKind {
  readonly apiVersion: string
  readonly kind: string
  readonly plural: string
  readonly subresources: readonly string[]
  /** Everything of an object beside its type and metadata; some of it is wrong. */
  readonly content: fc.Arbitrary<object>
  /** The least that is accepted. */
  readonly sample: object
  /** What to write with patches at paths of a JSON patch, beside the labels. */
  readonly paths: readonly string[]
}

/** Mostly the first, now and then the second. */
export function mostly<T, U>(good: fc.Arbitrary<T>, bad: fc.Arbitrary<U>): fc.Arbitrary<T | U> {
  return fc.oneof({ weight: 14, arbitrary: good }, { weight: 1, arbitrary: bad })
}

export function of<const T extends readonly unknown[]>(...values: T): fc.Arbitrary<T[number]> {
  return fc.constantFrom<T[number][]>(...values)
}
export const some = (fields: Record<string, fc.Arbitrary<unknown>>) => fc.record(fields, { requiredKeys: [] })
export const few = <T>(item: fc.Arbitrary<T>, maxLength = 2) => fc.array(item, { maxLength })

export const strings = mostly(of('x', 'y', '', 'a longer one'), of(1, true, null, ['x'], { x: 'y' }))
const labelValues = mostly(of('a', 'b', ''), of('not valid', 'x'.repeat(64), 7, null))
export const labels = fc.dictionary(
  mostly(of('app', 'tier', 'example.com/part'), of('a b', '')),
  labelValues,
  {
    maxKeys: 2,
  },
)
