import { type Clock, type Entry, type Random, SimulatedApiServer, Storage, timestamp } from '@portcullis/kube'
import { crds } from '@portcullis/operator'
import { providerIds } from '@portcullis/sandbox'
import { assembleApi, servedKinds } from '@portcullis/sandbox/internal/assemble-api.ts'
import type { CloudPlatformName } from '@portcullis/sandbox/internal/controllers/cloud/platforms.ts'
import { sandboxNode } from '@portcullis/sandbox/internal/controllers/kubelet/node-status.ts'
import type { Resource } from '@portcullis/sandbox/internal/resource.ts'
import { StatusError } from '@portcullis/sandbox/internal/server/api-status.ts'
import { resourceList } from '@portcullis/sandbox/internal/server/discovery-documents.ts'
import { parseResourcePath, type ResourcePath } from '@portcullis/sandbox/internal/server/request-info.ts'
import { collectionOf, keyOf } from '@portcullis/sandbox/internal/server/storage-key.ts'
import { newUid } from '@portcullis/sandbox/internal/server/uid.ts'
import type { WatchLine } from '@portcullis/sandbox/internal/server/watcher.ts'
import type { AnyObject } from '@portcullis/schema'
import { ForgetfulMap } from './forgetful-map.ts'
import { answerText, jsonText, shared } from './json-text.ts'
import { type QuickRequest, QuickWrites } from './quick-writes.ts'
import { seeded } from './random.ts'
import { RememberedWrites } from './remembered-writes.ts'

export interface Request {
  readonly method: string
  /** With the query string. */
  readonly path: string
  readonly contentType?: string | undefined
  readonly body?: string | undefined
  readonly userAgent: string
}

export type ApiResponse =
  | { readonly status: number; readonly body: string; readonly retryAfter?: string }
  | { readonly watch: (send: (line: WatchLine) => void) => () => void; readonly timeoutSeconds: number }

/** Who writes: an operator by its name, or one of these. */
export type Writer = string
export const user = 'user'
export const cluster = 'cluster'

export type Observer = (entry: Entry, writer: Writer) => void

const kinds = servedKinds()
const admin = { username: 'admin', uid: 'admin', groups: ['system:masters'] }

/** What the operator and its stories are about: all that is written in a simulation. */
export const collections = [
  'services',
  'pods',
  'nodes',
  'events',
  'apps/deployments',
  'policy/poddisruptionbudgets',
  'networking.k8s.io/ingresses',
  'networking.k8s.io/ingressclasses',
  'coordination.k8s.io/leases',
  'operator.openshift.io/ingresscontrollers',
  'config.openshift.io/infrastructures',
] as const

/** What is served never changes in a story. */
const discovered = new Map<string, ApiResponse>()

interface PathParts {
  readonly path: string
  readonly query: string
  /** Undefined for what is not about a resource. */
  readonly asked: ResourcePath | undefined
}

const pathsTakenApart = new ForgetfulMap<string, PathParts>(20_000)

/** The same is asked for in most histories: it is taken apart once. */
function partsOf(pathAndQuery: string): PathParts {
  const known = pathsTakenApart.get(pathAndQuery)
  if (known !== undefined) return known
  const [path = '', query = ''] = pathAndQuery.split('?')
  const parts = { path, query, asked: parseResourcePath(path) }
  pathsTakenApart.set(pathAndQuery, parts)
  return parts
}

/** How the most frequent writes are done. */
export type WriteMode =
  /** By the sandbox, each of them. */
  | 'checks every write'
  /** As they ended before, in this history or another, where all was as it is now; and else quickly. */
  | 'remembers'

/** The API server of the sandbox, asked in this thread: what it says is what the sandbox says over HTTP. */
export class Api {
  readonly storage: Storage
  /** Writes as what is a part of the cluster does, and the quick ones. */
  readonly server: SimulatedApiServer
  readonly writeMode: WriteMode
  readonly #parts: ReturnType<typeof assembleApi>
  readonly #clock: Clock
  readonly #quick: QuickWrites | undefined
  readonly #remembered: RememberedWrites | undefined
  readonly #observers: Observer[] = []
  readonly #doorkeepers: ((request: Request, writer: Writer) => void)[] = []
  #writer: Writer = cluster
  /** How often chance was asked. */
  #drawn = 0
  /** As long as nothing was written: what was answered then, in this simulation and in others that begin so. */
  readonly #atFirst: { readonly revision: number; readonly answers: Map<string, ApiResponse> }
  readonly #answersAtRest = new Map<string, ApiResponse>()

