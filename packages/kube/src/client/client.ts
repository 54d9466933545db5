import type { Random } from '../backoff.ts'
import type { Clock } from '../clock.ts'
import type { ClusterAccess } from '../config/access.ts'
import { ConcurrencyLimiter } from '../http/concurrency-limiter.ts'
import { fieldsDepth, readElided } from '../http/elide-items.ts'
import type { HttpResponse, HttpTransport } from '../http/messages.ts'
import { type Call, defaultTimeoutMs, type ParseJson, parseResponse, Requester } from '../http/requester.ts'
import { Transport } from '../http/transport.ts'
import { watchEventsIn } from '../http/watch-lines.ts'
import type { Metrics } from '../metrics.ts'
import { type Kind, type KubeObject, keyOf, type ObjectRef, type Persisted } from '../objects/objects.ts'
import type {
  DeleteOptions,
  KubeApi,
  ListOptions,
  ObjectList,
  Patch,
  RequestOptions,
  Selection,
  WatchOnceOptions,
  WatchStream,
  WriteGuard,
  WriteOptions,
} from './api.ts'
import { isGone, ResponseTooLargeError } from './errors.ts'
import { PageSize } from './page-size.ts'
import { Paths } from './paths.ts'

export interface ClientOptions {
  readonly access: ClusterAccess
  readonly clock: Clock
  readonly random: Random
  readonly metrics: Metrics
  /** `name/version`: the name is also the default field manager of our writes. */
  readonly userAgent: string
  /** The label of this client in the metrics of its process; `main` by default. */
  readonly name?: string
  /** Requests in flight at once while the server is at ease, each on a connection of its own. */
  readonly maxInFlight?: number
  /** How requests get there; connections of its own by default. */
  readonly transport?: HttpTransport
  /** Parses responses. The result is never changed, so a caller that gets the same text often may share it. */
  readonly parseJson?: ParseJson
}

