// `metav1.Time` and `metav1.MicroTime`, read and written.

/** Longer than any time that an API server writes. */
const mostCharacters = 64

/** Go writes years after 9999 with five digits and those before 0 with a sign; a Date takes six digits and a sign. */
const unusualYear = /^(?:-\d{4}|\d{5})(?=-)/

/**
 * A time as the API server writes it, `metav1.Time` or `metav1.MicroTime`: undefined where there is none, or where it
 * cannot be read. Any client that may write an Event or a status chooses its times. The server takes
 * `9999-12-31T23:59:59-23:00` and gives it back as `10000-01-01T22:59:59Z`: a Date made of that is invalid, compares with
 * nothing, throws when printed.
 */
export function parseTime(text: string | null | undefined): Date | undefined {
  if (typeof text !== 'string' || text.length > mostCharacters) return undefined
  const time = new Date(text.replace(unusualYear, withSixDigits))
  return Number.isNaN(time.getTime()) ? undefined : time
}

function withSixDigits(year: string): string {
  return `${year.startsWith('-') ? '-' : '+'}${year.replace('-', '').padStart(6, '0')}`
}

/**
 * `metav1.MicroTime`: "2026-01-01T00:00:00.000000Z". Dates here know no more than milliseconds; the last three
 * digits are kept for those that use them.
 */
export function microTime(date: Date, microseconds = 0): string {
  return date.toISOString().replace('Z', `${String(microseconds).padStart(3, '0')}Z`)
}

/** As `metav1.Time` is written: in whole seconds. */
export function timestamp(date: Date): string {
  return `${date.toISOString().slice(0, -'.000Z'.length)}Z`
}
