import { printable } from './printable.ts'

/** Where progress is shown: standard error, so that the report can be kept by itself. */
export interface ProgressStream {
  readonly isTTY?: boolean
  write(text: string): unknown
}

/** Says what is being done, one thing after another. */
export interface Progress {
  doing(what: string): void
  done(): void
}

const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']
const frameMs = 100

/** On a terminal a line that lives; elsewhere a line for each thing, as logs want it. */
export function showProgress(stream: ProgressStream, now: () => number): Progress {
  return stream.isTTY === true ? liveProgress(stream, now) : plainProgress(stream, now)
}

function liveProgress(stream: ProgressStream, now: () => number): Progress {
  let current: { what: string; since: number } | undefined
  let frame = 0
  const show = () => {
    if (current === undefined) return
    frame = (frame + 1) % frames.length
    stream.write(`\r\u001b[K${frames[frame]} ${current.what} … ${inSeconds(now() - current.since)}`)
  }
  const finish = () => {
    if (current !== undefined)
      stream.write(`\r\u001b[K✓ ${current.what} (${inSeconds(now() - current.since)})\n`)
    current = undefined
  }
  const timer = setInterval(show, frameMs)
  timer.unref()
  return {
    doing(what) {
      finish()
      current = { what: printable(what), since: now() }
      show()
    },
    done() {
      finish()
      clearInterval(timer)
    },
  }
}

function plainProgress(stream: ProgressStream, now: () => number): Progress {
  const started = now()
  return {
    doing: (what) => void stream.write(`[${inSeconds(now() - started)}] ${printable(what)}\n`),
    done: () => {},
  }
}

function inSeconds(ms: number): string {
  return `${Math.round(ms / 1000)} s`
}
