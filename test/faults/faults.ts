import type { Random } from '../../src/kube/backoff.ts'
import type { EventFate, EventPoint, Interference, RequestFate, RequestPoint } from './world/wire.ts'

/** What goes wrong, and with which request or which line of a watch. */
export type Fault = Where & {
  /** What lasts may last until so many reconciles have ended, or until another operator has written so often. */
  readonly until?: number
}

type Where =
  | { readonly at: 'request'; readonly number: number; readonly kind: RequestFault }
  | { readonly at: 'event'; readonly number: number; readonly kind: EventFault }

/** The kinds of faults: by these names they are counted, and given on the command line. */
export const requestFaults = {
  'crash before': { fate: 'kills', when: 'before' },
  'crash after': { fate: 'kills', when: 'after' },
  'answer 404': { fate: 'refused', code: 404 },
  'answer 409': { fate: 'refused', code: 409 },
  'answer 429': { fate: 'refused', code: 429, retryAfter: '1' },
  'answer 500': { fate: 'refused', code: 500 },
  'answer 503': { fate: 'refused', code: 503 },
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
    .filter((kind) => isWrite || !/^(crash|stop|late|reset after|time-out after|answer 409)/.test(kind))
}

/** Lets these faults happen, each once, and nothing else. */
export class Faults implements Interference {
  readonly #requests = new Map<number, RequestFate>()
  readonly #events = new Map<number, EventFate>()
  readonly #chance: Random | undefined

  /** @param chance where given, answers and events take their time as chance will have it */
  constructor(faults: readonly Fault[], chance?: Random) {
    for (const fault of faults) {
      if (fault.at === 'request') this.#requests.set(fault.number, requestFate(fault.kind, fault.until))
      else this.#events.set(fault.number, eventFate(fault.kind, fault.until))
    }
    this.#chance = chance
  }

  request({ number }: RequestPoint): RequestFate {
    return this.#requests.get(number) ?? this.#byChance(8)
  }

  event({ number }: EventPoint): EventFate {
    return this.#events.get(number) ?? this.#byChance(40)
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

function eventFate(kind: EventFault, untilReconcile?: number): EventFate {
  const fate: EventFate = eventFaults[kind]
  if (fate.fate !== 'passes' || untilReconcile === undefined) return fate
  return { fate: 'frozen', untilReconcile, mostMs: fate.delayMs ?? 0 }
}

const pattern = /^(request|event) (\d+): (.+?)(?: until (\d+))?$/

export function faultText({ at, number, kind, until }: Fault): string {
  return `${at} ${number}: ${kind}${until === undefined ? '' : ` until ${until}`}`
}

/** By what faults are counted. */
export function faultKind({ kind, until }: Fault): string {
  return until === undefined ? kind : `${kind} until each ${kind.startsWith('stop') ? 'write' : 'reconcile'}`
}

export function parseFault(text: string): Fault {
  const [, at, number, kind = '', until] = pattern.exec(text) ?? []
  const rest = { number: Number(number), ...(until !== undefined && { until: Number(until) }) }
  if (at === 'request' && kind in requestFaults) return { at, kind: kind as RequestFault, ...rest }
  if (at === 'event' && kind in eventFaults) return { at, kind: kind as EventFault, ...rest }
  throw new Error(`"${text}" is no fault; write "request 12: crash after" or "event 3: lost".`)
}
