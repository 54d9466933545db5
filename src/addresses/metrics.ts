import { Counter, Gauge, type Registry } from 'prom-client'

/** What became of the address of an Ingress when it was looked at. */
export type AddressResult =
  | 'written'
  | 'cleared'
  | 'unchanged'
  | 'waiting'
  | 'conflict'
  | 'refused'
  | 'contested'
  | 'error'

/** What is counted about addresses. How many wait, and since when, the queue `addresses` tells. */
export class AddressMetrics {
  readonly #results: Counter<'result'>
  readonly #lag: Gauge<'controller'>

  constructor({
    registry,
    prefix = 'portcullis',
  }: { readonly registry: Registry; readonly prefix?: string }) {
    const registers = [registry]
    this.#results = new Counter({
      name: `${prefix}_ingress_addresses_total`,
      help: 'Ingresses whose address was looked at, by what became of it.',
      labelNames: ['result'],
      registers,
    })
    this.#lag = new Gauge({
      name: `${prefix}_ingress_address_lag_seconds`,
      help: 'From the change of the addresses of a controller to the last Ingress that was told.',
      labelNames: ['controller'],
      registers,
    })
  }

  count(result: AddressResult): void {
    this.#results.inc({ result })
  }

  wrote(controller: string, lagMs: number): void {
    this.#lag.set({ controller }, lagMs / 1000)
  }

  forget(controller: string): void {
    this.#lag.remove({ controller })
  }

  /** Who does not lead any more tells nobody. */
  beginTerm(): void {
    this.#lag.reset()
  }
}
