import { type Clock, isBeingDeleted, type MergePatch, type Random, timestamp } from '@portcullis/kube'
import type { Resource } from '@portcullis/sandbox/internal/resource.ts'
import { alreadyExists, conflict, modifiedMeanwhile } from '@portcullis/sandbox/internal/server/api-status.ts'
import type { ResourcePath } from '@portcullis/sandbox/internal/server/request-info.ts'
import { aboutOf, collectionOf, keyOf } from '@portcullis/sandbox/internal/server/storage-key.ts'
import { newUid } from '@portcullis/sandbox/internal/server/uid.ts'
import type { AnyObject } from '@portcullis/schema'
import type { Api } from './api.ts'

export interface QuickRequest {
  readonly method: string
  readonly path: ResourcePath
  readonly resource: Resource
  readonly manager: string
  readonly contentType: string | undefined
  readonly body: string | undefined
}

/** What the server made of an object that was created so, by what was sent. */
const madeBefore = new Map<string, AnyObject>()

/**
 * The writes that make up most of a history, done without reading and checking them as the sandbox does: what is sent
 * has been read and checked by it before. Whatever is out of the ordinary is left to the sandbox; that both ways lead to
 * the same is a test of its own.
 */
export class QuickWrites {
  readonly #api: Pick<Api, 'storage' | 'server' | 'put'>
  readonly #clock: Clock
  readonly #random: Random

  constructor(api: Pick<Api, 'storage' | 'server' | 'put'>, clock: Clock, random: Random) {
    this.#api = api
    this.#clock = clock
    this.#random = random
  }

  /** What is there after the write; undefined where the sandbox must be asked. Throws what the sandbox would. */
  write(request: QuickRequest): { readonly status: number; readonly object: AnyObject } | undefined {
    if (request.method === 'POST') return this.#create(request)
    if (request.method === 'PATCH') return this.#patch(request)
    if (request.method === 'PUT' && request.resource.kind === 'Lease') return this.#renew(request)
    return undefined
  }

  /** Takes note of how the sandbox created something. */
  learn(request: QuickRequest, created: AnyObject): void {
    const { resource } = request
    if (request.method === 'POST' && resource.kept === undefined)
      madeBefore.set(keyOfCreation(request), created)
  }

  #create(request: QuickRequest) {
    const { path, resource, body = '' } = request
    const collection = collectionOf(resource)
    const isEvent = resource.kept !== undefined
    const made = isEvent
      ? resource.kept?.to(JSON.parse(body) as AnyObject)
      : madeBefore.get(keyOfCreation(request))
    if (made?.metadata.name === undefined) return undefined
    const key = keyOf(path.namespace, made.metadata.name)
    const present = this.#api.storage.get(collection, key)
    if (present !== undefined)
      throw alreadyExists(aboutOf(resource), made.metadata.name, isBeingDeleted(present))
    if (this.#holdsWhatOthersHold(made)) return undefined
    const now = timestamp(this.#clock.now())
    const { resourceVersion: _, managedFields = [], ...metadata } = made.metadata
    const object = this.#api.put(collection, key, {
      ...made,
      metadata: {
        ...metadata,
        uid: newUid(this.#random),
        creationTimestamp: now,
        managedFields: managedFields.map((entry) => ({ ...entry, time: now })),
      },
    })
    return { status: 201, object: isEvent ? (resource.kept?.from(object) ?? object) : object }
  }

  /** Elections write little else. */
  #renew({ path, resource, body = '' }: QuickRequest) {
    const collection = collectionOf(resource)
    const key = keyOf(path.namespace, path.name ?? '')
    const old = this.#api.storage.get(collection, key)
    const { metadata, spec } = JSON.parse(body) as AnyObject
    if (old === undefined || metadata.resourceVersion !== old.metadata.resourceVersion) return undefined
    return { status: 200, object: this.#api.put(collection, key, { ...old, spec }) }
  }

  /** Another Service may have been given its ports meanwhile. */
  #holdsWhatOthersHold(made: AnyObject): boolean {
    if (made.kind !== 'Service') return false
    const mine = new Set(held(made))
    return this.#api.storage.list('services').some(([, other]) => held(other).some((one) => mine.has(one)))
  }

  #patch({ path, resource, manager, contentType, body = '' }: QuickRequest) {
    if (contentType !== 'application/merge-patch+json' || resource.kept !== undefined) return undefined
    const collection = collectionOf(resource)
    const key = keyOf(path.namespace, path.name ?? '')
    const old = this.#api.storage.get(collection, key)
    if (old === undefined) return undefined
    const { metadata = {}, ...rest } = JSON.parse(body) as { metadata?: MergePatch }
    const { uid, resourceVersion, ...change } = metadata
    if (uid !== undefined && uid !== old.metadata.uid) return undefined
    if (resourceVersion !== undefined && resourceVersion !== old.metadata.resourceVersion)
      throw conflict(aboutOf(resource), path.name ?? '', modifiedMeanwhile)
    const isStatus = path.subresource === 'status'
    const touched = Object.keys(rest)
    if (isStatus ? touched.some((field) => field !== 'status') : touched.length > 0) return undefined
    const patch: MergePatch = isStatus ? rest : { metadata: change }
    const object = this.#api.server.patch(collection, key, patch, { manager })
    return object && { status: 200, object }
  }
}

function keyOfCreation({ path, manager, body }: QuickRequest): string {
  return `${manager} ${path.namespace} ${path.plural} ${body}`
}

/** Cluster IPs and node ports, of which each is held once. */
function held({ spec }: AnyObject): (string | number)[] {
  const {
    clusterIPs = [],
    ports = [],
    healthCheckNodePort,
  } = (spec ?? {}) as {
    clusterIPs?: string[]
    ports?: { nodePort?: number }[]
    healthCheckNodePort?: number
  }
  return [
    ...clusterIPs.filter((ip) => ip !== 'None'),
    ...ports.flatMap(({ nodePort }) => nodePort ?? []),
    ...(healthCheckNodePort ? [healthCheckNodePort] : []),
  ]
}