  /** @param before the server of the simulation that this one continues, of whose storage it has a fork */
  constructor(storage: Storage, clock: Clock, random: Random, writeMode: WriteMode, before?: Api) {
    this.storage = storage
    this.writeMode = writeMode
    this.#atFirst = {
      revision: storage.revision,
      answers: before === undefined ? new Map() : before.#answersAtRest,
    }
    this.#clock = clock
    const counted = () => {
      this.#drawn++
      return random()
    }
    this.server = new SimulatedApiServer({
      storage: {
        get: (collection, key) => storage.get(collection, key),
        put: (collection, key, object) => this.put(collection, key, object),
        remove: (collection, key) => storage.remove(collection, key),
      },
      now: () => clock.now(),
      newUid: () => newUid(counted),
    })
    if (writeMode !== 'checks every write') {
      this.#quick = new QuickWrites(this, clock, counted)
      this.#remembered = new RememberedWrites(storage)
    }
    this.#parts = assembleApi({ kinds, storage, clock, random: counted })
    for (const collection of collections) storage.subscribe(collection, (entry) => this.#notify(entry))
  }

  /** Called for every version of everything, before any watch shows it. */
  observe(observer: Observer): void {
    this.#observers.push(observer)
  }

  /** Called for every request, whether or not it will be carried out. */
  observeRequests(doorkeeper: (request: Request, writer: Writer) => void): void {
    this.#doorkeepers.push(doorkeeper)
  }

  /** Lets a client write; the server serves one after the other. */
  as<T>(writer: Writer, write: () => T): T {
    const before = this.#writer
    this.#writer = writer
    try {
      return write()
    } finally {
      this.#writer = before
    }
  }

  /** Writes without being asked, as what is a part of the cluster does. */
  put(collection: string, key: string, object: AnyObject): AnyObject {
    const resourceVersion = String(this.storage.revision + 1)
    const next = { ...object, metadata: { ...object.metadata, resourceVersion } }
    return this.storage.put(collection, key, this.#remembered ? shared(next) : next)
  }

  answer(request: Request): ApiResponse {
    for (const look of this.#doorkeepers) look(request, this.#writer)
    try {
      const { path, query, asked } = partsOf(request.path)
      const resource = asked && this.#parts.resources.find(asked)
      if (asked === undefined) return this.#discovery(path)
      if (resource === undefined) return { status: 404, body: '404 page not found\n' }
      return this.#asked(request, asked, resource, query)
    } catch (error) {
      if (!(error instanceof StatusError)) throw error
      const { retryAfterSeconds } = error.status.details ?? {}
      return {
        status: error.status.code ?? 500,
        body: JSON.stringify(error.status),
        ...(retryAfterSeconds !== undefined && { retryAfter: String(retryAfterSeconds) }),
      }
    }
  }

  #asked(request: Request, path: ResourcePath, resource: Resource, query: string): ApiResponse {
    const before = request.method === 'GET' ? undefined : this.#inputOf(request, path, resource)
    const repeated = before && this.#remembered?.repeat(request, before)
    if (repeated !== undefined) return repeated
    const isFirst = request.method === 'GET' && this.storage.revision === this.#atFirst.revision
    const known = isFirst ? this.#atFirst.answers.get(request.path) : undefined
    if (known !== undefined) return known
    const answer = this.#done(request, path, resource, new URLSearchParams(query))
    if (isFirst && 'status' in answer) this.#atFirst.answers.set(request.path, answer)
    // What chance had a part in may come otherwise the next time.
    if (before?.drawn === this.#drawn && 'status' in answer)
      this.#remembered?.remember(request, before, answer)
    return answer
  }

  /** Undefined where the outcome may depend on other objects too: Services share ports and addresses. */
  #inputOf({ method, body }: Request, path: ResourcePath, resource: Resource) {
    if (path.name === undefined) return undefined
    const collection = collectionOf(resource)
    if (collection === 'services' && method !== 'DELETE' && body?.includes('"spec"')) return undefined
    const key = keyOf(path.namespace, path.name)
    const old = this.storage.get(collection, key)
    if (old === undefined) return undefined
    const { revision } = this.storage
    return { collection, key, old, revision, time: timestamp(this.#clock.now()), drawn: this.#drawn }
  }

  #done(request: Request, path: ResourcePath, resource: Resource, query: URLSearchParams): ApiResponse {
    const { method, contentType, body, userAgent } = request
    const manager = query.get('fieldManager') ?? userAgent.split('/')[0] ?? ''
    const quickly: QuickRequest = { method, path, resource, manager, contentType, body }
    const isCreation = method === 'POST'
    const isOperators = this.#writer !== user && this.#writer !== cluster
    const written = isCreation || isOperators ? this.#quick?.write(quickly) : undefined
    if (written !== undefined) return { status: written.status, body: jsonText(written.object) }
    const answer = this.#parts.handler.handle({
      method,
      path,
      resource,
      query,
      headers: {
        'user-agent': userAgent,
        accept: 'application/json',
        ...(contentType !== undefined && { 'content-type': contentType }),
      },
      body: body ?? '',
      user: admin,
    })
    if ('watch' in answer) return { watch: answer.watch, timeoutSeconds: answer.timeoutSeconds ?? 1800 }
    if (answer.code === 201) this.#quick?.learn(quickly, answer.body as AnyObject)
    return { status: answer.code, body: answerText(answer.body) }
  }

