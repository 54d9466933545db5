/** `metav1.Time` knows whole seconds only. */
export function timestamp(date: Date): string {
  return date.toISOString().replace(/\.\d+Z$/, 'Z')
}

/** Milliseconds between two timestamps, of which the earlier may be missing. */
export function millisecondsSince(earlier: string | undefined, now: Date): number {
  return earlier === undefined ? 0 : now.getTime() - Date.parse(earlier)
}
