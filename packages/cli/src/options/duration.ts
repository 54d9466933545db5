import { millisecondsIn } from '@portcullis/operator'
import { InvalidArgumentError } from 'commander'

/** Reads `500ms`, `2s`, `1m` or `1h` from the command line; the result is in milliseconds. */
export function parseDuration(text: string): number {
  const milliseconds = millisecondsIn(text)
  if (milliseconds === undefined) {
    throw new InvalidArgumentError('It must be a duration such as 500ms, 2s, 1m or 1h.')
  }
  return milliseconds
}

/** Reads a whole number within bounds. */
export function parseCount(min: number, max: number): (text: string) => number {
  return (text) => {
    const count = Number(text)
    if (!/^\d+$/.test(text) || count < min || count > max) {
      throw new InvalidArgumentError(`It must be a whole number from ${min} to ${max}.`)
    }
    return count
  }
}
