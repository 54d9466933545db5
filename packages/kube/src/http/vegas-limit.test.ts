import { expect, test } from 'vitest'
import { bestAfter, firstLimit, limitAfter } from './vegas-limit.ts'

/** A server that works on so many requests at once, for so long each, at the end of a way that takes time as well. */
interface Server {
  readonly atOnce: number
  readonly workMs: number
  readonly wayMs: number
}

/** Sends requests one after the other, as many at once as the limit allows, on and on. */
class Simulation {
  limit = firstLimit
  answers = 0
  now = 0
  readonly #max: number
  #best: number | undefined
  #inFlight: { readonly sent: number; readonly answered: number }[] = []
  /** When each of the server's hands is free again. */
  #free: number[] = []

  constructor(max = 64) {
    this.#max = max
  }

  run(server: Server, answers: number): this {
    this.#free = Array.from({ length: server.atOnce }, () => this.now)
    for (const end = this.answers + answers; this.answers < end; ) this.#step(server)
    return this
  }

  /** Answers in a second, over so many of them. */
  rate(server: Server, answers: number): number {
    const start = this.now
    this.run(server, answers)
    return (1000 * answers) / (this.now - start)
  }

  #step(server: Server): void {
    while (this.#inFlight.length < Math.floor(this.limit)) this.#send(server)
    const next = this.#inFlight.reduce((one, other) => (other.answered < one.answered ? other : one))
    this.now = next.answered
    const tookMs = next.answered - next.sent
    this.#best = bestAfter(this.#best, tookMs)
    const answer = { tookMs, bestMs: this.#best, inFlight: this.#inFlight.length }
    this.limit = limitAfter(this.limit, answer, this.#max)
    this.#inFlight = this.#inFlight.filter((each) => each !== next)
    this.answers += 1
  }

  #send({ workMs, wayMs }: Server): void {
    const hand = this.#free.indexOf(Math.min(...this.#free))
    const done = Math.max(this.#free[hand] ?? 0, this.now + wayMs / 2) + workMs
    this.#free[hand] = done
    this.#inFlight.push({ sent: this.now, answered: done + wayMs / 2 })
  }
}

const near: Server = { atOnce: 2, workMs: 2, wayMs: 1 }

test('A server near by is kept busy, without a long queue in front of it', () => {
  const simulation = new Simulation().run(near, 5_000)
  expect(simulation.limit).toBeLessThan(32)
  expect(simulation.rate(near, 5_000)).toBeGreaterThan(0.98 * 1_000)
})

test('A distant server with room for all requests gets as many as we may send', () => {
  const far: Server = { atOnce: 100, workMs: 2, wayMs: 80 }
  expect(new Simulation().run(far, 10_000).limit).toBeCloseTo(64, 0)
})

test('A server that becomes slow gets fewer requests at once but never none, and more again when it recovers', () => {
  const strong: Server = { atOnce: 40, workMs: 5, wayMs: 5 }
  const slow: Server = { ...strong, atOnce: 4, workMs: 50 }
  const simulation = new Simulation().run(strong, 5_000)
  expect(simulation.limit).toBeGreaterThan(40)
  expect(simulation.run(slow, 3_000).limit).toBeLessThan(36)
  expect(simulation.limit).toBeGreaterThanOrEqual(firstLimit)
  expect(simulation.run(strong, 5_000).limit).toBeGreaterThan(40)
})

test('A network path that has become longer is not taken for an overload for ever', () => {
  const [short, long] = [
    { atOnce: 100, workMs: 1, wayMs: 1 },
    { atOnce: 100, workMs: 1, wayMs: 30 },
  ]
  const simulation = new Simulation().run(short, 5_000)
  expect(simulation.run(long, 1_000).limit).toBeLessThan(40)
  expect(simulation.run(long, 100_000).limit).toBeCloseTo(64, 0)
})

test('A client that sends little does not raise the limit', () => {
  expect(limitAfter(16, { tookMs: 5, bestMs: 5, inFlight: 1 }, 64)).toBe(16)
})

test('Slow responses to earlier requests do not raise a limit that an overload has cut', () => {
  expect(limitAfter(2, { tookMs: 500, bestMs: 5, inFlight: 32 }, 64)).toBe(2)
})

test.each([
  { case: 'half of the limit in use, and no line', limit: 16, inFlight: 8, slower: 1, becomes: 16 + 1 / 16 },
  { case: 'less than half of the limit in use', limit: 16, inFlight: 7, slower: 1, becomes: 16 },
  { case: 'a line of fewer than 16', limit: 40, inFlight: 30, slower: 2, becomes: 40 + 1 / 40 },
  { case: 'a line of 16', limit: 40, inFlight: 32, slower: 2, becomes: 40 },
  { case: 'a line of 24', limit: 40, inFlight: 48, slower: 2, becomes: 40 },
  { case: 'a line of 25', limit: 40, inFlight: 50, slower: 2, becomes: 40 - 25 / 24 / 40 },
  { case: 'a line of 48', limit: 40, inFlight: 64, slower: 4, becomes: 40 - 2 / 40 },
  { case: 'a long line, and hardly any room below', limit: 16.01, inFlight: 96, slower: 4, becomes: 16 },
  { case: 'no line, and hardly any room above', limit: 63.999, inFlight: 63, slower: 1, becomes: 64 },
])('With $case a limit of $limit becomes $becomes', ({ limit, inFlight, slower, becomes }) => {
  expect(limitAfter(limit, { tookMs: 5 * slower, bestMs: 5, inFlight }, 64)).toBe(becomes)
})

test('The best time is the first, then any faster one; slower ones raise it by a fifty-thousandth of the difference', () => {
  expect(bestAfter(undefined, 7)).toBe(7)
  expect(bestAfter(7, 5)).toBe(5)
  expect(bestAfter(5, 5)).toBe(5)
  expect(bestAfter(5, 50_005)).toBeCloseTo(6, 6)
})
