import type { WatchLine } from '@portcullis/sandbox/internal/server/watcher.ts'
import type { Api, ApiResponse } from './api.ts'
import { lineText } from './json-text.ts'
import type { SimulatedClock } from './simulated-clock.ts'
import type { Traffic } from './traffic.ts'
import type { EventFate, EventPoint, Interference, Process, WireOptions } from './wire.ts'

/** Lines of a watch come a moment after the answer to the write that they show. */
const eventLagMs = 2
/** So long after a line was lost the server notices that it no longer knows where the watcher was. */
const noticedAfterMs = 400

/** A line of a watch, and by what a fault may still be aimed at it. */
interface Aimed {
  readonly line: WatchLine
  readonly point: EventPoint | undefined
}

/** A line that is held back, and those that wait behind it: what becomes of them is seen when it is their turn. */
interface Held {
  lines: Aimed[]
  /** Whether the next line about the same object takes the place of the first. */
  isCoalescing: boolean
}

/** The lines of one watch on their way, in order. */
export class WatchStream implements AsyncIterable<Buffer> {
  readonly #clock: SimulatedClock
  readonly #process: Process
  readonly #pointOf: (line: WatchLine) => EventPoint | undefined
  readonly #interference: Interference
  readonly #traffic: Traffic
  readonly #api: Api
  /** What has arrived and was not read yet. */
  #arrived: string[] = []
  /** What arrives next, all of one moment. */
  #onTheWay: { at: number; lines: string[] } | undefined
  #lastAt = 0
  #isSilent = false
  #held: Held | undefined
  /** Whether its end is waited for, since nobody says that it is silent. */
  #isAwaited = false
  #ending: Error | 'end' | undefined
  #wake: (() => void) | undefined
  #stopWatch = () => {}
  #whenOver = () => {}

  constructor(
    clock: SimulatedClock,
    process: Process,
    pointOf: (line: WatchLine) => EventPoint | undefined,
    { traffic, api, interference }: Pick<WireOptions, 'traffic' | 'api' | 'interference'>,
  ) {
    this.#clock = clock
    this.#process = process
    this.#pointOf = pointOf
    this.#interference = interference
    this.#traffic = traffic
    this.#api = api
  }

  begin(
    { watch, timeoutSeconds }: Extract<ApiResponse, { watch: unknown }>,
    signal: AbortSignal | undefined,
    whenOver: () => void,
  ): void {
    // Of a silent connection nobody hears the end either.
    const cancel = this.#clock.after(timeoutSeconds * 1000, () => {
      if (!this.#isSilent) this.#finish('end')
    })
    this.#whenOver = () => {
      cancel()
      whenOver()
    }
    signal?.addEventListener('abort', () => this.#finish(signal.reason as Error), { once: true })
    this.#stopWatch = watch((line) => this.#send(line))
  }

  end(): void {
    this.#finish('end')
  }

  #send(line: WatchLine): void {
    if (this.#isSilent || this.#ending !== undefined) return
    this.#next({ line, point: this.#pointOf(line) })
  }

  #next(aimed: Aimed): void {
    if (this.#isSilent || this.#ending !== undefined) return
    if (this.#held === undefined) this.#applyFault(aimed)
    else this.#wait(aimed, this.#held)
  }

  #applyFault({ line, point }: Aimed): void {
    const fate: EventFate = point === undefined ? { fate: 'passes' } : this.#interference.event(point)
    const text = lineText(line.type, line.object)
    switch (fate.fate) {
      case 'passes':
        this.#push(text, fate.delayMs ?? 0)
        break
      case 'doubled':
        this.#push(text + text, 0)
        break
      case 'lost':
        this.#isSilent = true
        this.#clock.after(noticedAfterMs, () => {
          // From now on nobody can watch from before; who tries gets the error that it must list again.
          this.#api.storage.compact()
          this.#push(`${JSON.stringify(tooOld)}\n`, 0)
          this.#clock.after(eventLagMs + 1, () => this.#finish('end'))
        })
        break
      case 'coalesced': {
        const held = this.#hold(line, fate.mostMs)
        held.isCoalescing = true
        break
      }
      case 'frozen': {
        const held = this.#hold(line, fate.mostMs)
        this.#traffic.afterReconciles(fate.untilReconcile, () => this.#letGo(held))
        break
      }
      case 'cut':
        this.#finish(reset())
        break
      case 'silence':
        this.#isSilent = true
        this.#isAwaited = true
        this.#traffic.pending++
        break
    }
  }

  #hold(line: WatchLine, mostMs: number): Held {
    const held: Held = { lines: [{ line, point: undefined }], isCoalescing: false }
    this.#held = held
    this.#clock.after(mostMs, () => this.#letGo(held))
    return held
  }

  #wait(aimed: Aimed, held: Held): void {
    const [first] = held.lines
    if (held.isCoalescing && first !== undefined && nameOf(first.line) === nameOf(aimed.line)) {
      const one = coalesced(first.line, aimed.line).map((line) => ({ line, point: undefined }))
      held.lines = [...held.lines.slice(1), ...one]
      this.#letGo(held)
    } else held.lines.push(aimed)
  }

  #letGo(held: Held): void {
    if (this.#held !== held) return
    this.#held = undefined
    for (const aimed of held.lines) this.#next(aimed)
  }

  #push(text: string, delayMs: number): void {
    const at = Math.max(this.#lastAt, this.#clock.monotonic() + eventLagMs + delayMs)
    this.#lastAt = at
    if (this.#onTheWay?.at === at) {
      this.#onTheWay.lines.push(text)
      return
    }
    const batch = { at, lines: [text] }
    this.#onTheWay = batch
    this.#clock.after(at - this.#clock.monotonic(), () => {
      if (this.#onTheWay === batch) this.#onTheWay = undefined
      this.#process.clock.whenRunning(() => {
        this.#arrived.push(...batch.lines)
        this.#wake?.()
      })
    })
  }

  #finish(how: Error | 'end'): void {
    if (this.#ending !== undefined) return
    this.#ending = how
    if (this.#isAwaited) this.#traffic.pending--
    this.#stopWatch()
    this.#whenOver()
    this.#process.clock.whenRunning(() => this.#wake?.())
  }

  [Symbol.asyncIterator](): AsyncIterator<Buffer> {
    return { next: () => this.#read() }
  }

  async #read(): Promise<IteratorResult<Buffer>> {
    while (this.#arrived.length === 0 && this.#ending === undefined)
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    this.#wake = undefined
    if (this.#arrived.length > 0) {
      const text = this.#arrived.join('')
      this.#arrived = []
      return { done: false, value: Buffer.from(text) }
    }
    if (this.#ending !== 'end') throw this.#ending
    return { done: true, value: undefined }
  }
}

function nameOf({ object }: WatchLine): string {
  const { metadata } = object as { metadata?: { namespace?: string; name?: string } }
  return `${metadata?.namespace}/${metadata?.name}`
}

/** Two lines about one object as one: what came and went in between was never there. */
function coalesced(first: WatchLine, second: WatchLine): WatchLine[] {
  if (first.type === 'DELETED') return [first, second]
  if (second.type !== 'DELETED') return [{ type: first.type, object: second.object }]
  return first.type === 'ADDED' ? [] : [second]
}

const tooOld = {
  type: 'ERROR',
  object: { kind: 'Status', code: 410, reason: 'Expired', message: 'too old resource version' },
}

/** What is heard of a connection that broke. */
export function reset(): Error {
  return Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' })
}
