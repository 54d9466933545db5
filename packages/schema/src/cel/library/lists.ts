import type { Environment } from '@marcbachmann/cel-js'
import { CelError } from './cel-error.ts'
import { printed } from './format.ts'

/** Lists, and lists as sets. */
export function registerLists(env: Environment): void {
  const equal = (a: unknown, b: unknown) => printed(a) === printed(b) && typeof a === typeof b
  const less = (a: unknown, b: unknown): boolean => (a as bigint) < (b as bigint)
  const chosen = (name: string, better: (a: unknown, b: unknown) => boolean) => (list: unknown[]) => {
    if (list.length === 0) throw new CelError(`${name} called on empty list`)
    return list.reduce((best, item) => (better(item, best) ? item : best))
  }
  env.registerFunction('list.k8s_isSorted(): bool', (list: unknown[]) =>
    list.every((item, i) => i === 0 || !less(item, list[i - 1])),
  )
  env.registerFunction('list.k8s_sum(): dyn', (list: unknown[]) =>
    typeof list[0] === 'number'
      ? (list as number[]).reduce((sum, item) => sum + item, 0)
      : (list as bigint[]).reduce((sum, item) => sum + item, 0n),
  )
  env.registerFunction('list.k8s_min(): dyn', chosen('min', less))
  env.registerFunction(
    'list.k8s_max(): dyn',
    chosen('max', (a, b) => less(b, a)),
  )
  env.registerFunction('list.k8s_indexOf(dyn): int', (list: unknown[], item: unknown) =>
    BigInt(list.findIndex((other) => equal(item, other))),
  )
  env.registerFunction('list.k8s_lastIndexOf(dyn): int', (list: unknown[], item: unknown) =>
    BigInt(list.findLastIndex((other) => equal(item, other))),
  )
  env.registerFunction('list.k8s_slice(int, int): list', (list: unknown[], start: bigint, end: bigint) =>
    list.slice(Number(start), Number(end)),
  )
  env.registerFunction('list.k8s_flatten(): list', (list: unknown[]) => list.flat())
  env.registerFunction('list.k8s_distinct(): list', (list: unknown[]) =>
    list.filter((item, i) => list.findIndex((other) => equal(item, other)) === i),
  )
  env.registerFunction('list.k8s_sort(): list', (list: unknown[]) =>
    list.toSorted((a, b) => (less(a, b) ? -1 : less(b, a) ? 1 : 0)),
  )
  const has = (list: unknown[], item: unknown) => list.some((other) => equal(item, other))
  const containsAll = (list: unknown[], items: unknown[]) => items.every((item) => has(list, item))
  env.registerFunction('k8s_setsContains(list, list): bool', containsAll)
  env.registerFunction(
    'k8s_setsEquivalent(list, list): bool',
    (a: unknown[], b: unknown[]) => containsAll(a, b) && containsAll(b, a),
  )
  env.registerFunction('k8s_setsIntersects(list, list): bool', (a: unknown[], b: unknown[]) =>
    b.some((item) => has(a, item)),
  )
}
