import type { Clock } from '@portcullis/kube'

/** Shows which step of a long command is running. */
export interface Progress {
  /** Shows that this step begins; the step before it is done. The same text again is the same step. */
  step(text: string): void
  /** Shows that the last step is done. */
  done(): void
  /** Removes the last step from a terminal: it failed, or was interrupted. */
  clear(): void
}

/** Where progress is shown: usually standard error, so that the result can be redirected without it. */
interface ProgressStream {
  readonly isTTY?: boolean
  readonly columns?: number
  write(text: string): unknown
}

const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']
const frameMs = 100
const clearLine = '\r\u001b[K'

/** On a terminal, one line that is redrawn; elsewhere, a line for each step, as in a log. */
export function progressOn(stream: ProgressStream, clock: Pick<Clock, 'monotonic'>): Progress {
  return stream.isTTY === true ? animatedProgress(stream, clock) : loggedProgress(stream, clock)
}

function animatedProgress(stream: ProgressStream, clock: Pick<Clock, 'monotonic'>): Progress {
  let current: { readonly text: string; readonly since: number; readonly timer: NodeJS.Timeout } | undefined
  let frame = 0
  const show = () => {
    if (current === undefined) return
    frame = (frame + 1) % frames.length
    stream.write(
      clearLine + fitted(stream, `${frames[frame]} `, current.text, ` … ${elapsed(current.since)}`),
    )
  }
  const elapsed = (since: number) => inSeconds(clock.monotonic() - since)
  const finish = (line: (current: { readonly text: string; readonly since: number }) => string) => {
    if (current === undefined) return
    clearInterval(current.timer)
    stream.write(clearLine + line(current))
    current = undefined
  }
  const done = () => finish(({ text, since }) => `✓ ${text} (${elapsed(since)})\n`)
  return {
    step(text) {
      if (current?.text === text) return
      done()
      current = { text, since: clock.monotonic(), timer: setInterval(show, frameMs).unref() }
      show()
    },
    done,
    clear: () => finish(() => ''),
  }
}

/** Cuts the text to the width of the terminal: a longer one would wrap, and could not be redrawn. */
function fitted({ columns = 80 }: ProgressStream, before: string, text: string, after: string): string {
  const width = Math.max(20, columns - before.length - after.length - 1)
  return `${before}${text.slice(0, width)}${after}`
}

function loggedProgress(stream: ProgressStream, clock: Pick<Clock, 'monotonic'>): Progress {
  let current: string | undefined
  let started: number | undefined
  const end = () => {
    current = undefined
    started = undefined
  }
  return {
    step(text) {
      if (text === current) return
      current = text
      started ??= clock.monotonic()
      stream.write(`[${inSeconds(clock.monotonic() - started)}] ${text}\n`)
    },
    done: end,
    clear: end,
  }
}

function inSeconds(ms: number): string {
  return `${Math.round(ms / 1000)} s`
}
