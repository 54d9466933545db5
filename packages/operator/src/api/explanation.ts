/** What a reason means, for whoever reads it in a condition or an event and wants to know what to do. */
export interface Explanation {
  /** The conditions that give this reason; none for a reason of events alone. */
  readonly conditions: readonly string[]
  /** The type of the events that give this reason, if there are any. */
  readonly event?: 'Normal' | 'Warning'
  readonly meaning: string
  readonly cause: string
  /** What to do; where there is nothing to do, that. */
  readonly remedy: string
}

/** Where nothing is wrong there is nothing to do. */
export const nothingToDo = 'Nothing to do.'