  #discovery(path: string): ApiResponse {
    const known = discovered.get(path)
    if (known !== undefined) return known
    const [root, group = '', version = ''] = path.split('/').slice(1)
    const all = this.#parts.resources
      .all()
      .filter((resource) => (collections as readonly string[]).includes(collectionOf(resource)))
    const list = root === 'api' ? resourceList(all, '', group) : resourceList(all, group, version)
    if (list === undefined) return { status: 404, body: '404 page not found\n' }
    const answer = { status: 200, body: JSON.stringify(list) }
    discovered.set(path, answer)
    return answer
  }

  #notify(entry: Entry): void {
    for (const observer of this.#observers) observer(entry, this.#writer)
  }
}

export const operatorNamespace = 'openshift-ingress-operator'
export const operandNamespace = 'openshift-ingress'

const beginnings = new Map<string, Promise<Storage>>()

/** A cluster on which nothing has happened yet: definitions, namespaces, three nodes. */
export function beginning(platform: CloudPlatformName): Promise<Storage> {
  const found = beginnings.get(platform) ?? begin(platform)
  beginnings.set(platform, found)
  return found
}

async function begin(platform: CloudPlatformName): Promise<Storage> {
  const storage = new Storage()
  const clock: Clock = {
    now: () => new Date('2029-12-31T23:00:00Z'),
    monotonic: () => 0,
    after: () => () => {},
  }
  const api = new Api(storage, clock, seeded(1), 'checks every write')
  const create = (path: string, object: object) => {
    const answer = api.answer({
      method: 'POST',
      path,
      contentType: 'application/json',
      body: JSON.stringify(object),
      userAgent: 'kubectl/1',
    })
    if (!('status' in answer) || answer.status !== 201) throw new Error(JSON.stringify(answer))
  }
  for (const crd of crds) create('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', crd)
  await new Promise<void>((resolve) => setImmediate(resolve))
  for (const name of [operatorNamespace, operandNamespace, 'shop']) {
    create('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name } })
  }
  for (let number = 1; number <= 3; number++) {
    const node = sandboxNode({ name: `worker-${number}`, number, providerID: providerIds[platform](number) })
    create('/api/v1/nodes', { apiVersion: 'v1', kind: 'Node', ...node })
    const name = `worker-${number}`
    const made = storage.get('nodes', name) as AnyObject
    storage.put('nodes', name, {
      ...made,
      spec: { ...(made['spec'] as object), taints: undefined },
      status: {
        ...(made['status'] as object),
        conditions: [{ type: 'Ready', status: 'True', reason: 'KubeletReady' }],
      },
    })
  }
  return storage
}
