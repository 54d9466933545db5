import { unlimitedListeners } from '../abort.ts'
import type { Backoff, Random } from '../backoff.ts'
import type { KubeApi, WriteGuard } from '../client/api.ts'
import type { Client } from '../client/client.ts'
import type { Clock } from '../clock.ts'
import { Controller, type Reconcile } from '../controller/controller.ts'
import type { KeySource } from '../controller/source.ts'
import { LeaderElection, type LeaderElectionOptions } from '../election/lease.ts'
import { EventRecorder } from '../events/recorder.ts'
import { type HealthAddress, type HealthCheck, HealthServer } from '../health/health.ts'
import { ScrapeAccess } from '../health/scrape-access.ts'
import { Cache, type CacheReader } from '../informer/cache.ts'
import { Watch } from '../informer/watch.ts'
import {
  type CachesOf,
  type InformerOptions,
  openCaches,
  type WatchedKinds,
} from '../informer/watched-kind.ts'
import type { Logger } from '../log.ts'
import type { Metrics } from '../metrics.ts'
import type { Key, Kind, KubeObject } from '../objects/objects.ts'

export interface ManagerOptions {
  readonly client: Client
  /** Whose work this is, as events name it: `portcullis.dev/ingress`. */
  readonly name: string
  /** The name of this process among its replicas; unique. */
  readonly instance: string
  /** Without it this process reconciles without an election: only where there can be no second one. */
  readonly election?: Pick<
    LeaderElectionOptions,
    'lease' | 'leaseDurationMs' | 'renewDeadlineMs' | 'retryPeriodMs'
  > & {
    /** A client of its own, so that renewals never queue behind ten thousand writes. */
    readonly client: Client
  }
  /** Where to serve /healthz, /readyz and /metrics; port 0 lets the system choose. */
  readonly health?: HealthAddress & {
    /** Asks the API server who may read the metrics; without it every client may. */
    readonly scrapesReviewedBy?: Pick<KubeApi, 'create'>
  }
  /** How long reconciles in flight may take to end after a stop; 20 seconds by default. */
  readonly graceMs?: number
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
  readonly metrics: Metrics
}

/**
 * Reconciles had to be cut off. What they had sent may still be carried out, so the lease must not be given away
 * before its time.
 */
class OverdueError extends Error {
  override readonly name = 'OverdueError'
}

/** What every reconcile is given. */
export interface ReconcileContext {
  /** Writes only while this process leads. */
  readonly client: KubeApi
  readonly events: Pick<EventRecorder, 'record'>
  /** Aborts when the reconcile must end at once: leadership is lost, or the time for a clean end is over. */
  readonly signal: AbortSignal
}

export interface Reconciler {
  readonly name: string
  readonly kind: Kind
  readonly sources: readonly KeySource[]
  readonly reconcile: Reconcile<ReconcileContext>
  readonly workers?: number
  readonly backoff?: Backoff
  /** The owner of a key, such as its namespace: keys of different owners are taken by turns. */
  readonly fairBy?: (key: Key) => string
}

/**
 * Puts the parts together. Say what to watch and what to reconcile, then `run`:
 *
 *  1. health and metrics are served;
 *  2. every watch starts, and all caches that are not optional have their first list;
 *  3. this process is elected;
 *  4. reconcilers work, until it is stopped or loses the election (and then it campaigns again);
 *  5. stopping: what is in flight is finished, events are sent, the lease is released, watches end.
 */
export class Manager {
  readonly #options: ManagerOptions
  readonly #watches: Watched[] = []
  /** The caches of kinds that are watched whole and as they are. */
  readonly #whole = new Map<Kind, CacheReader<KubeObject, never>>()
  readonly #controllers: Controller<ReconcileContext>[] = []
  readonly #election: LeaderElection | undefined
  #stopping = false
  #healthPort: number | undefined

  constructor(options: ManagerOptions) {
    this.#options = options
    const { election, instance, clock, random, log, metrics } = options
    this.#election =
      election && new LeaderElection({ ...election, identity: instance, clock, random, log, metrics })
  }

  /** Keeps the objects of a kind in memory. Callers that want all objects of a kind unprojected share one watch. */
  watch<T extends KubeObject, I extends string = never>(
    kind: Kind<T>,
    options: InformerOptions<T, I> = {},
  ): CacheReader<T, I> {
    if (Object.keys(options).length > 0) return this.#watch(kind, options)
    const store = this.#whole.get(kind) ?? this.#watch<T, never>(kind, {})
    this.#whole.set(kind, store)
    return store as CacheReader<T, never>
  }

  /** Watches every kind of a table. */
  watchAll<Table extends WatchedKinds>(table: Table): CachesOf<Table> {
    return openCaches(table, ({ kind, ...options }) => this.watch(kind, options))
  }

