import { Deferred } from './deferred.ts'
import type { Fault } from './faults.ts'
import type { RequestPredicate, SeenRequest } from './requests.ts'

export interface Rule {
  readonly when: RequestPredicate
  readonly fault: Fault
  /** How many requests it meets: 1 unless given; `Infinity` until it is lifted. */
  readonly times?: number
}

/** A rule at work. */
export class Injection {
  readonly rule: Rule
  readonly #lifted = new Deferred()
  #met = 0
  #isLifted = false

  constructor(rule: Rule) {
    this.rule = rule
  }

  /** How many requests it has met. */
  get met(): number {
    return this.#met
  }

  /** Resolves when it is lifted: what it stalls then goes on. */
  get lifted(): Promise<void> {
    return this.#lifted.promise
  }

  /** Meets no further request, and lets go of those that it stalls. */
  lift(): void {
    this.#isLifted = true
    this.#lifted.resolve()
  }

  /** True if the rule applies to this request, which is then counted. */
  meets(request: SeenRequest): boolean {
    const { when, times = 1 } = this.rule
    if (this.#isLifted || this.#met >= times || !when(request)) return false
    this.#met += 1
    return true
  }
}

/** What is to happen to one request. */
export interface Fate {
  readonly delayMs: number
  readonly fault: Fault | undefined
  /** Resolves when the fault is lifted. */
  readonly lifted: Promise<void>
}

/** All rules, in the order of their injection: delays add up, and of the other faults the first that matches is taken. */
export class Rules {
  readonly #injections: Injection[] = []

  add(rule: Rule): Injection {
    const injection = new Injection(rule)
    this.#injections.push(injection)
    return injection
  }

  fateOf(request: SeenRequest): Fate {
    let delayMs = 0
    for (const injection of this.#injections) {
      if (!injection.meets(request)) continue
      const { fault } = injection.rule
      if (fault.type !== 'delay') return { delayMs, fault, lifted: injection.lifted }
      delayMs += fault.milliseconds
    }
    return { delayMs, fault: undefined, lifted: Promise.resolve() }
  }

  liftAll(): void {
    for (const injection of this.#injections.splice(0)) injection.lift()
  }
}
