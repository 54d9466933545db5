import { ApiError, ConnectionError, isConflict, isNotFound, WriteRefusedError } from '@portcullis/kube'
import { Counter, Gauge, type Registry } from 'prom-client'

/** What became of the address of an Ingress when it was looked at. */
export type AddressResult =
  | 'written'
  | 'cleared'
  | 'unchanged'
  | 'excluded'
  | 'waiting'
  | 'contested'
  | 'failed'

/** Why an address could not be written. */
export type AddressFailure =
  /** Another client wrote first; requeued at once. */
  | 'conflict'
  /** The Ingress went meanwhile. */
  | 'gone'
  /** The API server does not take the address. */
  | 'refused'
  /** Our own account may not write there. */
  | 'forbidden'
  /** The API server asked for more patience than there was. */
  | 'overloaded'
  /** The API server failed. */
  | 'server'
  /** No answer came. */
  | 'unreachable'
  /** The process is stopping, or leads no more. */
  | 'stopped'
  | 'other'

/** The metrics of addresses. How many wait, and since when, is in those of the queue `addresses`. */
export class AddressMetrics {
  readonly #results: Counter<'result'>
  readonly #failures: Counter<'reason'>
  readonly #lag: Gauge<'controller'>

  constructor({
    registry,
    prefix = 'portcullis',
  }: { readonly registry: Registry; readonly prefix?: string }) {
    const registers = [registry]
    this.#results = new Counter({
      name: `${prefix}_ingress_addresses_total`,
      help: 'Ingresses whose address was reconciled, by result: written, cleared, unchanged, excluded (its IngressController does not select it), waiting, contested or failed.',
      labelNames: ['result'],
      registers,
    })
    this.#failures = new Counter({
      name: `${prefix}_ingress_address_failures_total`,
      help: 'Addresses that could not be written, by reason: conflict, gone, refused, forbidden, overloaded, server, unreachable, stopped or other. All but the refused ones are retried.',
      labelNames: ['reason'],
      registers,
    })
    this.#lag = new Gauge({
      name: `${prefix}_ingress_address_lag_seconds`,
      help: 'Seconds from the change of the addresses of an IngressController to the write to its last Ingress.',
      labelNames: ['controller'],
      registers,
    })
  }

  count(result: AddressResult): void {
    this.#results.inc({ result })
  }

  countFailure(reason: AddressFailure): void {
    this.count('failed')
    this.#failures.inc({ reason })
  }

  wrote(controller: string, lagMs: number): void {
    this.#lag.set({ controller }, lagMs / 1000)
  }

  forget(controller: string): void {
    this.#lag.remove({ controller })
  }

  /** A process that no longer leads reports no metrics about them. */
  beginTerm(): void {
    this.#lag.reset()
  }
}

export function failureOf(error: unknown, signal?: AbortSignal): AddressFailure {
  if (isConflict(error)) return 'conflict'
  if (isNotFound(error)) return 'gone'
  if (error instanceof ApiError) return reasons.get(error.code) ?? (error.code >= 500 ? 'server' : 'other')
  if (error instanceof WriteRefusedError || signal?.aborted) return 'stopped'
  return error instanceof ConnectionError ? 'unreachable' : 'other'
}

const reasons = new Map<number, AddressFailure>([
  [401, 'forbidden'],
  [403, 'forbidden'],
  [422, 'refused'],
  [429, 'overloaded'],
  [503, 'overloaded'],
])
