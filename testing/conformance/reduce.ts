import type { Step } from './random-steps.ts'

/**
 * The least of a sequence that still shows a difference: first whole steps are left out, then parts of what is left.
 * @param differs runs a sequence, and returns whether the servers differ in it
 * @param milliseconds when to be content with what has been reached
 */
export async function reduced(
  steps: readonly Step[],
  differs: (steps: readonly Step[]) => Promise<boolean>,
  milliseconds: number,
): Promise<readonly Step[]> {
  const deadline = Date.now() + milliseconds
  let least = steps
  const tries = async (shorter: readonly Step[]) => {
    if (Date.now() > deadline || !(await differs(shorter))) return false
    least = shorter
    return true
  }
  for (let size = Math.ceil(steps.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    // From the end, where what comes after the difference is left out at once.
    for (let end = least.length; end > 0; end = Math.min(end - size, least.length))
      await tries(least.toSpliced(Math.max(0, end - size), Math.min(size, end)))
  }
  for (const index of least.keys()) {
    let isSmaller = true
    while (isSmaller) {
      isSmaller = false
      for (const smaller of without(least[index] as Step)) {
        if (!(await tries(least.with(index, smaller as Step)))) continue
        isSmaller = true
        break
      }
    }
  }
  return least
}

/** What can go from any step, for its kind needs the rest. */
const droppable = new Set(['object', 'patch', 'options'])

/** The step with one thing less, for each thing that it has, larger ones first. */
function* without(step: Step): Generator<object> {
  if ('query' in step && step.query !== '') yield { ...step, query: '' }
  for (const [name, value] of Object.entries(step)) {
    if (!droppable.has(name)) continue
    for (const less of withOneLess(value)) yield { ...step, [name]: less }
  }
}

function* withOneLess(value: unknown): Generator {
  if (typeof value !== 'object' || value === null) return
  if (Array.isArray(value)) {
    for (const index of value.keys()) yield value.toSpliced(index, 1)
    for (const [index, item] of value.entries())
      for (const less of withOneLess(item)) yield value.with(index, less)
    return
  }
  const fields = Object.entries(value)
  for (const [name] of fields) yield Object.fromEntries(fields.filter(([other]) => other !== name))
  for (const [name, part] of fields) for (const less of withOneLess(part)) yield { ...value, [name]: less }
}
