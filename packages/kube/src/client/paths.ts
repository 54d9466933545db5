import type { APIResourceList } from 'kubernetes-types/meta/v1'
import { onAbort } from '../abort.ts'
import type { Clock } from '../clock.ts'
import { DeadlineError } from '../http/buffered-request.ts'
import { defaultTimeoutMs, type ParseJson, parseResponse, type Requester } from '../http/requester.ts'
import type { Kind, ObjectRef } from '../objects/objects.ts'
import type { RequestOptions } from './api.ts'
import { Discovery, pathOf, type Resource } from './discovery.ts'
import { ApiError, type Attempt } from './errors.ts'

/** What limits how long a call may take. */
type Limits = Pick<RequestOptions, 'timeoutMs' | 'signal'>

/** Where in a kind's collection something is to be done. */
interface Wanted {
  readonly namespace: string | undefined
  readonly subresource: string | undefined
}

interface NameIfAny {
  readonly namespace: string | undefined
  readonly name: string | undefined
}

/** Finds the paths of the objects of requests, by the built-in kinds or by discovery. */
export class Paths {
  readonly #requester: Requester
  readonly #clock: Clock
  readonly #discovery: Discovery

  constructor(requester: Requester, clock: Clock, parseJson: ParseJson) {
    this.#requester = requester
    this.#clock = clock
    this.#discovery = new Discovery((path, signal) => fetchResources(requester, path, signal, parseJson))
  }

  /** Of an object, or of a subresource of it. */
  async ofObject(
    kind: Kind,
    ref: ObjectRef,
    options: RequestOptions,
    attempt: () => Attempt,
  ): Promise<string> {
    const { namespace, name } = ref
    const { subresource } = options
    if (name === '') throw new TypeError(`Cannot ${attempt()}: the name is empty`)
    const resource = await this.#resourceFor(kind, { namespace, subresource }, options, attempt)
    return pathOf(resource, { namespace, name, subresource })
  }

  /** Of all objects of a kind, or of those in a namespace. */
  async ofCollection(
    kind: Kind,
    options: Limits & { readonly namespace?: string | undefined },
    attempt: () => Attempt,
  ): Promise<string> {
    const resource = this.#discovery.known(kind) ?? (await this.#discover(kind, options, attempt))
    return pathOf(resource, options)
  }

  /** Where an object is created, which may have no name yet, or a subresource of one that is there. */
  async ofNew(
    kind: Kind,
    { namespace, name }: NameIfAny,
    options: RequestOptions,
    attempt: () => Attempt,
  ): Promise<string> {
    const { subresource } = options
    const resource = await this.#resourceFor(kind, { namespace, subresource }, options, attempt)
    return pathOf(
      resource,
      subresource === undefined ? { namespace } : { namespace, ...(name && { name }), subresource },
    )
  }

  /** A 404 that names no object means that the path itself is unknown: the kind is served elsewhere, or no more. */
  async forgetOn404<R>(kind: Kind, answer: Promise<R>): Promise<R> {
    try {
      return await answer
    } catch (error) {
      if (error instanceof ApiError && error.code === 404 && !error.namesObject)
        await this.#forgetAndCheck(kind)
      throw error
    }
  }

  /** For a built-in kind, which was assumed to be served, the caller gets KindNotServedError as for any other kind. */
  async #forgetAndCheck(kind: Kind): Promise<void> {
    const isAssumed = this.#discovery.isAssumed(kind)
    this.#discovery.forget(kind)
    if (isAssumed) await this.#discovery.find(kind)
  }

  /** A kind that does not fit is discovered again before the caller is blamed: the definition may have changed. */
  async #resourceFor(kind: Kind, wanted: Wanted, options: Limits, attempt: () => Attempt): Promise<Resource> {
    const known = this.#discovery.known(kind)
    if (known !== undefined && misfitOf(known, wanted) === undefined) return known
    const resource = await this.#discover(kind, options, attempt)
    const misfit = misfitOf(resource, wanted)
    if (misfit !== undefined) throw new TypeError(`Cannot ${attempt()}: ${kind.kind} ${misfit}`)
    return resource
  }

  /** Concurrent callers share the request; this call waits for it up to its own deadline. */
  async #discover(
    kind: Kind,
    { signal, timeoutMs = defaultTimeoutMs }: Limits,
    attempt: () => Attempt,
  ): Promise<Resource> {
    signal?.throwIfAborted()
    const limit = new AbortController()
    const cancelTimer = this.#clock.after(timeoutMs, () =>
      limit.abort(this.#requester.connectionError({ attempt }, new DeadlineError(timeoutMs))),
    )
    // Every kind of a definition comes by here when an operator starts, and AbortSignal.any is slow.
    const stopListening = signal === undefined ? () => {} : onAbort(signal, (reason) => limit.abort(reason))
    try {
      return await this.#discovery.find(kind, limit.signal)
    } finally {
      cancelTimer()
      stopListening()
    }
  }
}

async function fetchResources(
  requester: Requester,
  path: string,
  signal: AbortSignal,
  parseJson: ParseJson,
): Promise<APIResourceList> {
  const attempt = () => `find out which kinds are served at ${path}`
  const call = {
    verb: 'discover',
    kind: '',
    method: 'GET',
    path,
    attempt,
    timeoutMs: defaultTimeoutMs,
    signal,
  } as const
  const { body } = await requester.call(call)
  return parseResponse(body, attempt, parseJson) as APIResourceList
}

function misfitOf(
  { namespaced, subresources }: Resource,
  { namespace, subresource }: Wanted,
): string | undefined {
  if (namespaced && namespace === undefined) return 'lives in a namespace, and none was given'
  if (!namespaced && namespace !== undefined) return 'is cluster-scoped; leave the namespace out'
  if (subresource === undefined || subresources.includes(subresource)) return undefined
  return `has no subresource "${subresource}" (it has: ${subresources.join(', ') || 'none'})`
}
