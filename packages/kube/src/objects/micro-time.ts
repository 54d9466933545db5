/**
 * `metav1.MicroTime`: "2026-01-01T00:00:00.000000Z". Dates here know no more than milliseconds; the last three
 * digits are for whoever has a use for them.
 */
export function microTime(date: Date, microseconds = 0): string {
  return date.toISOString().replace('Z', `${String(microseconds).padStart(3, '0')}Z`)
}
