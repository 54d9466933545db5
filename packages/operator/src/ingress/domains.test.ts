import type { Cached } from '@portcullis/kube'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { IngressController } from '../api/ingress-controller.ts'
import { domainHeld, domainHolder } from './domains.ts'
import type { Snapshot } from './snapshot.ts'

type Controller = Cached<IngressController>

interface Person {
  readonly asks: string
  readonly holds?: string
  /** Something else in its spec is wrong. */
  readonly isInvalid?: boolean
}

/** Controllers that are decided on one by one, each by itself, as the reconciler does it; named by letters, eldest first. */
class Controllers {
  readonly #all = new Map<string, Controller>()
  readonly #invalid = new Set<string>()

  constructor(people: Readonly<Record<string, Person>>) {
    Object.entries(people).forEach(([name, { asks, holds, isInvalid }], at) => {
      const creationTimestamp = new Date(Date.UTC(2030, 0, 1, at)).toISOString()
      this.#all.set(name, {
        metadata: { name, uid: name, resourceVersion: '1', generation: 1, creationTimestamp },
        spec: { domain: asks },
        status: holds === undefined ? {} : { domain: holds },
      })
      if (isInvalid) this.#invalid.add(name)
    })
  }

  /** Decides now; what comes of it is written when the answer is called, unless another client wrote to it in between. */
  look(name: string): () => boolean {
    const seen = this.#get(name)
    const others = [...this.#all.values()].filter((other) => other !== seen)
    const domain = seen.spec?.domain ?? ''
    const held = domainHolder(domain, { controller: seen, others, settings: {} } as unknown as Snapshot)
    const reason = this.#invalid.has(name) ? 'Invalid' : held === undefined ? 'Valid' : domainHeld
    const isAdmitted = reason === 'Valid'
    const status = {
      ...(isAdmitted ? { domain } : seen.status?.domain !== undefined && { domain: seen.status.domain }),
      observedGeneration: seen.metadata.generation ?? 0,
      conditions: [
        { type: 'Admitted', status: isAdmitted ? 'True' : 'False', reason, lastTransitionTime: '' } as const,
      ],
    }
    return () => {
      if (this.#get(name) !== seen) return false
      if (JSON.stringify(seen.status) === JSON.stringify(status)) return false
      this.#all.set(name, { ...seen, status })
      return true
    }
  }

  ask(name: string, domain: string): void {
    const { metadata, ...rest } = this.#get(name)
    const generation = (metadata.generation ?? 0) + 1
    this.#all.set(name, { ...rest, metadata: { ...metadata, generation }, spec: { domain } })
  }

  mend(name: string): void {
    this.#invalid.delete(name)
    this.ask(name, this.#get(name).spec?.domain ?? '')
  }

  /** Looks at everyone by turns, in this order, until nothing changes. */
  settle(order: readonly string[] = this.names): this {
    for (let round = 0; round < 50; round++) {
      if (!order.map((name) => this.look(name)()).includes(true)) return this
    }
    throw new Error('They never come to rest.')
  }

  get names(): readonly string[] {
    return [...this.#all.keys()]
  }

  get domains(): Readonly<Record<string, string | undefined>> {
    return Object.fromEntries(this.names.map((name) => [name, this.#get(name).status?.domain]))
  }

  isAdmitted(name: string): boolean {
    return this.#get(name).status?.conditions?.[0]?.status === 'True'
  }

  #get(name: string): Controller {
    const found = this.#all.get(name)
    if (found === undefined) throw new Error(`There is no ${name}.`)
    return found
  }
}

/** Each asks for what the next one holds. */
const ring = (length: number): Record<string, Person> =>
  Object.fromEntries(
    Array.from({ length }, (_, at) => [
      String.fromCodePoint(97 + at),
      { holds: `${at}.example`, asks: `${(at + 1) % length}.example` },
    ]),
  )

describe('controllers that want each other’s domains', () => {
  test.each([2, 3, 5])(
    'Controllers that want each other’s domains get them, %d in a ring, in any order of reconciles',
    (length) => {
      const { names } = new Controllers(ring(length))
      for (const order of [names, names.toReversed(), [...names.slice(1), names[0] ?? '']]) {
        const all = new Controllers(ring(length)).settle(order)
        expect(all.domains).toEqual(
          Object.fromEntries(names.map((name, at) => [name, `${(at + 1) % length}.example`])),
        )
      }
    },
  )

  test('Controllers that want each other’s domains get them before an older controller that waits for one of them', () => {
    const all = new Controllers({ older: { asks: '0.example' }, ...ring(3) }).settle()
    expect(all.domains).toEqual({ older: undefined, a: '1.example', b: '2.example', c: '0.example' })
    expect(all.isAdmitted('older')).toBe(false)
  })

  test('Controllers that want each other’s domains stay where they are while one of them cannot be admitted, and get them when it can', () => {
    const people = ring(3)
    const all = new Controllers({ ...people, b: { ...people['b'], asks: '2.example', isInvalid: true } })
    expect(all.settle().domains).toEqual({ a: '0.example', b: '1.example', c: '2.example' })
    all.mend('b')
    expect(all.settle().domains).toEqual({ a: '1.example', b: '2.example', c: '0.example' })
  })

  test('Controllers that want each other’s domains have a message that says so while they wait', () => {
    const [a, b] = ['a', 'b'].map((name, at) => ({
      metadata: { name, uid: name, resourceVersion: '1' },
      spec: { domain: `${1 - at}.example` },
      status: { domain: `${at}.example` },
    }))
    const snapshot = { controller: a, others: [b], settings: {} } as unknown as Snapshot
    expect(domainHolder('1.example', snapshot)).toEqual({ holder: b, isInRing: true })
    const one = { ...b, spec: { domain: 'third.example' } }
    expect(domainHolder('1.example', { ...snapshot, others: [one] } as unknown as Snapshot)).toEqual({
      holder: one,
      isInRing: false,
    })
  })
})

describe('a ring goes on only if nothing else keeps the other from being admitted, which must be true of', () => {
  const waiting = (more: object, generation = 1) => ({
    metadata: { name: 'b', uid: 'b', resourceVersion: '1', generation: 1, ...more },
    spec: { domain: '0.example' },
    status: {
      domain: '1.example',
      observedGeneration: generation,
      conditions: [{ type: 'Admitted', status: 'False', reason: 'DomainHeld' }],
    },
  })
  const held = (b: object) => {
    const a = {
      metadata: { name: 'a', uid: 'a', resourceVersion: '1', generation: 1 },
      spec: { domain: '1.example' },
      status: { domain: '0.example' },
    }
    return domainHolder('1.example', { controller: a, others: [b], settings: {} } as unknown as Snapshot)
  }

  test('A ring goes on only if the other controller is waiting with its spec as it is now', () => {
    expect(held(waiting({}))).toBeUndefined()
    expect(held(waiting({}, 0))).toMatchObject({ isInRing: true })
  })

  test('A ring goes on only if the other controller is not being deleted', () => {
    expect(held(waiting({ deletionTimestamp: '2030-01-01T00:00:00Z' }))).toMatchObject({ isInRing: true })
  })
})

test('Of two controllers that briefly hold one domain, the one that requests it keeps it, even if younger', () => {
  const one = (name: string, asks: string, hour: number) => ({
    metadata: { name, uid: name, resourceVersion: '1', creationTimestamp: `2030-01-01T0${hour}:00:00Z` },
    spec: { domain: asks },
    status: { domain: 'x' },
  })
  const [elder, younger] = [one('elder', 'y', 1), one('younger', 'x', 2)]
  const third = { ...one('third', 'x', 0), status: {} }
  const snapshot = { controller: third, others: [elder, younger], settings: {} } as unknown as Snapshot
  expect(domainHolder('x', snapshot)?.holder).toBe(younger)
})

test('A domain is not given away before its holder has stopped using it', () => {
  const all = new Controllers({ a: { holds: 'x', asks: 'y', isInvalid: true }, b: { asks: 'x' } }).settle()
  expect(all.domains).toEqual({ a: 'x', b: undefined })
  all.mend('a')
  expect(all.settle().domains).toEqual({ a: 'y', b: 'x' })
})

const names = ['a', 'b', 'c', 'd', 'e']
const domains = ['0', '1', '2', '3', '4', '5']
const anybody = fc.constantFrom(...names)
const steps = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.record({ do: fc.constant('look' as const), who: anybody }) },
    { weight: 4, arbitrary: fc.record({ do: fc.constant('write' as const), who: anybody }) },
    {
      weight: 1,
      arbitrary: fc.record({
        do: fc.constant('ask' as const),
        who: anybody,
        domain: fc.constantFrom(...domains),
      }),
    },
  ),
  { maxLength: 60 },
)
const situations = fc.tuple(
  fc.uniqueArray(fc.constantFrom(...domains), { minLength: names.length, maxLength: names.length }),
  fc.array(fc.constantFrom(...domains), { minLength: names.length, maxLength: names.length }),
)

function controllersOf([held, asked]: readonly [readonly string[], readonly string[]]): Controllers {
  const people = names.map((name, at) => [name, { holds: held[at] ?? '', asks: asked[at] ?? '' }] as const)
  return new Controllers(Object.fromEntries(people))
}

/** Any of them may be looked at while another's answer is still on its way. */
function play(all: Controllers, history: readonly { do: string; who: string; domain?: string }[]): void {
  const answers = new Map<string, () => boolean>()
  for (const { do: what, who, domain = '' } of history) {
    if (what === 'look') answers.set(who, all.look(who))
    else if (what === 'write') answers.get(who)?.()
    else all.ask(who, domain)
  }
  all.settle()
}

test('No two controllers hold one domain after convergence, in any order of reconciles', () => {
  fc.assert(
    fc.property(situations, steps, (situation, history) => {
      const all = controllersOf(situation)
      play(
        all,
        history.filter((step) => step.do !== 'ask'),
      )
      const held = Object.values(all.domains)
      expect(new Set(held).size).toBe(held.length)
    }),
    { numRuns: 500 },
  )
})

test('Controllers converge after any changes, and no two are admitted with one domain', () => {
  fc.assert(
    fc.property(situations, steps, (situation, history) => {
      const all = controllersOf(situation)
      play(all, history)
      const held = all.names.filter((name) => all.isAdmitted(name)).map((name) => all.domains[name])
      expect(new Set(held).size).toBe(held.length)
    }),
    { numRuns: 500 },
  )
})
