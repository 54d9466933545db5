const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 }

/** The milliseconds in `500ms`, `2s`, `1m` or `1h`; undefined for what is no duration. */
export function millisecondsIn(text: string): number | undefined {
  const [, amount, unit = ''] = /^(\d+(?:\.\d+)?)(ms|s|m|h)$/.exec(text) ?? []
  const factor = unitMs[unit]
  return amount === undefined || factor === undefined ? undefined : Number(amount) * factor
}
