import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Clock, Logger } from '@portcullis/kube'
import type { User } from '../resource.ts'
import { internalError, StatusError, unauthorized, unknownPath } from './api-status.ts'
import { decodeBody, type Unreadable } from './body-text.ts'
import {
  aggregatedDiscovery,
  coreVersions,
  groupDocument,
  groupList,
  resourceList,
} from './discovery-documents.ts'
import { parseResourcePath } from './request-info.ts'
import type { ApiResponse, ResourceHandler } from './resource-handler.ts'
import type { ResourceTable } from './resource-table.ts'
import { type TokenHolders, userOf } from './tokens.ts'
import type { WatchLine } from './watcher.ts'

export interface ApiServerOptions {
  readonly resources: ResourceTable
  readonly handler: ResourceHandler
  /** Paths that are not of resources: health, version, OpenAPI, reviews. The first that answers does. */
  readonly routes: readonly Route[]
  readonly users: TokenHolders
  /** PEM. */
  readonly certificate: { readonly certificate: string; readonly key: string }
  readonly clock: Clock
  readonly log: Logger
}

export interface RouteRequest {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: string
  /** Set instead where there is no making sense of the body. */
  readonly unreadable?: Unreadable
  readonly user: User
}

/** Answers a request, or leaves it to the next. */
export type Route = (request: RouteRequest) => RouteResponse | undefined

export type RouteResponse =
  | { readonly code: number; readonly body: object }
  | {
      readonly code: number
      readonly text: string | Buffer
      readonly contentType?: string
      readonly headers?: Readonly<Record<string, string>>
    }

const aggregated = 'as=APIGroupDiscoveryList'
/** By this clients see that they got all groups at once. */
const aggregatedType = `application/json;g=apidiscovery.k8s.io;v=v2;${aggregated}`

/** The longest that a watch lasts that does not say how long. */
const watchSeconds = 3600

/** The HTTPS server: authentication, routing, and the response on the wire. Loopback only. */
export class ApiServer {
  readonly #options: ApiServerOptions
  readonly #server: Server
  /** Ends every watch under way. */
  readonly #watches = new Set<() => void>()

  constructor(options: ApiServerOptions) {
    this.#options = options
    const { certificate, key } = options.certificate
    this.#server = createServer({ cert: certificate, key, keepAliveTimeout: 120_000 })
    this.#server.on('request', (request, response) => void this.#receive(request, response))
  }

  /** Listens on 127.0.0.1; returns the port, which the system chooses when it is 0. */
  async listen(port: number): Promise<number> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject)
      this.#server.listen(port, '127.0.0.1', resolve)
    })
    return this.#port
  }

  get #port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  async close(): Promise<void> {
    this.#watches.forEach((end) => end())
    await new Promise<void>((resolve) => {
      this.#server.close(() => resolve())
      this.#server.closeAllConnections()
    })
  }

  async #receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const bytes = await bodyOf(request)
      const { pathname, searchParams: query } = new URL(request.url ?? '/', 'https://sandbox')
      const headers = request.headers as Record<string, string | undefined>
      const user = userOf(headers['authorization'], this.#options.users)
      if (user === undefined) throw unauthorized()
      const body = decodeBody(bytes, headers['content-type'])
      const { method = 'GET' } = request
      this.#answer({ method, path: pathname, query, headers, ...body, user }, response)
    } catch (error) {
      this.#refuse(response, error)
    }
  }

  #answer(request: RouteRequest, response: ServerResponse): void {
    const answer = this.#route(request)
    if ('watch' in answer) this.#stream(response, answer)
    else if ('text' in answer) {
      const { code, text, contentType = 'text/plain; charset=utf-8', headers } = answer
      response.writeHead(code, { 'content-type': contentType, ...headers }).end(text)
    } else sendJson(response, answer.code, answer.body, 'warnings' in answer ? answer.warnings : [])
  }

  #route(request: RouteRequest): ApiResponse | RouteResponse {
    for (const route of this.#options.routes) {
      const answer = route(request)
      if (answer !== undefined) return answer
    }
    return this.#discovery(request) ?? this.#resource(request)
  }

  #discovery({ method, path, headers }: RouteRequest): RouteResponse | undefined {
    if (method !== 'GET') return undefined
    const resources = this.#options.resources.all()
    const [root, group = '', version = '', ...rest] = path.split('/').filter((part) => part !== '')
    const wantsAll = headers['accept']?.includes(aggregated)
    let body: object | undefined
    if ((root === 'api' || root === 'apis') && group === '') {
      if (wantsAll)
        return {
          code: 200,
          text: JSON.stringify(aggregatedDiscovery(resources, root)),
          contentType: aggregatedType,
        }
      body = root === 'api' ? coreVersions(`127.0.0.1:${this.#port}`) : groupList(resources)
    } else if (root === 'api' && version === '') body = resourceList(resources, '', group)
    else if (root === 'apis' && version === '') body = groupDocument(resources, group)
    else if (root === 'apis' && rest.length === 0) body = resourceList(resources, group, version)
    return body && { code: 200, body }
  }

  #resource(request: RouteRequest): ApiResponse {
    const path = parseResourcePath(request.path)
    if (path === undefined || !this.#options.resources.hasVersion(path.group, path.version))
      throw new NoSuchPage()
    const resource = this.#options.resources.find(path)
    if (resource === undefined) throw unknownPath()
    return this.#options.handler.handle({ ...request, path, resource })
  }

  #stream(
    response: ServerResponse,
    { watch, timeoutSeconds = watchSeconds }: Extract<ApiResponse, { watch: unknown }>,
  ): void {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.flushHeaders()
    const send = (line: WatchLine) => {
      response.write(`${JSON.stringify(line)}\n`)
      if (line.type === 'ERROR') end()
    }
    let stopWatch = () => {}
    const end = () => {
      stopWatch()
      cancelTimeout()
      this.#watches.delete(end)
      response.end()
    }
    const cancelTimeout = this.#options.clock.after(timeoutSeconds * 1000, () => end())
    this.#watches.add(end)
    response.once('close', end)
    stopWatch = watch(send)
  }

  #refuse(response: ServerResponse, error: unknown): void {
    if (error instanceof StatusError) {
      const { status } = error
      const { retryAfterSeconds } = status.details ?? {}
      if (retryAfterSeconds !== undefined) response.setHeader('retry-after', String(retryAfterSeconds))
      sendJson(response, status.code, status, error.warnings)
      return
    }
    if (error instanceof NoSuchPage) {
      response.writeHead(404, { 'content-type': 'text/plain; charset=utf-8' }).end('404 page not found\n')
      return
    }
    this.#options.log.error({ err: error }, 'The sandbox failed to answer a request')
    const { status } = internalError(String(error))
    sendJson(response, 500, status, [])
  }
}

/** The path belongs to no API: answered by the web server as such. */
class NoSuchPage extends Error {}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

function sendJson(response: ServerResponse, code: number, body: object, warnings: readonly string[]): void {
  if (warnings.length > 0) {
    response.setHeader(
      'warning',
      warnings.map((warning) => `299 - ${JSON.stringify(warning)}`),
    )
  }
  response.writeHead(code, { 'content-type': 'application/json' }).end(`${JSON.stringify(body)}\n`)
}
