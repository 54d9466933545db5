/** Aborts with the first Ctrl-C, or another polite signal; a second one ends the process at once, as usual. */
export function whenInterrupted(): AbortSignal {
  const controller = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => controller.abort(new Error(`Interrupted by ${signal}.`)))
  }
  return controller.signal
}
