/**
 * How many requests should be in flight, computed from how long responses take (as TCP Vegas does it). Of the requests in
 * flight, some are being worked on and the rest wait in line at the server; the longer an answer takes, compared with
 * the best that was seen, the more of them wait. A line of a few keeps the server busy. A longer one makes nothing
 * faster: it costs connections and memory here, and delays every other client of the server.
 */
const [shortLine, longLine] = [16, 24]

/** As many to begin with, until it is known how long answers take. */
export const firstLimit = shortLine

export interface Timing {
  readonly tookMs: number
  /** The best of its kind so far; see `bestAfter`. */
  readonly bestMs: number
  /** When the answer came, itself included. */
  readonly inFlight: number
}

/** @param max what the limit never exceeds */
export function limitAfter(limit: number, { tookMs, bestMs, inFlight }: Timing, max: number): number {
  const inLine = inFlight * (1 - bestMs / Math.max(tookMs, bestMs, Number.MIN_VALUE))
  if (inLine > longLine) return Math.min(limit, Math.max(shortLine, limit - inLine / longLine / limit))
  const isUsed = 2 * inFlight >= limit
  return isUsed && inLine < shortLine ? Math.min(max, limit + 1 / limit) : limit
}

/** A best that is not reached any more loses its effect little by little: the network path may have become longer. */
const decay = 1 / 50_000

/** @param bestMs undefined before the first answer */
export function bestAfter(bestMs: number | undefined, tookMs: number): number {
  if (bestMs === undefined || tookMs < bestMs) return tookMs
  return bestMs + (tookMs - bestMs) * decay
}
