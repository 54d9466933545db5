/** `metav1.Time` knows whole seconds only. */
export function timestamp(date: Date): string {
  return `${date.toISOString().slice(0, -'.000Z'.length)}Z`
}

/** Milliseconds between two timestamps, of which the earlier may be missing. */
export function millisecondsSince(earlier: string | undefined, now: Date): number {
  return earlier === undefined ? 0 : now.getTime() - Date.parse(earlier)
}
