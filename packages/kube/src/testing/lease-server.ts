import { isDeepStrictEqual } from 'node:util'
import type { Lease } from 'kubernetes-types/coordination/v1'
import type { KubeApi, RequestOptions } from '../client/api.ts'
import { ApiError } from '../client/errors.ts'
import type { KubeObject, Persisted } from '../objects/objects.ts'

export interface LeaseRequest {
  readonly verb: 'get' | 'create' | 'replace'
  readonly options: RequestOptions
  /** What the server does when the request arrives. Throws the server's refusal. */
  readonly execute: () => Persisted<Lease>
}

/** What becomes of requests between a client and the server. */
export type Network = (request: LeaseRequest) => Promise<Persisted<Lease>>

/** One Lease, kept as the API server keeps it. Answers at once; faults of the network are added by `Network`. */
export class LeaseServer {
  #lease: Persisted<Lease> | undefined
  #version = 0

  get lease(): Persisted<Lease> | undefined {
    return structuredClone(this.#lease)
  }

  get(): Persisted<Lease> {
    if (this.#lease === undefined) throw refusal('get', 404, 'NotFound')
    return structuredClone(this.#lease)
  }

  create(lease: Lease): Persisted<Lease> {
    if (this.#lease !== undefined) throw refusal('create', 409, 'AlreadyExists')
    return this.#store({ ...lease, metadata: { ...lease.metadata, uid: `uid-${this.#version}` } })
  }

  replace(lease: Lease): Persisted<Lease> {
    const wanted = lease.metadata
    // A Lease may be created by PUT; only the uid, if it is sent, says that another one was meant.
    if (this.#lease === undefined && wanted?.uid === undefined) return this.create(lease)
    const current = this.#lease?.metadata
    const sameUid = wanted?.uid === undefined || wanted.uid === current?.uid
    if (!sameUid || wanted?.resourceVersion !== current?.resourceVersion) {
      throw refusal('replace', 409, 'Conflict')
    }
    return isDeepStrictEqual(lease, this.#lease) ? this.get() : this.#store(lease)
  }

  /** What another candidate, or a person with kubectl, does. */
  edit(change: (lease: Lease) => void): void {
    const lease = this.get()
    change(lease)
    this.replace(lease)
  }

  delete(): void {
    this.#lease = undefined
  }

  /** The verbs that an election needs, over a network of the caller's making. */
  client(network: Network = async ({ execute }) => execute()): Pick<KubeApi, 'get' | 'create' | 'replace'> {
    const send = async <T extends KubeObject>(
      verb: LeaseRequest['verb'],
      options: RequestOptions = {},
      execute: () => Persisted<Lease>,
    ) => (await network({ verb, options, execute })) as KubeObject as Persisted<T>
    return {
      get: (_kind, _ref, options) => send('get', options, () => this.get()),
      create: (_kind, lease, options) => {
        const sent = structuredClone(lease) as Lease
        return send('create', options, () => this.create(sent))
      },
      replace: (_kind, lease, options) => {
        const sent = structuredClone(lease) as Lease
        return send('replace', options, () => this.replace(sent))
      },
    }
  }

  #store(lease: Lease): Persisted<Lease> {
    this.#version += 1
    const metadata = { name: 'leader', uid: '', ...lease.metadata, resourceVersion: String(this.#version) }
    this.#lease = structuredClone({ ...lease, metadata })
    return this.get()
  }
}

function refusal(verb: string, code: number, reason: string): ApiError {
  return new ApiError(`${verb} Lease portcullis/leader`, code, { reason, message: 'simulated' })
}
