import { InvalidArgumentError } from 'commander'

const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 }

/** Reads `500ms`, `2s`, `1m` or `1h` from the command line; the result is in milliseconds. */
export function parseDuration(text: string): number {
  const [, amount, unit = ''] = /^(\d+(?:\.\d+)?)(ms|s|m|h)$/.exec(text) ?? []
  const factor = unitMs[unit]
  if (amount === undefined || factor === undefined) {
    throw new InvalidArgumentError('It must be a duration such as 500ms, 2s, 1m or 1h.')
  }
  return Number(amount) * factor
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
