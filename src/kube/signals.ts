import type { Logger } from './log.ts'
import { forManyListeners } from './many-listeners.ts'

/** The part of `process` that is needed here. */
export interface SignalSource {
  on(signal: 'SIGTERM' | 'SIGINT', listener: () => void): unknown
  off(signal: 'SIGTERM' | 'SIGINT', listener: () => void): unknown
  exit(code: number): unknown
  readonly stdout: {
    on(event: 'error', listener: () => void): unknown
    off(event: 'error', listener: () => void): unknown
  }
}

const signals = ['SIGTERM', 'SIGINT'] as const

/** Exit code of a process that was told twice: 128 + SIGINT, as shells have it. */
const impatientExit = 130

/**
 * A signal that aborts on SIGTERM or Ctrl-C, for an orderly stop. A second one ends the process at once.
 * `release` gives the signals back.
 *
 * It aborts, too, when nobody reads along any more. That counts neither as the first nor as the second: the reader may have
 * ended by the same Ctrl-C. SIGPIPE would not do for that: every connection that breaks sends it.
 */
export function stopOnSignals(source: SignalSource, log: Logger): { stop: AbortSignal; release: () => void } {
  const controller = new AbortController()
  const onUnheard = () => controller.abort(new Error('nothing can be written to standard output any more'))
  let isTold = false
  const onSignal = () => {
    if (isTold) {
      log.warn({}, 'Told to stop a second time: ending at once')
      source.exit(impatientExit)
      return
    }
    isTold = true
    log.info({}, 'Told to stop: finishing what is in flight; a second signal ends at once')
    controller.abort(new Error('told to stop'))
  }
  for (const signal of signals) source.on(signal, onSignal)
  source.stdout.on('error', onUnheard)
  return {
    stop: forManyListeners(controller.signal),
    release: () => {
      for (const signal of signals) source.off(signal, onSignal)
      source.stdout.off('error', onUnheard)
    },
  }
}
