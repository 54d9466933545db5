import { crds } from '../../../src/api/crds.ts'
import type { Random } from '../../../src/kube/backoff.ts'
import type { Clock } from '../../../src/kube/clock.ts'
import { assembleApi, servedKinds } from '../../../src/sandbox/assemble-api.ts'
import type { CloudPlatformName } from '../../../src/sandbox/controllers/cloud/platforms.ts'
import { sandboxNode } from '../../../src/sandbox/controllers/kubelet/node-status.ts'
import { providerIds } from '../../../src/sandbox/provider-ids.ts'
import type { AnyObject } from '../../../src/sandbox/resource.ts'
import { StatusError } from '../../../src/sandbox/server/api-status.ts'
import { resourceList } from '../../../src/sandbox/server/discovery-documents.ts'
import { collectionOf } from '../../../src/sandbox/server/places.ts'
import { parseResourcePath } from '../../../src/sandbox/server/request-info.ts'
import type { WatchLine } from '../../../src/sandbox/server/watcher.ts'
import { type Entry, Storage } from '../../../src/sandbox/storage/storage.ts'
import { answerText, jsonText } from './json-text.ts'
import { QuickWrites } from './quick-writes.ts'
import { seeded } from './random.ts'

export interface Request {
  readonly method: string
  /** With the query string. */
  readonly path: string
  readonly contentType?: string | undefined
  readonly body?: string | undefined
  readonly userAgent: string
}

export type Answer =
  | { readonly status: number; readonly body: string; readonly retryAfter?: string }
  | { readonly watch: (send: (line: WatchLine) => void) => () => void; readonly timeoutSeconds: number }

/** Who writes: an operator by its name, or one of these. */
export type Writer = string
export const user = 'user'
export const cluster = 'cluster'

export type Observer = (entry: Entry, writer: Writer) => void

const kinds = servedKinds()
const admin = { username: 'admin', uid: 'admin', groups: ['system:masters'] }

/** What the operator and its stories are about: all that is written in a world. */
export const collections = [
  'services',
  'pods',
  'nodes',
  'events',
  'serviceaccounts',
  'apps/deployments',
  'policy/poddisruptionbudgets',
  'networking.k8s.io/ingresses',
  'networking.k8s.io/ingressclasses',
  'coordination.k8s.io/leases',
  'operator.openshift.io/ingresscontrollers',
  'config.openshift.io/infrastructures',
] as const

/** What is served never changes in a story. */
const discovered = new Map<string, Answer>()

/** The API server of the sandbox, asked in this thread: what it says is what the sandbox says over HTTP. */
export class Api {
  readonly storage: Storage
  readonly #parts: ReturnType<typeof assembleApi>
  readonly #quick: QuickWrites | undefined
  readonly #observers: Observer[] = []
  readonly #doorkeepers: ((request: Request, writer: Writer) => void)[] = []
  #writer: Writer = cluster

  /** @param isQuick whether the operator's most frequent writes are done without being checked again */
  constructor(storage: Storage, clock: Clock, random: Random, isQuick: boolean) {
    this.storage = storage
    this.#quick = isQuick ? new QuickWrites(storage, clock, random) : undefined
    this.#parts = assembleApi({ kinds, storage, clock, random })
    for (const collection of collections) storage.subscribe(collection, (entry) => this.#tell(entry))
  }

  /** Tells of every version of everything, before anybody who watches hears of it. */
  observe(observer: Observer): void {
    this.#observers.push(observer)
  }

  /** Tells of every request to write, whether or not it will be carried out. */
  observeRequests(doorkeeper: (request: Request, writer: Writer) => void): void {
    this.#doorkeepers.push(doorkeeper)
  }

  /** Lets somebody write; the server is asked by one after the other. */
  as<T>(writer: Writer, write: () => T): T {
    const before = this.#writer
    this.#writer = writer
    try {
      return write()
    } finally {
      this.#writer = before
    }
  }

  answer(request: Request): Answer {
    const [path = '', query = ''] = request.path.split('?')
    if (request.method !== 'GET') for (const look of this.#doorkeepers) look(request, this.#writer)
    try {
      const asked = parseResourcePath(path)
      const resource = asked && this.#parts.resources.find(asked)
      if (asked === undefined) return this.#discovery(path)
      if (resource === undefined) return { status: 404, body: '404 page not found\n' }
      const parameters = new URLSearchParams(query)
      const { method, contentType, body } = request
      const manager = parameters.get('fieldManager') ?? request.userAgent.split('/')[0] ?? ''
      const quickly = { method, path: asked, resource, manager, contentType, body }
      const isOperators = this.#writer !== user && this.#writer !== cluster
      const written = isOperators ? this.#quick?.write(quickly) : undefined
      if (written !== undefined) return { status: written.status, body: jsonText(written.object) }
      const answer = this.#parts.handler.handle({
        method,
        path: asked,
        resource,
        query: parameters,
        headers: {
          'user-agent': request.userAgent,
          accept: 'application/json',
          ...(request.contentType !== undefined && { 'content-type': request.contentType }),
        },
        body: request.body ?? '',
        user: admin,
      })
      if ('watch' in answer) return { watch: answer.watch, timeoutSeconds: answer.timeoutSeconds ?? 1800 }
      if (answer.code === 201 && isOperators) this.#quick?.learn(quickly, answer.body as AnyObject)
      return { status: answer.code, body: answerText(answer.body) }
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

  #discovery(path: string): Answer {
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

  #tell(entry: Entry): void {
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
  const api = new Api(storage, clock, seeded(1), false)
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
