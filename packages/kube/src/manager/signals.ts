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

/** Exit code after a second signal: 128 + SIGINT, as in shells. */
const secondSignalExit = 130

/** Ctrl-C reaches all processes of a terminal, and npm forwards it to what it runs: two signals for one key press. */
const sameSignalMs = 500

/**
 * A signal that aborts on SIGTERM, Ctrl-C or a hang-up, for an orderly stop. A second one ends the process at once.
 * `release` gives the signals back.
 *
 * It aborts, too, when standard output is closed, and when npm, which started the process, has ended. These count neither
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
  const onStdoutClosed = () =>
    controller.abort(new Error('nothing can be written to standard output any more'))
  let firstSignalAt: number | undefined
  const onSignal = () => {
    if (firstSignalAt !== undefined) {
      if (clock.monotonic() - firstSignalAt < sameSignalMs) return
      log.warn({}, 'Stopped a second time: ending at once')
      source.exit(secondSignalExit)
      return
    }
    firstSignalAt = clock.monotonic()
    log.info({}, 'Stopping: finishing what is in flight; a second signal ends at once')
    controller.abort(new Error('stopped by a signal'))
  }
  const stopWatchingParents = onNpmParentsExit(source, { clock, table }, () => {
    log.info({}, 'The parent process has ended: finishing what is in flight')
    controller.abort(new Error('the parent process has ended'))
  })
  for (const signal of signals) source.on(signal, onSignal)
  source.stdout.on('error', onStdoutClosed)
  return {
    stop: unlimitedListeners(controller.signal),
    release: () => {
      stopWatchingParents()
      for (const signal of signals) source.off(signal, onSignal)
      source.stdout.off('error', onStdoutClosed)
    },
  }
}
