import { type Attempt, MalformedAnswerError } from '../errors.ts'

/** What an answer says. */
export function parsed(body: string, attempt: () => Attempt): unknown {
  try {
    return JSON.parse(body)
  } catch (cause) {
    throw new MalformedAnswerError(attempt(), `the answer is not JSON: ${body.slice(0, 100)}`, cause)
  }
}
