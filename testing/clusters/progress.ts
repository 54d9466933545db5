import type { Log } from './log.ts'

const progressEveryMs = 15_000

/** Says what is being done, and every few seconds for how long already, so that nobody takes it for hung. */
export async function withProgress<T>(log: Log, doing: string, work: () => Promise<T>): Promise<T> {
  const start = performance.now()
  const elapsed = () => inWords(performance.now() - start)
  log(`${doing} …`)
  const timer = setInterval(() => log(`${doing} … ${elapsed()} so far`), progressEveryMs)
  try {
    const result = await work()
    log(`${doing}: done in ${elapsed()}`)
    return result
  } finally {
    clearInterval(timer)
  }
}

function inWords(milliseconds: number): string {
  const seconds = Math.round(milliseconds / 1000)
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`
}
