import { type Attempt, MalformedAnswerError } from '../client/errors.ts'

export type ReadJson = (text: string) => unknown

/** What an answer says. */
export function parsed(body: string, attempt: () => Attempt, readJson: ReadJson): unknown {
  try {
    return readJson(body)
  } catch (cause) {
    throw new MalformedAnswerError(attempt(), `the answer is not JSON: ${body.slice(0, 100)}`, cause)
  }
}
