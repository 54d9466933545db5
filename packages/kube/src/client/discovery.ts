import type { APIResource, APIResourceList } from 'kubernetes-types/meta/v1'
import type { Kind } from '../objects/objects.ts'
import { Singleflight } from '../singleflight.ts'
import { builtInResources } from './built-in-resources.ts'
import { ApiError } from './errors.ts'

/** Where a kind is served. */
export interface Resource {
  /** `/apis/networking.k8s.io/v1` */
  readonly root: string
  readonly plural: string
  readonly namespaced: boolean
  /** `status`, `scale`, … */
  readonly subresources: readonly string[]
}

/** The server knows no such kind: its CRD may be missing, or the cluster older than we think. */
export class KindNotServedError extends Error {
  override readonly name = 'KindNotServedError'
  constructor({ apiVersion, kind }: Kind, cause?: unknown) {
    super(
      `The API server does not serve ${kind} of ${apiVersion}; ` +
        `check that its CustomResourceDefinition is installed and that the version is right (kubectl api-resources)`,
      { cause },
    )
  }
}

/** Asks which resources are served under a path. */
type FetchResources = (path: string, signal: AbortSignal) => Promise<APIResourceList>

/**
 * Finds the path of a kind by asking the server, once for each group and version, unless it is known beforehand. What
 * is found is cached; what is not is asked for again next time, because the definition may be installed meanwhile.
 */
export class Discovery {
  readonly #fetch: FetchResources
  readonly #found = new Map(knownBeforehand)
  readonly #underWay = new Map<string, Singleflight<APIResourceList>>()

  constructor(fetch: FetchResources) {
    this.#fetch = fetch
  }

  /** What is known already, without waiting. */
  known(kind: Kind): Resource | undefined {
    return this.#found.get(idOf(kind))
  }

  async find(kind: Kind, signal?: AbortSignal): Promise<Resource> {
    signal?.throwIfAborted()
    const { apiVersion } = kind
    const root = rootOf(apiVersion)
    const { resources } = await this.#resourcesAt(root, kind, signal)
    const found = resources.find(
      (resource) =>
        resource.kind === kind.kind && !resource.name.includes('/') && isOfVersion(resource, apiVersion),
    )
    if (found === undefined) throw new KindNotServedError(kind)
    const resource = {
      root,
      plural: found.name,
      namespaced: found.namespaced,
      subresources: resources
        .filter(({ name }) => name.startsWith(`${found.name}/`))
        .map(({ name }) => name.slice(found.name.length + 1)),
    }
    this.#found.set(idOf(kind), resource)
    return resource
  }

  /** Whether what is known of a kind was never asked for. */
  isAssumed(kind: Kind): boolean {
    const known = this.known(kind)
    return known !== undefined && known === knownBeforehand.get(idOf(kind))
  }

  /** The path turned out to be wrong: the definition was removed or changed. */
  forget(kind: Kind): void {
    this.#found.delete(idOf(kind))
  }

  /** Concurrent callers share one request; it is cut off when the last of them has given up. */
  async #resourcesAt(root: string, kind: Kind, signal: AbortSignal | undefined): Promise<APIResourceList> {
    const underWay = this.#underWay.get(root)
    const run =
      underWay === undefined || underWay.isOver
        ? new Singleflight((cancelled) => this.#fetch(root, cancelled))
        : underWay
    this.#underWay.set(root, run)
    try {
      return await run.join(signal)
    } catch (error) {
      throw error instanceof ApiError && error.code === 404 ? new KindNotServedError(kind, error) : error
    } finally {
      if (run.isOver && this.#underWay.get(root) === run) this.#underWay.delete(root)
    }
  }
}

const idOf = ({ apiVersion, kind }: Kind) => `${apiVersion}/${kind}`

const rootOf = (apiVersion: string) =>
  apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`

const knownBeforehand: ReadonlyMap<string, Resource> = new Map(
  builtInResources.map(([kind, resource]) => [idOf(kind), { root: rootOf(kind.apiVersion), ...resource }]),
)

/** A list may hold kinds of other groups (`Scale` of autoscaling): they name their own group and version. */
function isOfVersion({ group, version }: APIResource, apiVersion: string): boolean {
  if (version === undefined || version === '') return true
  return apiVersion === (group ? `${group}/${version}` : version)
}

/** The path of a collection, of an object in it, or of a subresource. */
export function pathOf(
  { root, plural }: Pick<Resource, 'root' | 'plural'>,
  {
    namespace,
    name,
    subresource,
  }: { namespace?: string | undefined; name?: string; subresource?: string | undefined },
): string {
  let path = root
  if (namespace !== undefined) path += `/namespaces/${encodeURIComponent(namespace)}`
  path += `/${plural}`
  if (name !== undefined) path += `/${encodeURIComponent(name)}`
  if (subresource !== undefined) path += `/${subresource}`
  return path
}
