import { timestamp } from './time.ts'
/**
 * The conditions of a status: a list with one entry per type, each telling since when it is as it is. Nothing
 * here changes a list in place; a list that would not change is returned as it is, so `===` shows whether there
 * is anything to write.
 */
export interface Condition {
  readonly type: string
  /** True, False or Unknown. */
  readonly status: string
  readonly reason?: string
  readonly message?: string
  readonly observedGeneration?: number
  /** When `status` last changed: people read from it how long a problem lasts. */
  readonly lastTransitionTime?: string
}

/**
 * The list with this condition in it: in its old place, or else at the end. Fields that `wanted` does not name,
 * and the conditions of others, stay as they are.
 */
export function setCondition<C extends Condition>(
  conditions: readonly C[] | undefined,
  wanted: Omit<C, 'lastTransitionTime'>,
  now: Date,
): readonly C[] {
  const before = findCondition(conditions, wanted.type)
  const changed = { ...before, ...wanted, lastTransitionTime: transitionTime(before, wanted, now) } as C
  if (conditions === undefined || before === undefined) return [...(conditions ?? []), changed]
  if (isSame(before, changed)) return conditions
  return conditions.map((condition) => (condition === before ? changed : condition))
}

export function removeCondition<C extends Condition>(conditions: readonly C[], type: string): readonly C[] {
  const rest = conditions.filter((condition) => condition.type !== type)
  return rest.length === conditions.length ? conditions : rest
}

export function findCondition<C extends Condition>(
  conditions: readonly C[] | undefined,
  type: string,
): C | undefined {
  return conditions?.find((condition) => condition.type === type)
}

/** Whether there is such a condition and it is True: neither False nor Unknown nor absent. */
export function isTrue(conditions: readonly Condition[] | undefined, type: string): boolean {
  return findCondition(conditions, type)?.status === 'True'
}

function transitionTime(before: Condition | undefined, { status }: { status: string }, now: Date): string {
  const unchangedSince = before?.status === status ? before.lastTransitionTime : undefined
  return unchangedSince ?? timestamp(now)
}

/** The fields of a condition are plain values. */
function isSame<C extends Condition>(before: C, after: C): boolean {
  return (Object.keys(after) as (keyof C)[]).every((field) => before[field] === after[field])
}
