import { createHash } from 'node:crypto'
import type { Resource } from '../resource.ts'
import type { Route, RouteResponse } from '../server/api-server.ts'
import type { ResourceTable } from '../server/resource-table.ts'
import { BuiltInSchemas } from './built-in-schemas.ts'
import { KubernetesDescriptions } from './descriptions.ts'
import { documentOf, type OpenApiDocument } from './document.ts'
import { documentV2 } from './document-v2.ts'
import { documentToProtobuf, protobufTypeV2 } from './protobuf-v2.ts'

interface RenderedDocument {
  readonly resources: readonly Resource[]
  readonly document: OpenApiDocument
  readonly text: string
  readonly hash: string
}

/**
 * `/openapi/v3`, one document for each version of each group, and `/openapi/v2`, all in one. Nothing is computed
 * before the first request; then each document is kept until one of its resources changes.
 */
export function openApiRoute(table: ResourceTable, now: () => Date): Route {
  let documents: Documents | undefined
  return ({ method, path, query, headers }) => {
    if (method !== 'GET' || !path.startsWith('/openapi/')) return undefined
    documents ??= new Documents(table)
    if (path === '/openapi/v3' || path === '/openapi/v3/') return { code: 200, body: documents.index() }
    if (path === '/openapi/v2') return documents.v2(headers['accept'])
    const version = documents.version(path.slice('/openapi/v3/'.length))
    return version && versionResponse(version, path, query.get('hash'), now())
  }
}

const year = 365 * 24 * 3600 * 1000

/** A response requested by hash may be cached for good, and redirects if the document has changed since. */
function versionResponse(
  { text, hash }: RenderedDocument,
  path: string,
  asked: string | null,
  now: Date,
): RouteResponse {
  const contentType = 'application/json'
  if (asked && asked !== hash)
    return { code: 301, text: '', contentType, headers: { location: `${path}?hash=${hash}` } }
  const expires = new Date(now.getTime() + year).toUTCString()
  const headers = {
    etag: JSON.stringify(hash),
    vary: 'Accept',
    ...(asked && { 'cache-control': 'public, immutable', expires }),
  }
  return { code: 200, text, contentType, headers }
}

class Documents {
  readonly #table: ResourceTable
  readonly #descriptions = new KubernetesDescriptions()
  readonly #builtIn = new BuiltInSchemas(this.#descriptions)
  readonly #written = new Map<string, RenderedDocument>()
  /** Kept as long as no document changes, in each form that was asked for. */
  #v2: { readonly hash: string; readonly forms: Map<string, string | Buffer> } | undefined

  constructor(table: ResourceTable) {
    this.#table = table
  }

  index(): object {
    const paths = Object.fromEntries(
      [...this.#versions()].map(([path, resources]) => {
        const { hash } = this.#document(path, resources)
        return [path, { serverRelativeURL: `/openapi/v3/${path}?hash=${hash}` }]
      }),
    )
    return { paths }
  }

  version(path: string): RenderedDocument | undefined {
    const resources = this.#versions().get(path)
    return resources && this.#document(path, resources)
  }

  /** All in one document; as protobuf for clients that accept nothing else, as kubectl. */
  v2(accept = ''): RouteResponse {
    const documents = [...this.#versions()].map(([path, resources]) => this.#document(path, resources))
    const hash = documents.map((written) => written.hash).join()
    if (this.#v2?.hash !== hash) this.#v2 = { hash, forms: new Map() }
    const wantsProtobuf = accept.includes('com.github.proto-openapi.spec.v2') && !accept.includes('json')
    const contentType = wantsProtobuf ? protobufTypeV2 : 'application/json'
    let text = this.#v2.forms.get(contentType)
    if (text === undefined) {
      const document = documentV2(documents.map((written) => written.document))
      text = wantsProtobuf ? documentToProtobuf(document) : JSON.stringify(document)
      this.#v2.forms.set(contentType, text)
    }
    return { code: 200, text, contentType }
  }

  /** What is served, by `api/v1` and `apis/GROUP/VERSION`. */
  #versions(): Map<string, Resource[]> {
    const versions = new Map<string, Resource[]>()
    for (const resource of this.#table.all()) {
      const { group, version } = resource
      const path = group === '' ? `api/${version}` : `apis/${group}/${version}`
      versions.set(path, [...(versions.get(path) ?? []), resource])
    }
    return versions
  }

  #document(path: string, resources: readonly Resource[]): RenderedDocument {
    const known = this.#written.get(path)
    if (known !== undefined && isSame(known.resources, resources)) return known
    const document = documentOf(resources, this.#builtIn, this.#descriptions)
    const text = JSON.stringify(document)
    const hash = createHash('sha512').update(text).digest('hex').toUpperCase()
    const written = { resources, document, text, hash }
    this.#written.set(path, written)
    return written
  }
}

function isSame(one: readonly Resource[], other: readonly Resource[]): boolean {
  return one.length === other.length && one.every((resource, at) => resource === other[at])
}