  #watch<T extends KubeObject, I extends string>(
    kind: Kind<T>,
    { name = kind.kind, selection, project, indexes, isOptional = false }: InformerOptions<T, I>,
  ): CacheReader<T, I> {
    const { client, clock, random, log, metrics } = this.#options
    const store = new Cache<T, I>({ name, indexes, log, metrics })
    const watch = new Watch<T>({
      client,
      kind,
      sink: store,
      clock,
      random,
      log,
      metrics,
      ...(selection && { selection }),
      ...(project && { project }),
    })
    this.#watches.push({ name, watch, store, isOptional })
    return store
  }

  reconcile({ kind, ...reconciler }: Reconciler): void {
    const { clock, random, log, metrics } = this.#options
    this.#controllers.push(new Controller({ ...reconciler, kind: kind.kind, clock, random, log, metrics }))
  }

  /** The port of the health server, once `run` listens. */
  get healthPort(): number | undefined {
    return this.#healthPort
  }

  get leading(): boolean {
    return this.#election?.leading ?? true
  }

  /** Runs until `stop` aborts and everything has ended in good order. */
  async run(stop: AbortSignal): Promise<void> {
    const { health, metrics, clock, log } = this.#options
    const healthServer = new HealthServer({
      checks: this.#checks(),
      metrics,
      clock,
      ...(health?.scrapesReviewedBy && { access: new ScrapeAccess(health.scrapesReviewedBy, clock) }),
    })
    if (health !== undefined) this.#healthPort = await healthServer.listen(health)
    const watching = new AbortController()
    unlimitedListeners(watching.signal)
    unlimitedListeners(stop).addEventListener('abort', () => {
      this.#stopping = true
    })
    const watches = this.#watches.map(({ watch }) => watch.run(watching.signal))
    try {
      if (await this.#allSynced(stop)) {
        const synced = this.#watches.filter(({ store }) => store.hasSynced)
        log.info({ caches: synced.length }, 'All caches have synced')
        await this.#whileLeading(stop)
      }
    } finally {
      watching.abort(new Error('the manager has stopped'))
      await Promise.all(watches)
      await healthServer.close()
      log.info({}, 'Stopped')
    }
  }

  /** Except optional ones. False if stopped before. */
  async #allSynced(stop: AbortSignal): Promise<boolean> {
    try {
      const needed = this.#watches.filter(({ isOptional }) => !isOptional)
      await Promise.all(needed.map(({ store }) => store.synced(stop)))
      return true
    } catch {
      return false
    }
  }

  async #whileLeading(stop: AbortSignal): Promise<void> {
    try {
      if (this.#election === undefined) await this.#lead(undefined, stop)
      else await this.#election.run(stop, (term) => this.#lead(term, stop))
    } catch (error) {
      if (!(error instanceof OverdueError)) throw error
      this.#options.log.warn({}, `${error.message}; it was cut off, and the lease is left to run out`)
    }
  }

  /** One term of leadership: works until the stop, or until the guard withdraws its permission. */
  async #lead(guard: WriteGuard | undefined, stop: AbortSignal): Promise<void> {
    const { client, name, instance, clock, random, log, metrics } = this.#options
    const guarded = guard === undefined ? client : client.guardedBy(guard)
    const events = new EventRecorder({
      client: guarded,
      reportingController: name,
      reportingInstance: instance,
      clock,
      random,
      log,
      metrics,
    })
    const { signal, cancel } = this.#cutOff(guard?.signal, stop)
    const context: ReconcileContext = { client: guarded, events, signal }
    try {
      const controllers = this.#controllers.map((controller) => controller.run({ stop, context }))
      await Promise.all([aborted(AbortSignal.any([stop, signal])), ...controllers])
      await events.flush(signal)
      if (signal.reason instanceof OverdueError) throw signal.reason
    } finally {
      cancel()
      events.close()
    }
  }

  /** A signal that aborts when permission is lost, or when the grace after a stop is over. */
  #cutOff(
    permission: AbortSignal | undefined,
    stop: AbortSignal,
  ): { signal: AbortSignal; cancel: () => void } {
    const { clock, graceMs = 20_000 } = this.#options
    const overdue = new AbortController()
    let cancelTimer = () => {}
    const startGrace = () => {
      cancelTimer = clock.after(graceMs, () =>
        overdue.abort(new OverdueError(`Not everything had ended ${graceMs} ms after the stop`)),
      )
    }
    if (stop.aborted) startGrace()
    else stop.addEventListener('abort', startGrace, { once: true })
    const cutOff = permission === undefined ? overdue.signal : AbortSignal.any([permission, overdue.signal])
    return {
      signal: unlimitedListeners(cutOff),
      cancel: () => {
        stop.removeEventListener('abort', startGrace)
        cancelTimer()
      },
    }
  }

  #checks(): HealthCheck[] {
    const stopping: HealthCheck = {
      name: 'running',
      problem: () => (this.#stopping ? 'stopping' : undefined),
    }
    return [stopping, ...this.#watches.map(watchCheck)]
  }
}

/** A watch and the store that it fills, whatever their kind. */
interface Watched {
  readonly name: string
  readonly watch: Pick<Watch<KubeObject>, 'run' | 'state'>
  readonly store: Pick<CacheReader<KubeObject>, 'hasSynced' | 'synced'>
  readonly isOptional: boolean
}

function watchCheck({ name, watch, store }: Watched): HealthCheck {
  return {
    name: `watch ${name}`,
    problem: () => {
      if (watch.state.state === 'failing')
        return `${watch.state.problem} (since ${watch.state.since.toISOString()})`
      return store.hasSynced ? undefined : 'the first list has not arrived yet'
    },
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}
