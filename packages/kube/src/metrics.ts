import { Counter, Gauge, type GaugeConfiguration, Histogram, Registry } from 'prom-client'

/** All metrics of this package. One object, created once and passed to whatever counts something. */
export type Metrics = ReturnType<typeof createMetrics>

const requestSeconds = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]
const waitSeconds = [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10, 60, 300]

/** @param prefix put before each name, as in `portcullis_queue_depth` */
export function createMetrics(prefix: string) {
  const registry = new Registry()
  const registers = [registry]
  const counter = <L extends string>(name: string, help: string, labelNames: L[]) =>
    new Counter({ name: `${prefix}_${name}`, help, labelNames, registers })
  const gauge = <L extends string>(name: string, help: string, labelNames: L[]) =>
    new Gauge({ name: `${prefix}_${name}`, help, labelNames, registers })
  const polledGauge = <L extends string>(name: string, help: string, labelNames: L[]) =>
    new PolledGauge({ name: `${prefix}_${name}`, help, labelNames, registers })
  const histogram = <L extends string>(name: string, help: string, labelNames: L[], buckets: number[]) =>
    new Histogram({ name: `${prefix}_${name}`, help, labelNames, buckets, registers })

  return {
    registry,
    requests: counter(
      'api_requests_total',
      'Requests to the API server by verb, kind and HTTP status; code "error" where there was no answer.',
      ['verb', 'kind', 'code'],
    ),
    requestDuration: histogram(
      'api_request_duration_seconds',
      'Time from sending a request to having read the whole answer.',
      ['verb', 'kind'],
      requestSeconds,
    ),
    concurrencyLimit: gauge(
      'api_concurrency_limit',
      'Requests that may be in flight at once; falls when the API server says that it is overloaded, or is slow to answer.',
      ['client'],
    ),
    overloads: counter(
      'api_overloads_total',
      'Answers by which the API server asked for patience (429, or 503 with Retry-After).',
      [],
    ),
    watchRestarts: counter('watch_restarts_total', 'Watches started again, by kind and cause.', [
      'kind',
      'cause',
    ]),
    watchEvents: counter('watch_events_total', 'Events received from watches.', ['kind']),
    unreadableObjects: counter(
      'unreadable_objects_total',
      'Versions of objects that were left out of memory because they could not be understood, by kind. The log names them.',
      ['kind'],
    ),
    storeObjects: gauge('store_objects', 'Objects held in memory, by kind.', ['kind']),
    queueDepth: polledGauge('queue_depth', 'Keys waiting to be reconciled.', ['queue']),
    queueOldest: polledGauge(
      'queue_oldest_seconds',
      'How long the key at the head of the queue has been waiting.',
      ['queue'],
    ),
    queueAdds: counter('queue_adds_total', 'Keys added, those already waiting not counted.', ['queue']),
    queueWait: histogram('queue_wait_seconds', 'How long keys waited for a worker.', ['queue'], waitSeconds),
    queueRetries: counter('queue_retries_total', 'Keys added again after a failure.', ['queue']),
    reconciles: counter(
      'reconciles_total',
      'Reconciles by result: success, error, or aborted when the term ended.',
      ['controller', 'result'],
    ),
    reconcileDuration: histogram(
      'reconcile_duration_seconds',
      'How long a reconcile took.',
      ['controller'],
      requestSeconds,
    ),
    leader: gauge('leader', '1 while this process holds the lease, else 0.', ['lease']),
    eventsDropped: counter('events_dropped_total', 'Events that could not be recorded, by cause.', ['cause']),
  }
}

/** A gauge that computes its values at the scrape: an age grows without any event. */
class PolledGauge<L extends string> {
  readonly #gauge: Gauge<L>
  readonly #polls = new Set<() => void>()

  constructor(configuration: GaugeConfiguration<L>) {
    this.#gauge = new Gauge({ ...configuration, collect: () => this.#polls.forEach((poll) => poll()) })
  }

  /** Reports what `read` returns, until the returned function is called. */
  poll(labels: Record<L, string>, read: () => number): () => void {
    const poll = () => this.#gauge.set(labels, read())
    this.#polls.add(poll)
    return () => {
      this.#polls.delete(poll)
      this.#gauge.remove(labels)
    }
  }
}
