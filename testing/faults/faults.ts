import type { Random } from '@portcullis/kube'
import type { EventFate, EventPoint, Interference, RequestFate, RequestPoint } from './simulation/wire.ts'

/** What goes wrong, and with which request or which line of a watch. */
export type Fault =
  | {
      readonly at: 'request'
      readonly number: number
      readonly kind: RequestFault
      /** An operator that is stopped may go on when another one has written so often. */
      readonly untilWrite?: number
    }
  | { readonly at: 'event'; readonly number: number; readonly kind: EventFault }
  | {
      readonly at: 'event'
      readonly number: number
      readonly kind: 'frozen'
      /** A store may be frozen until so many reconciles have ended. */
      readonly untilReconcile: number
    }

/** The kinds of faults: by these names they are counted, and given on the command line. */
export const requestFaults = {
  'crash before': { fate: 'kills', when: 'before' },
  'crash after': { fate: 'kills', when: 'after' },
  'answer 404': { fate: 'refused', code: 404 },
  'answer 409': { fate: 'refused', code: 409 },
  'answer 429': { fate: 'refused', code: 429, retryAfter: '1' },
  'answer 500': { fate: 'refused', code: 500 },
  'answer 503': { fate: 'refused', code: 503 },
  'answer 500 after': { fate: 'refused', code: 500, when: 'after' },
  'answer 503 after': { fate: 'refused', code: 503, when: 'after' },
  'time-out before': { fate: 'hangs', when: 'before' },
  'time-out after': { fate: 'hangs', when: 'after' },
  'reset before': { fate: 'breaks', when: 'before' },
  'reset after': { fate: 'breaks', when: 'after' },
  'late answer': { fate: 'passes', delayMs: 3_000 },
  // Longer than a lease lasts.
  'stop before': { fate: 'stops', when: 'before', forMs: 16_000 },
  'stop after': { fate: 'stops', when: 'after', forMs: 16_000 },
} as const satisfies Record<string, RequestFate>
export type RequestFault = keyof typeof requestFaults

export const eventFaults = {
  lost: { fate: 'lost' },
  doubled: { fate: 'doubled' },
  coalesced: { fate: 'coalesced', mostMs: 1_000 },
  cut: { fate: 'cut' },
  silence: { fate: 'silence' },
  'reordered by 30 ms': { fate: 'passes', delayMs: 30 },
  'frozen for 1 s': { fate: 'passes', delayMs: 1_000 },
  'frozen for 4 s': { fate: 'passes', delayMs: 4_000 },
  'frozen for 12 s': { fate: 'passes', delayMs: 12_000 },
} as const satisfies Record<string, EventFate>
export type EventFault = keyof typeof eventFaults

/** What can go wrong with one request: a crash matters only where something is written. */
export function faultsOf({ isWrite }: Pick<RequestPoint, 'isWrite'>, isElected: boolean): RequestFault[] {
  const all = Object.keys(requestFaults) as RequestFault[]
  return all
    .filter((kind) => isElected || !kind.startsWith('stop'))
    .filter((kind) => isWrite || !/^(crash|stop|late|answer 409)|after$/.test(kind))
}

/** Lets these faults happen, each once, and nothing else. */
export class Faults implements Interference {
  readonly #requests = new Map<number, Extract<Fault, { at: 'request' }>>()
  readonly #events = new Map<number, Extract<Fault, { at: 'event' }>>()
  readonly #missed: Set<Fault>
  readonly #chance: Random | undefined

  /** @param chance where given, answers and events take their time as chance will have it */
  constructor(faults: readonly Fault[], chance?: Random) {
    this.#missed = new Set(faults)
    for (const fault of faults) {
      if (fault.at === 'request') this.#requests.set(fault.number, fault)
      else this.#events.set(fault.number, fault)
    }
    this.#chance = chance
  }

  request({ number }: RequestPoint): RequestFate {
    const fault = this.#requests.get(number)
    if (fault === undefined) return this.#byChance(8)
    this.#missed.delete(fault)
    return requestFate(fault.kind, fault.untilWrite)
  }

  event({ number }: EventPoint): EventFate {
    const fault = this.#events.get(number)
    if (fault === undefined) return this.#byChance(40)
    this.#missed.delete(fault)
    return eventFate(fault)
  }

  /** Those that have not happened: not every history comes to every point. */
  get missed(): readonly Fault[] {
    return [...this.#missed]
  }

  #byChance(mostMs: number): { fate: 'passes'; delayMs?: number } {
    const chance = this.#chance?.() ?? 1
    return chance > 0.5 ? { fate: 'passes' } : { fate: 'passes', delayMs: Math.ceil(chance * 2 * mostMs) }
  }
}

function requestFate(kind: RequestFault, untilWrite?: number): RequestFate {
  const fate: RequestFate = requestFaults[kind]
  // Should the others never write so often, it is woken after all.
  return fate.fate === 'stops' && untilWrite !== undefined ? { ...fate, forMs: 25_000, untilWrite } : fate
}

/** Whatever is put off is due by then, and an operator does not yet take the watch for silent. */
const longestFreezeMs = 70_000

function eventFate(fault: Extract<Fault, { at: 'event' }>): EventFate {
  if (fault.kind !== 'frozen') return eventFaults[fault.kind]
  return { fate: 'frozen', untilReconcile: fault.untilReconcile, mostMs: longestFreezeMs }
}

const pattern = /^(request|event) (\d+): (.+?)(?: until (\d+))?$/

export function faultText(fault: Fault): string {
  const until = untilOf(fault)
  return `${fault.at} ${fault.number}: ${fault.kind}${until === undefined ? '' : ` until ${until}`}`
}

/** By what faults are counted. */
export function faultKind(fault: Fault): string {
  if (untilOf(fault) === undefined) return fault.kind
  return `${fault.kind} until each ${fault.at === 'request' ? 'write' : 'reconcile'}`
}

function untilOf(fault: Fault): number | undefined {
  if (fault.at === 'request') return fault.untilWrite
  return fault.kind === 'frozen' ? fault.untilReconcile : undefined
}

export function parseFault(text: string): Fault {
  const [, at, digits, kind = '', until] = pattern.exec(text) ?? []
  const number = Number(digits)
  if (at === 'request' && kind in requestFaults)
    return { at, number, kind: kind as RequestFault, ...(until && { untilWrite: Number(until) }) }
  if (at === 'event' && kind === 'frozen' && until) return { at, number, kind, untilReconcile: Number(until) }
  if (at === 'event' && kind in eventFaults && !until) return { at, number, kind: kind as EventFault }
  throw new Error(
    `"${text}" is no fault; write "request 12: crash after", "event 3: lost" or "event 3: frozen until 2".`,
  )
}
