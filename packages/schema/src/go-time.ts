/** Go's `time.Parse` for the two layouts that the API uses, with its words for what does not parse. */
export class TimeError extends Error {}

const layouts = {
  time: '2006-01-02T15:04:05Z07:00',
  microTime: '2006-01-02T15:04:05.000000Z07:00',
} as const

const steps: readonly (readonly [layout: string, pattern: RegExp])[] = [
  ['2006', /^\d{4}/],
  ['-', /^-/],
  ['01', /^\d{2}/],
  ['-', /^-/],
  ['02', /^\d{2}/],
  ['T', /^T/],
  ['15', /^\d{1,2}/],
  [':', /^:/],
  ['04', /^\d{2}/],
  [':', /^:/],
  ['05', /^\d{2}/],
]

/** The time as the API writes it back: in UTC, to the second or to the microsecond. Throws a TimeError. */
export function canonicalTime(text: string, precision: keyof typeof layouts): string {
  const layout = layouts[precision]
  const fail = (rest: string, wanted: string) =>
    new TimeError(
      `parsing time ${JSON.stringify(text)} as "${layout}": cannot parse "${rest}" as "${wanted}"`,
    )
  const outOfRange = (what: string) =>
    new TimeError(`parsing time ${JSON.stringify(text)}: ${what} out of range`)

  let rest = text
  const fields: number[] = []
  for (const [wanted, pattern] of steps) {
    const found = pattern.exec(rest)?.[0]
    if (found === undefined) throw fail(rest, wanted)
    if (/\d/.test(wanted)) fields.push(Number(found))
    rest = rest.slice(found.length)
    if (wanted === '01' && (fields[1] === 0 || (fields[1] ?? 0) > 12)) throw outOfRange('month')
    if (wanted === '15' && (fields[3] ?? 0) > 23) throw outOfRange('hour')
    if (wanted === '04' && (fields[4] ?? 0) > 59) throw outOfRange('minute')
    if (wanted === '05' && (fields[5] ?? 0) > 59) throw outOfRange('second')
  }
  let fraction = ''
  if (precision === 'microTime') {
    const found = /^[.,](\d{6})/.exec(rest)
    if (found === null) throw fail(rest, '.000000')
    fraction = found[1] ?? ''
    rest = rest.slice(7)
  } else {
    const found = /^[.,](\d+)/.exec(rest)
    if (found !== null) rest = rest.slice(found[0].length)
  }
  const zone = /^(?:Z|([+-])(\d{2}):(\d{2}))/.exec(rest)
  if (zone === null) throw fail(rest, 'Z07:00')
  const extra = rest.slice(zone[0].length)
  if (extra !== '')
    throw new TimeError(`parsing time ${JSON.stringify(text)}: extra text: ${JSON.stringify(extra)}`)
  const [year = 0, month = 1, day = 0, hour = 0, minute = 0, second = 0] = fields
  if (day < 1 || day > utc(year, month, 0).getUTCDate()) throw outOfRange('day')
  const offset =
    zone[1] === undefined ? 0 : (zone[1] === '-' ? -1 : 1) * (Number(zone[2]) * 60 + Number(zone[3]))
  const date = utc(year, month - 1, day, hour, minute - offset, second)
  // After the year, which has more digits before 0 and after 9999, and which Go writes otherwise.
  const afterYear = date
    .toISOString()
    .replace(/^[-+]?\d+/, '')
    .slice(0, '-01-02T15:04:05'.length)
  return `${goYear(date)}${afterYear}${precision === 'microTime' ? `.${fraction}` : ''}Z`
}

/** Go takes the first moment of the year 1 for no time at all, and writes null. */
export function isZeroTime(canonical: string): boolean {
  return /^0001-01-01T00:00:00(?:\.000000)?Z$/.test(canonical)
}

/** `Date.UTC` takes the years before 100 for those of the last century. */
function utc(year: number, ...rest: [month: number, day: number, ...time: number[]]): Date {
  const [month, day, hour = 0, minute = 0, second = 0] = rest
  const date = new Date(0)
  date.setUTCFullYear(year, month, day)
  date.setUTCHours(hour, minute, second)
  return date
}

/** Four digits at least, with a sign before the year 0 alone. */
function goYear(date: Date): string {
  const year = date.getUTCFullYear()
  return `${year < 0 ? '-' : ''}${String(Math.abs(year)).padStart(4, '0')}`
}
