import type { Clock } from '@portcullis/kube'

interface Timer {
  readonly at: number
  readonly turn: number
  callback: (() => void) | undefined
}

/** The time of a simulation: it stands still until the next thing that is due is let happen. */
export class SimulatedClock implements Clock {
  static readonly start = Date.parse('2030-01-01T00:00:00Z')
  #elapsed: number
  #turn = 0
  /** A binary heap: the earliest first, and of those the one that was asked for first. */
  readonly #heap: Timer[] = []

  constructor(elapsed = 0) {
    this.#elapsed = elapsed
  }

  now(): Date {
    return new Date(SimulatedClock.start + this.#elapsed)
  }

  monotonic(): number {
    return this.#elapsed
  }

  after(milliseconds: number, callback: () => void): () => void {
    const timer: Timer = { at: this.#elapsed + Math.max(0, milliseconds), turn: this.#turn++, callback }
    this.#push(timer)
    return () => {
      timer.callback = undefined
    }
  }

  /** When the next thing is due; undefined when nothing is. */
  get nextAt(): number | undefined {
    while (this.#heap[0] !== undefined && this.#heap[0].callback === undefined) this.#pop()
    return this.#heap[0]?.at
  }

  /** Turns the clock to the next thing that is due, and lets it happen. */
  fireNext(): void {
    if (this.nextAt === undefined) return
    const timer = this.#pop()
    if (timer?.callback === undefined) return
    this.#elapsed = Math.max(this.#elapsed, timer.at)
    timer.callback()
  }

  #push(timer: Timer): void {
    const heap = this.#heap
    let index = heap.length
    heap.push(timer)
    while (index > 0) {
      const parent = (index - 1) >> 1
      const above = heap[parent] as Timer
      if (!isEarlier(timer, above)) break
      heap[index] = above
      index = parent
    }
    heap[index] = timer
  }

  #pop(): Timer | undefined {
    const heap = this.#heap
    const first = heap[0]
    const last = heap.pop()
    if (last === undefined || heap.length === 0) return first
    let index = 0
    for (;;) {
      let child = 2 * index + 1
      if (child >= heap.length) break
      const right = heap[child + 1]
      if (right !== undefined && isEarlier(right, heap[child] as Timer)) child++
      const below = heap[child] as Timer
      if (!isEarlier(below, last)) break
      heap[index] = below
      index = child
    }
    heap[index] = last
    return first
  }
}

function isEarlier(one: Timer, other: Timer): boolean {
  return one.at < other.at || (one.at === other.at && one.turn < other.turn)
}

/** The time as one process sees it: it may be stopped, as by SIGSTOP, and what fell due meanwhile then comes late. */
export class ProcessClock implements Clock {
  readonly #simulation: SimulatedClock
  readonly #aheadMs: number
  #state: 'running' | 'stopped' | 'dead' = 'running'
  #late: (() => void)[] = []

  /** @param aheadMs by how much the clock of its machine is ahead of the others', or behind them */
  constructor(simulation: SimulatedClock, aheadMs = 0) {
    this.#simulation = simulation
    this.#aheadMs = aheadMs
  }

  now(): Date {
    return new Date(this.#simulation.now().getTime() + this.#aheadMs)
  }

  monotonic(): number {
    return this.#simulation.monotonic()
  }

  after(milliseconds: number, callback: () => void): () => void {
    let isCancelled = false
    const run = () => {
      if (isCancelled || this.#state === 'dead') return
      if (this.#state === 'stopped') this.#late.push(run)
      else callback()
    }
    const cancel = this.#state === 'dead' ? () => {} : this.#simulation.after(milliseconds, run)
    return () => {
      isCancelled = true
      cancel()
    }
  }

  get isRunning(): boolean {
    return this.#state === 'running'
  }

  get isDead(): boolean {
    return this.#state === 'dead'
  }

  /** Runs now, or when the process goes on; never, if it is dead. */
  whenRunning(callback: () => void): void {
    if (this.#state === 'running') callback()
    else if (this.#state === 'stopped') this.#late.push(callback)
  }

  stop(): void {
    if (this.#state === 'running') this.#state = 'stopped'
  }

  goOn(): void {
    if (this.#state !== 'stopped') return
    this.#state = 'running'
    for (const callback of this.#late.splice(0)) callback()
  }

  die(): void {
    this.#state = 'dead'
    this.#late = []
  }
}
