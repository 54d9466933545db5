import type { IncomingMessage } from 'node:http'
import type { Fault } from './faults.ts'

export type Verb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete' | 'other'

/** A request as the proxy saw it, in the words of the Kubernetes API. */
export interface SeenRequest {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly verb: Verb
  /** `ingresses`, or `ingresses/status` for a subresource; undefined for what is no resource, such as /readyz. */
  readonly resource: string | undefined
  readonly namespace: string | undefined
  readonly name: string | undefined
  readonly contentType: string | undefined
  readonly userAgent: string | undefined
  /** Milliseconds since 1970. */
  readonly at: number
  /** The status of the answer, once one has been sent. */
  status: number | undefined
  /** What was done to it, if anything. Delays aside. */
  fault: Fault['type'] | undefined
  /** Why there was no answer, or not all of it, where no fault of ours is the cause. */
  failure: string | undefined
}

export type RequestPredicate = (request: SeenRequest) => boolean

export const everything: RequestPredicate = () => true

/** Of any resource when none is named; the same holds for the predicates below. */
export function watches(resource?: string): RequestPredicate {
  return requests(['watch'], resource)
}

/** Watches that begin with a list of everything there is. */
export function streamedLists(resource?: string): RequestPredicate {
  const isWatch = watches(resource)
  return (request) => isWatch(request) && request.query.has('sendInitialEvents')
}

export function lists(resource?: string): RequestPredicate {
  return requests(['list'], resource)
}

export function reads(resource?: string): RequestPredicate {
  return requests(['get', 'list'], resource)
}

export function writes(resource?: string): RequestPredicate {
  return requests(['create', 'update', 'patch', 'delete'], resource)
}

function requests(verbs: readonly Verb[], resource: string | undefined): RequestPredicate {
  return (request) =>
    verbs.includes(request.verb) && (resource === undefined || request.resource === resource)
}

export function asSeen(message: IncomingMessage): SeenRequest {
  const { method = 'GET', url = '/', headers } = message
  const { pathname, searchParams } = new URL(url, 'http://proxy')
  const target = resourceAt(pathname)
  return {
    method,
    path: pathname,
    query: searchParams,
    verb: target === undefined ? 'other' : verbOf(method, searchParams, target.name),
    resource: target?.resource,
    namespace: target?.namespace,
    name: target?.name,
    contentType: headers['content-type'],
    userAgent: headers['user-agent'],
    at: Date.now(),
    status: undefined,
    fault: undefined,
    failure: undefined,
  }
}

function verbOf(method: string, query: URLSearchParams, name: string | undefined): Verb {
  switch (method) {
    case 'GET':
      if (['true', '1'].includes(query.get('watch') ?? '')) return 'watch'
      return name === undefined ? 'list' : 'get'
    case 'POST':
      return 'create'
    case 'PUT':
      return 'update'
    case 'PATCH':
      return 'patch'
    case 'DELETE':
      return 'delete'
    default:
      return 'other'
  }
}

interface ResourcePath {
  readonly resource: string
  readonly namespace: string | undefined
  readonly name: string | undefined
}

/** /api/v1/… and /apis/group/version/…, then [namespaces/NAMESPACE/]RESOURCE[/NAME[/SUBRESOURCE]]. */
function resourceAt(path: string): ResourcePath | undefined {
  const [root, ...rest] = path.split('/').filter((part) => part !== '')
  if (root !== 'api' && root !== 'apis') return undefined
  const parts = rest.slice(root === 'api' ? 1 : 2)
  const isNamespaced =
    parts[0] === 'namespaces' && parts.length > 2 && !namespaceSubresources.has(parts[2] ?? '')
  const namespace = isNamespaced ? parts[1] : undefined
  const [resource, name, subresource] = isNamespaced ? parts.slice(2) : parts
  if (resource === undefined) return undefined
  return { resource: subresource === undefined ? resource : `${resource}/${subresource}`, namespace, name }
}

/** What follows a namespace's own name in a path, where else the resources in it follow. */
const namespaceSubresources = new Set(['status', 'finalize'])
