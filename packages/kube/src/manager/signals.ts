import { unlimitedListeners } from '../abort.ts'
import { type Clock, unrefClock } from '../clock.ts'
import type { Logger } from '../log.ts'
import { onNpmParentsExit, type ProcessInfo, type ProcessTable, systemProcesses } from './npm-parents.ts'

const signals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const

type StopSignal = (typeof signals)[number]

/** The part of `process` that is needed here. */
export interface SignalSource extends ProcessInfo {
  on(signal: StopSignal, listener: () => void): unknown
  off(signal: StopSignal, listener: () => void): unknown
  exit(code: number): unknown
  readonly stdout: {
    on(event: 'error', listener: () => void): unknown
    off(event: 'error', listener: () => void): unknown
  }
}

/** Exit code of a process that was told twice: 128 + SIGINT, as shells have it. */
const impatientExit = 130

/** Ctrl-C reaches all processes of a terminal, and npm hands it on to what it runs: that is one wish, told twice. */
const sameWishMs = 500

/**
 * A signal that aborts on SIGTERM, Ctrl-C or a hang-up, for an orderly stop. A second one ends the process at once.
 * `release` gives the signals back.
 *
 * It aborts, too, when nobody reads along any more, and when npm, which started the process, has ended. These count neither
 * as the first nor as the second: they may have ended by the same Ctrl-C. SIGPIPE would not do for a reader: every
 * connection that breaks sends it.
 */
export function stopOnSignals(
  source: SignalSource,
  log: Logger,
  {
    clock = unrefClock,
    table = systemProcesses,
  }: { readonly clock?: Clock; readonly table?: ProcessTable } = {},
): { stop: AbortSignal; release: () => void } {
  const controller = new AbortController()
  const onUnheard = () => controller.abort(new Error('nothing can be written to standard output any more'))
  let toldAt: number | undefined
  const onSignal = () => {
    if (toldAt !== undefined) {
      if (clock.monotonic() - toldAt < sameWishMs) return
      log.warn({}, 'Told to stop a second time: ending at once')
      source.exit(impatientExit)
      return
    }
    toldAt = clock.monotonic()
    log.info({}, 'Told to stop: finishing what is in flight; a second signal ends at once')
    controller.abort(new Error('told to stop'))
  }
  const stopWatchingParents = onNpmParentsExit(source, { clock, table }, () => {
    log.info({}, 'Whoever started this process has ended: finishing what is in flight')
    controller.abort(new Error('whoever started this process has ended'))
  })
  for (const signal of signals) source.on(signal, onSignal)
  source.stdout.on('error', onUnheard)
  return {
    stop: unlimitedListeners(controller.signal),
    release: () => {
      stopWatchingParents()
      for (const signal of signals) source.off(signal, onSignal)
      source.stdout.off('error', onUnheard)
    },
  }
}
