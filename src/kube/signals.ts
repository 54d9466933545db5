import type { Logger } from './log.ts'
import { forManyListeners } from './many-listeners.ts'

/** The part of `process` that is needed here. */
export interface SignalSource {
  on(signal: StopSignal, listener: () => void): unknown
  off(signal: StopSignal, listener: () => void): unknown
  exit(code: number): unknown
}

type StopSignal = 'SIGTERM' | 'SIGINT' | 'SIGPIPE'

const orders = ['SIGTERM', 'SIGINT'] as const

/** Exit code of a process that was told twice: 128 + SIGINT, as shells have it. */
const impatientExit = 130

/**
 * A signal that aborts on SIGTERM or Ctrl-C, for an orderly stop. A second one ends the process at once. It aborts on
 * SIGPIPE too, by which nobody means to hurry: whoever reads along may end with the same Ctrl-C.
 * `release` gives the signals back.
 */
export function stopOnSignals(source: SignalSource, log: Logger): { stop: AbortSignal; release: () => void } {
  const controller = new AbortController()
  const onUnheard = () => controller.abort(new Error('nobody reads along any more'))
  const onOrder = () => {
    if (controller.signal.aborted) {
      log.warn({}, 'Told to stop a second time: ending at once')
      source.exit(impatientExit)
      return
    }
    log.info({}, 'Told to stop: finishing what is in flight; a second signal ends at once')
    controller.abort(new Error('told to stop'))
  }
  for (const order of orders) source.on(order, onOrder)
  source.on('SIGPIPE', onUnheard)
  return {
    stop: forManyListeners(controller.signal),
    release: () => {
      for (const order of orders) source.off(order, onOrder)
      source.off('SIGPIPE', onUnheard)
    },
  }
}
