import type { WriteGuard } from '../client/api.ts'
import { LeaderElection, type LeaderElectionOptions } from '../election/lease.ts'
import { silentLogger } from '../log.ts'
import { createMetrics } from '../metrics.ts'
import { type LeaseRequest, LeaseServer, type Network } from './lease-server.ts'
import { settle, VirtualClock } from './virtual-clock.ts'

export const reliable: Network = async ({ execute }) => execute()

/** A candidate in an election, whose work is a promise that the test settles. */
export class Candidate {
  readonly clock: VirtualClock
  readonly terms: WriteGuard[] = []
  readonly election: LeaderElection
  readonly warnings: string[] = []
  readonly metrics = createMetrics('test')
  /** Everything that was asked of the server. */
  readonly requests: LeaseRequest[] = []
  network: Network = reliable
  ended = false
  failure: unknown
  readonly #stop = new AbortController()
  #work: { resolve: () => void; reject: (error: Error) => void } | undefined

  constructor(server: LeaseServer, clock: VirtualClock, options: Partial<LeaderElectionOptions> = {}) {
    this.clock = clock
    this.election = new LeaderElection({
      client: server.client((request) => {
        this.requests.push(request)
        return this.network(request)
      }),
      lease: { namespace: 'portcullis', name: 'leader' },
      identity: 'me',
      clock,
      random: () => 0,
      log: this.#log(),
      metrics: this.metrics,
      ...options,
    })
    this.election
      .run(this.#stop.signal, (term) => this.#lead(term))
      .catch((error: unknown) => {
        this.failure = error
      })
      .finally(() => {
        this.ended = true
      })
  }

  get term(): WriteGuard {
    const term = this.terms.at(-1)
    if (term === undefined) throw new Error('The candidate has never led')
    return term
  }

  get gauge(): Promise<number | undefined> {
    return this.metrics.leader.get().then(({ values }) => values[0]?.value)
  }

  async stop(): Promise<void> {
    this.#stop.abort()
    await settle()
  }

  async finishWork(): Promise<void> {
    this.#work?.resolve()
    await settle()
  }

  async failWork(error: Error): Promise<void> {
    this.#work?.reject(error)
    await settle()
  }

  #lead(term: WriteGuard): Promise<void> {
    this.terms.push(term)
    return new Promise((resolve, reject) => {
      this.#work = { resolve, reject }
    })
  }

  #log() {
    return {
      ...silentLogger,
      warn: (_fields: object, message: string) => this.warnings.push(message),
      child: () => this.#log(),
    }
  }
}

export const longAgo = '1999-01-01T00:00:00.000000Z'

export function aLease(spec: object, metadata: object = {}) {
  const server = new LeaseServer()
  server.create({ metadata: { name: 'leader', namespace: 'portcullis', ...metadata }, spec })
  return server
}

export const releasedLease = () => aLease({ holderIdentity: '', leaseDurationSeconds: 1, renewTime: longAgo })

/** A candidate that leads since 0 ms. */
export async function leader(options: Partial<LeaderElectionOptions> = {}) {
  const server = releasedLease()
  const clock = new VirtualClock()
  const candidate = new Candidate(server, clock, options)
  await settle()
  return { server, clock, candidate }
}
