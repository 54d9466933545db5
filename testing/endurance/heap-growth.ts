/** The heap of the leader, as it was at one moment. */
export interface HeapSample {
  readonly minute: number
  readonly pid: number
  readonly megabytes: number
}

export interface HeapGrowth {
  readonly text: string
  /** Why it is not as it should be, or cannot be judged. */
  readonly problem?: string
}

/** By then caches and compiled code have the size that they keep. */
const sampledFromMinute = 3
const most = 0.1

/** From the third minute to the last, of one and the same process: two that are equally old would hide a leak. */
export function growthOf(heap: readonly HeapSample[], minutes: number): HeapGrowth {
  const [third, last] = [heap.find(({ minute }) => minute >= sampledFromMinute), heap.at(-1)]
  if (third === undefined || last === undefined || third === last) {
    const text = 'too short to measure'
    if (minutes < sampledFromMinute + 1) return { text }
    return { text, problem: `The heap was weighed only ${heap.length} times in ${minutes} minutes.` }
  }
  const growth = last.megabytes / third.megabytes - 1
  const text = `${(growth * 100).toFixed(1)} %`
  if (third.pid !== last.pid)
    return {
      text: `${text}, of two processes`,
      problem: `The leader of minute ${third.minute} (process ${third.pid}) is not the one of minute ${last.minute} (process ${last.pid}): a leak would not be seen. Look above for who led when; with fewer --kills or --restarts, or on a quieter machine, trouble is over earlier.`,
    }
  return growth <= most
    ? { text }
    : { text, problem: `The heap of the leader grew by more than ${most * 100} %.` }
}
