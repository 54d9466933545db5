import { setTimeout as pause } from 'node:timers/promises'
import type { ApiResponse, TestedServer, Watch } from './api-server.ts'

export interface SomeObject {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: {
    readonly name: string
    readonly uid: string
    readonly resourceVersion: string
    readonly generation?: number
    readonly managedFields?: readonly { readonly manager: string; readonly fieldsV1: object }[]
    readonly [field: string]: unknown
  }
  readonly spec: Readonly<Record<string, unknown>>
  readonly status: Readonly<Record<string, unknown>>
  readonly data: Readonly<Record<string, string>>
}

const patchTypes = {
  merge: 'application/merge-patch+json',
  json: 'application/json-patch+json',
  strategic: 'application/strategic-merge-patch+json',
}

/** How kubectl asks for what it prints. */
export const asTable = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json' }

/** The verbs of the API, one function each. */
export class ApiVerbs {
  readonly #server: TestedServer

  constructor(server: TestedServer) {
    this.#server = server
  }

  get(path: string, headers: Readonly<Record<string, string>> = {}): Promise<ApiResponse> {
    return this.#server.ask({ method: 'GET', path, headers })
  }

  create(path: string, body: unknown): Promise<ApiResponse> {
    return this.#server.ask({ method: 'POST', path, body })
  }

  replace(path: string, body: unknown): Promise<ApiResponse> {
    return this.#server.ask({ method: 'PUT', path, body })
  }

  patch(type: keyof typeof patchTypes, path: string, body: unknown): Promise<ApiResponse> {
    return this.#server.ask({ method: 'PATCH', path, body, headers: { 'content-type': patchTypes[type] } })
  }

  apply(path: string, body: unknown, { manager = 'one', force = false } = {}): Promise<ApiResponse> {
    const headers = { 'content-type': 'application/apply-patch+yaml' }
    const query = `fieldManager=${manager}${force ? '&force=true' : ''}`
    return this.#server.ask({ method: 'PATCH', path: `${path}?${query}`, body, headers })
  }

  delete(path: string, options?: object): Promise<ApiResponse> {
    const body = options && { apiVersion: 'v1', kind: 'DeleteOptions', ...options }
    return this.#server.ask({ method: 'DELETE', path, ...(body && { body }) })
  }

  watch(path: string): Promise<Watch> {
    return this.#server.watch(path)
  }

  /** A namespace of the test's own; its name. */
  async namespace(): Promise<string> {
    const answer = await this.create('/api/v1/namespaces', { metadata: { generateName: 'api-' } })
    return objectIn(answer).metadata.name
  }

  /** Defines a kind of the test's own, waits until it is served, and returns the path of its collection. */
  async define(definition: {
    spec: DefinitionSpec
  }): Promise<{ group: string; collection: string; root: string }> {
    const { group, names, scope, versions } = definition.spec
    const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
    await expecting(201, this.create(path, definition))
    const [first] = versions
    const root = `/apis/${group}/${first?.name}`
    const namespace = scope === 'Namespaced' ? `/namespaces/${await this.namespace()}` : ''
    const collection = `${root}${namespace}/${names.plural}`
    await eventually(async () => (await this.get(collection)).code === 200)
    return { group, collection, root }
  }
}

export interface DefinitionSpec {
  readonly group: string
  readonly scope: string
  readonly names: { readonly plural: string; readonly kind: string }
  readonly versions: readonly { readonly name: string }[]
}

export function objectIn({ body }: ApiResponse): SomeObject {
  return body as SomeObject
}

export function itemsIn({ body }: ApiResponse): readonly SomeObject[] {
  return (body as { items: SomeObject[] }).items
}

export function namesIn(answer: ApiResponse): string[] {
  return itemsIn(answer).map(({ metadata }) => metadata.name)
}

export function listIn({ body }: ApiResponse): {
  metadata: { resourceVersion: string; continue?: string; remainingItemCount?: number }
} {
  return body as ReturnType<typeof listIn>
}

export function messageOf({ body }: ApiResponse): string {
  return (body as { message: string }).message
}

/** The answer's object, if it came with that code. */
export async function expecting(code: number, asking: Promise<ApiResponse>): Promise<SomeObject> {
  const answer = await asking
  if (answer.code !== code)
    throw new Error(`Expected ${code}, got ${answer.code}: ${JSON.stringify(answer.body)}`)
  return objectIn(answer)
}

export async function eventually(isSo: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 20_000
  while (!(await isSo())) {
    if (Date.now() > deadline) throw new Error('It did not come to be within 20 seconds.')
    await pause(50)
  }
}

export function configMap(name: string, data?: object, metadata: object = {}): object {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, ...metadata }, ...(data && { data }) }
}

/** A name that no other test uses: the real cluster is shared. */
export function unique(base: string): string {
  return `${base}${Math.random().toString(36).slice(2, 9)}`
}