/** Everything that is there, at least as new as now; servers before Kubernetes 1.34 may refuse it. */
const initialEvents = { sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan' }
/** A server that cannot leave the rest out sends the whole object. */
const metadataAlone = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json'

/** Talks to one API server. Safe to share; `close` when done. */
export class Client implements KubeApi {
  readonly #requester: Requester
  readonly #paths: Paths
  readonly #readJson: ParseJson
  readonly #guard: WriteGuard | undefined

  private constructor(requester: Requester, paths: Paths, parseJson: ParseJson, guard?: WriteGuard) {
    this.#requester = requester
    this.#paths = paths
    this.#readJson = parseJson
    this.#guard = guard
  }

  static connect({
    access,
    clock,
    random,
    metrics,
    userAgent,
    name = 'main',
    maxInFlight = 32,
    transport = new Transport({ access, clock, connections: maxInFlight }),
    parseJson = JSON.parse,
  }: ClientOptions): Client {
    const requester = new Requester({
      access,
      clock,
      random,
      metrics,
      userAgent,
      transport,
      limiter: new ConcurrencyLimiter({ name, max: maxInFlight, metrics }),
    })
    return new Client(requester, new Paths(requester, clock, parseJson), parseJson)
  }

  /** The same client, but each write needs the guard's permission. */
  guardedBy(guard: WriteGuard): Client {
    return new Client(this.#requester, this.#paths, this.#readJson, guard)
  }

  close(): Promise<void> {
    return this.#requester.close()
  }

  async get<T extends KubeObject>(
    kind: Kind<T>,
    ref: ObjectRef,
    options: RequestOptions = {},
  ): Promise<Persisted<T>> {
    const attempt = () => `get ${nameOf(kind, ref, options)}`
    const path = await this.#paths.ofObject(kind, ref, options, attempt)
    return this.#json({ verb: 'get', method: 'GET', path, attempt, kind, options })
  }

  async list<T extends KubeObject>(kind: Kind<T>, options: ListOptions = {}): Promise<ObjectList<T>> {
    try {
      return await this.#allPages(kind, options)
    } catch (error) {
      if (!isGone(error) || options.pageSize === 0) throw error
    }
    try {
      // The version that the pages were cut from has expired: a single page cannot.
      return await this.#allPages(kind, { ...options, pageSize: 0 })
    } catch (error) {
      if (!(error instanceof ResponseTooLargeError)) throw error
    }
    // Pages seldom expire twice. Where they do, the caller knows best when to list again.
    return this.#allPages(kind, options)
  }

  async *pages<T extends KubeObject>(
    kind: Kind<T>,
    options: ListOptions = {},
  ): AsyncGenerator<ObjectList<T>> {
    const attempt = () => `list ${kind.kind} in ${placeOf(options)}`
    const path = await this.#paths.ofCollection(kind, options, attempt)
    const { labelSelector, fieldSelector } = options
    const size = new PageSize(options.pageSize)
    const readList = this.#listReader(options)
    for (let next: string | undefined; ; ) {
      const call: JsonCall = {
        verb: 'list',
        method: 'GET',
        path: withQuery(path, { labelSelector, fieldSelector, limit: size.limit, continue: next }),
        maxBytes: size.maxBytes,
        attempt,
        kind,
        options,
      }
      const answer = await this.#answer(call).catch((error: unknown) => {
        if (error instanceof ResponseTooLargeError && size.shrink()) return undefined
        throw error
      })
      // Too long to be held: the same again, in smaller pages.
      if (answer === undefined) continue
      const { metadata, items = [] } = parseResponse(answer.body, attempt, readList) as ListResponse<T>
      next = metadata.continue
      size.adapt(items.length, answer.body.length)
      yield { resourceVersion: metadata.resourceVersion, items: items.map(typed(kind)) }
      if (!next) return
    }
  }

  async create<T extends KubeObject>(
    kind: Kind<T>,
    object: T,
    options: WriteOptions = {},
  ): Promise<Persisted<T>> {
    const { namespace, name, generateName } = object.metadata ?? {}
    const attempt = () =>
      `create ${nameOf(kind, { namespace, name: name ?? `${generateName ?? ''}…` }, options)}`
    const path = await this.#paths.ofNew(kind, { namespace, name }, options, attempt)
    return this.#json({
      verb: 'create',
      method: 'POST',
      path: withQuery(path, writeQuery(options)),
      contentType: 'application/json',
      body: typed(kind)(object),
      attempt,
      kind,
      options,
    })
  }

  async replace<T extends KubeObject>(
    kind: Kind<T>,
    object: T,
    options: WriteOptions = {},
  ): Promise<Persisted<T>> {
    const { namespace, name = '' } = object.metadata ?? {}
    const attempt = () => `replace ${nameOf(kind, { namespace, name }, options)}`
    const path = await this.#paths.ofObject(kind, { namespace, name }, options, attempt)
    return this.#json({
      verb: 'replace',
      method: 'PUT',
      path: withQuery(path, writeQuery(options)),
      contentType: 'application/json',
      body: typed(kind)(object),
      attempt,
      kind,
      options,
    })
  }

  async patch<T extends KubeObject>(
    kind: Kind<T>,
    ref: ObjectRef,
    patch: Patch,
    options: WriteOptions = {},
  ): Promise<Persisted<T>> {
    return this.#json(await this.#patchCall(kind, ref, patch, options))
  }

  async patchMetadataOnly(
    kind: Kind,
    ref: ObjectRef,
    patch: Patch,
    options: WriteOptions = {},
  ): Promise<void> {
    await this.#answer({ ...(await this.#patchCall(kind, ref, patch, options)), accept: metadataAlone })
  }

  async #patchCall(kind: Kind, ref: ObjectRef, patch: Patch, options: WriteOptions): Promise<JsonCall> {
    const attempt = () => `patch ${nameOf(kind, ref, options)}`
    if (patch.type === 'apply' && options.fieldManager === undefined) {
      throw new TypeError(
        `Cannot ${attempt()}: server-side apply needs a fieldManager, the name to own the fields by`,
      )
    }
    const path = await this.#paths.ofObject(kind, ref, options, attempt)
    const force = patch.type === 'apply' ? patch.force : undefined
    return {
      verb: 'patch',
      method: 'PATCH',
      path: withQuery(path, { ...writeQuery(options), force }),
      contentType: patchContentTypes[patch.type],
      body: patch.type === 'apply' ? typed(kind)(patch.body) : patch.body,
      attempt,
      kind,
      options,
    }
  }

  async delete<T extends KubeObject>(
    kind: Kind<T>,
    ref: ObjectRef,
    options: DeleteOptions = {},
  ): Promise<void> {
    const { preconditions, propagation, gracePeriodSeconds, dryRun } = options
    const attempt = () => `delete ${nameOf(kind, ref, options)}`
    const path = await this.#paths.ofObject(kind, ref, options, attempt)
    await this.#json({
      verb: 'delete',
      method: 'DELETE',
      path,
      contentType: 'application/json',
      // All of it in the body: beside one, the server ignores the query, and a dry run would really delete.
      body: {
        apiVersion: 'v1',
        kind: 'DeleteOptions',
        preconditions,
        propagationPolicy: propagation,
        gracePeriodSeconds,
        ...(dryRun && { dryRun: ['All'] }),
      },
      attempt,
      kind,
      options,
    })
  }

  async watchOnce<T extends KubeObject>(kind: Kind<T>, options: WatchOnceOptions): Promise<WatchStream<T>> {
    const { labelSelector, fieldSelector, resourceVersion, timeoutSeconds, signal } = options
    const attempt = () => `watch ${kind.kind} in ${placeOf(options)}`
    const path = await this.#paths.ofCollection(kind, options, attempt)
    const call: Call = {
      verb: 'watch',
      kind: kind.kind,
      method: 'GET',
      path: withQuery(path, {
        labelSelector,
        fieldSelector,
        watch: true,
        allowWatchBookmarks: true,
        ...(resourceVersion === undefined ? initialEvents : { resourceVersion }),
        timeoutSeconds,
      }),
      attempt,
      timeoutMs: Number.POSITIVE_INFINITY,
      signal,
    }
    const stream = await this.#paths.forgetOn404(kind, this.#requester.open(call))
    return watchEventsIn<T>(stream.body, {
      attempt,
      parseJson: this.#readJson,
      isKeptWhole: options.isKeptWhole,
      asFailure: (error) => (signal?.aborted ? error : this.#requester.connectionError(call, error)),
    })
  }

  #listReader({ isKeptWhole }: ListOptions): ParseJson {
    if (isKeptWhole === undefined) return this.#readJson
    const reading = {
      parseJson: this.#readJson,
      fieldsDepth: fieldsDepth.list,
      // A page is read again for one of its objects: it has 4 MiB at most, unless it is the whole list.
      isKeptWhole: (list: unknown) => (list as ListResponse<KubeObject>).items?.some(isKeptWhole) ?? false,
    }
    return (text) => readElided(text, reading)
  }

  async #allPages<T extends KubeObject>(kind: Kind<T>, options: ListOptions): Promise<ObjectList<T>> {
    const items: Persisted<T>[] = []
    let version = ''
    for await (const page of this.pages(kind, options)) {
      version = page.resourceVersion
      for (const item of page.items) items.push(item)
    }
    return { resourceVersion: version, items }
  }

  async #json<R>(call: JsonCall): Promise<R> {
    const { body } = await this.#answer(call)
    return parseResponse(body, call.attempt, this.#readJson) as R
  }

  /** Field by field: every request comes by here, and to copy the rest of an object is slow. */
  #answer(call: JsonCall): Promise<HttpResponse> {
    const { verb, kind, method, path, contentType, accept, body, attempt, maxBytes, options } = call
    const answer = this.#requester.call({
      verb,
      kind: kind.kind,
      method,
      path,
      contentType,
      accept,
      body: body && JSON.stringify(body),
      attempt,
      timeoutMs: options.timeoutMs ?? defaultTimeoutMs,
      maxBytes,
      noRetry: options.noRetry,
      signal: options.signal,
      guard: method === 'GET' ? undefined : this.#guard,
    })
    return this.#paths.forgetOn404(kind, answer)
  }
}

