/** What a reason means and what to do, for a user who reads it in a condition or an event. */
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