interface JsonCall extends Omit<Call, 'kind' | 'body' | 'timeoutMs' | 'signal' | 'guard'> {
  readonly kind: Kind
  readonly options: RequestOptions
  readonly body?: object | undefined
}

interface ListResponse<T extends KubeObject> {
  metadata: { resourceVersion: string; continue?: string }
  items?: Persisted<T>[]
}

const patchContentTypes = {
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  json: 'application/json-patch+json',
  apply: 'application/apply-patch+yaml',
} as const satisfies Record<Patch['type'], string>

/** `Ingress default/web`, or `the status of Ingress default/web`. */
function nameOf({ kind }: Kind, ref: ObjectRef, { subresource }: RequestOptions): string {
  return `${subresource === undefined ? '' : `the ${subresource} of `}${kind} ${keyOf(ref)}`
}

function placeOf({ namespace, labelSelector, fieldSelector }: Selection): string {
  const selectors = [labelSelector, fieldSelector].filter((selector) => selector !== undefined)
  const where = namespace === undefined ? 'all namespaces' : `namespace ${namespace}`
  return selectors.length === 0 ? where : `${where} where ${selectors.join(' and ')}`
}

function writeQuery({ fieldManager, fieldValidation, dryRun }: WriteOptions) {
  return { fieldManager, fieldValidation, dryRun: dryRun ? 'All' : undefined }
}

function withQuery(path: string, query: Record<string, string | number | boolean | undefined>): string {
  let result = path
  let separator = '?'
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined || value === '') continue
    result += `${separator}${name}=${encodeURIComponent(value)}`
    separator = '&'
  }
  return result
}

/** Objects in a list come without their kind, and people leave it out: it is filled in here. */
function typed({ apiVersion, kind }: Kind): <O extends object>(object: O) => O {
  return (object) => ({ apiVersion, kind, ...object })
}
