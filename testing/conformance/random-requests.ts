import { setTimeout as pause } from 'node:timers/promises'
import type { ApiRequest, ApiResponse, Watch } from './api-server.ts'
import { asText, type BothServers, Comparison, type Difference } from './comparison.ts'
import type { RandomKind } from './random-kind.ts'
import { type At, kindAt, type Step, type Version } from './random-steps.ts'

/** What one server has said so far. */
interface Memory {
  readonly objects: Map<string, SeenObject[]>
  continuation: { path: string; token: string } | undefined
  listVersion: string | undefined
}

interface SeenObject {
  readonly metadata: { readonly name?: string; readonly resourceVersion?: string; readonly uid?: string }
}

const contentTypes = {
  merge: 'application/merge-patch+json',
  'strategic-merge': 'application/strategic-merge-patch+json',
  json: 'application/json-patch+json',
}

export interface SequenceResult {
  readonly requests: number
  /** In the order in which they showed. */
  readonly differences: readonly Difference[]
}

/** Sends the same requests to both servers, in a namespace that is new to both, and returns where the answers differ. */
export async function runSequence(
  steps: readonly Step[],
  servers: BothServers,
  namespace: string,
  isKnown: (difference: Difference) => boolean = () => false,
): Promise<SequenceResult> {
  const sequence = new Sequence(servers, namespace, isKnown)
  try {
    await sequence.prepare()
    const isOver = () => sequence.differences.some((difference) => !isKnown(difference))
    for (const [index, step] of steps.entries()) {
      await sequence.take(step, index)
      if (isOver()) break
    }
    if (!isOver()) await sequence.finish()
    return { requests: sequence.requests, differences: sequence.differences }
  } finally {
    await sequence.cleanUp()
  }
}

class Sequence {
  readonly differences: Difference[] = []
  requests = 0
  readonly #comparison: Comparison
  readonly #servers: BothServers
  readonly #namespace: string
  readonly #isKnown: (difference: Difference) => boolean
  readonly #memories = { real: newMemory(), sandbox: newMemory() }
  readonly #watches: { kind: RandomKind; asked: string; real: Watch; sandbox: Watch }[] = []
  readonly #kinds = new Set<RandomKind>()

  constructor(servers: BothServers, namespace: string, isKnown: (difference: Difference) => boolean) {
    this.#servers = servers
    this.#namespace = namespace
    this.#isKnown = isKnown
    this.#comparison = new Comparison(servers)
  }

  async prepare(): Promise<void> {
    const ask = { method: 'POST', path: '/api/v1/namespaces', body: { metadata: { name: this.#namespace } } }
    await this.#ask(undefined, ask, ask)
  }

  async take(step: Step, index: number): Promise<void> {
    if (step.do === 'watch') return this.#watch(step)
    if (step.do === 'list' && step.query.includes('resourceVersion=0')) await this.#settle(kindAt(step.kind))
    if (step.do === 'continue' && this.#memories.real.continuation === undefined) return undefined
    const kind = 'at' in step ? kindAt(step.at.kind) : 'kind' in step ? kindAt(step.kind) : undefined
    await this.#ask(
      'at' in step ? this.#key(step.at) : kind && this.#pathOf(kind),
      this.#request(step, index, this.#memories.real),
      this.#request(step, index, this.#memories.sandbox),
    )
  }

  /** Lets every watch come to the same point, and compares what they have seen. */
  async finish(): Promise<void> {
    for (const kind of new Set(this.#watches.map((watch) => watch.kind))) {
      const { apiVersion, kind: name, sample } = kind
      const body = this.#placed({
        apiVersion,
        kind: name,
        metadata: { name: 'z', labels: { app: 'a' } },
        ...sample,
      })
      const ask = { method: 'POST', path: this.#pathOf(kind), body }
      await this.#ask(undefined, ask, ask)
    }
    for (const { asked, real, sandbox } of this.#watches) {
      const isLast = ({ object }: { object: SeenObject | object }) =>
        'metadata' in object && object.metadata.name === 'z'
      const [ours, theirs] = await Promise.all(
        [real, sandbox].map(async (watch) => {
          const deadline = pause(5000, [], { ref: false })
          return Promise.race([watch.until(isLast), deadline])
        }),
      )
      this.#note(this.#comparison.compare(asked, ours ?? [], theirs ?? []))
    }
  }

  async cleanUp(): Promise<void> {
    for (const { real, sandbox } of this.#watches) {
      real.close()
      sandbox.close()
    }
    // Cluster IPs and node ports are everybody's.
    const services = `/api/v1/namespaces/${this.#namespace}/services`
    for (const server of [this.#servers.real, this.#servers.sandbox]) {
      for (const name of ['a', 'b', 'c', 'z']) {
        const headers = { 'content-type': contentTypes.merge }
        const body = { metadata: { finalizers: null } }
        const { code } = await server.ask({ method: 'DELETE', path: `${services}/${name}` })
        if (code === 200) await server.ask({ method: 'PATCH', path: `${services}/${name}`, body, headers })
      }
    }
  }

  async #ask(key: string | undefined, real: ApiRequest, sandbox: ApiRequest): Promise<void> {
    this.requests++
    const answers = await this.#comparison.ask({ real, sandbox })
    this.#note(answers.difference)
    if (key === undefined) return
    remember(this.#memories.real, key, real, answers.real)
    remember(this.#memories.sandbox, key, sandbox, answers.sandbox)
  }

  /** Lets the real server's cache catch up with its storage: a list that must be recent waits for it. */
  async #settle(kind: RandomKind): Promise<void> {
    await this.#servers.real.ask({ method: 'GET', path: this.#pathOf(kind) })
  }

  #note(difference: Difference | undefined): void {
    if (difference === undefined) return
    if (this.differences.some(({ asked }) => asked === difference.asked) && this.#isKnown(difference)) return
    this.differences.push(difference)
  }

  async #watch({ kind: index, from, query }: Extract<Step, { do: 'watch' }>): Promise<void> {
    const kind = kindAt(index)
    await this.#settle(kind)
    const pathFor = (memory: Memory) => {
      const seen = [...memory.objects.values()].flat()
      const version = {
        start: '0',
        old: seen[0]?.metadata.resourceVersion ?? '0',
        list: memory.listVersion ?? '0',
      }[from]
      return `${this.#pathOf(kind)}?watch=1&resourceVersion=${version}${query && `&${query}`}`
    }
    this.requests++
    const [real, sandbox] = await Promise.all([
      this.#servers.real.watch(pathFor(this.#memories.real)),
      this.#servers.sandbox.watch(pathFor(this.#memories.sandbox)),
    ])
    const asked = asText({ method: 'GET', path: pathFor(this.#memories.sandbox) })
    this.#watches.push({ kind, asked, real, sandbox })
  }

  #request(step: Exclude<Step, { do: 'watch' }>, index: number, memory: Memory): ApiRequest {
    if (step.do === 'continue') {
      const { path = '', token = '' } = memory.continuation ?? {}
      return { method: 'GET', path: `${path}?continue=${encodeURIComponent(token)}${step.query}` }
    }
    const kind = kindAt('at' in step ? step.at.kind : step.kind)
    this.#kinds.add(kind)
    const collection = this.#pathOf(kind)
    if (step.do === 'list') {
      return { method: 'GET', path: withQuery(collection, step.query), headers: { accept: step.accept } }
    }
    if (step.do === 'delete collection') return { method: 'DELETE', path: withQuery(collection, step.query) }
    const { name } = step.at
    const type = { apiVersion: kind.apiVersion, kind: kind.kind }
    const seen = memory.objects.get(this.#key(step.at)) ?? []
    const path = (subresource: string) => {
      // By way of its status a Service would be made: a known difference, in which all that follows would differ.
      const isDoor = subresource !== 'status' || kind.kind !== 'Service' || seen.length > 0
      return `${collection}/${name}${subresource && isDoor ? `/${subresource}` : ''}`
    }
    switch (step.do) {
      case 'create': {
        const object = this.#named(step.object, name === 'c' ? { generateName: `gen-${index}-` } : { name })
        return {
          method: 'POST',
          path: withQuery(collection, step.query),
          body: this.#placed({ ...type, ...object }),
        }
      }
      case 'update': {
        const version = versionOf(seen, step.version)
        const base = step.isEdit ? seen.at(-1) : undefined
        const object = this.#named(step.object, { name, ...version }, base?.metadata)
        return {
          method: 'PUT',
          path: withQuery(path(step.subresource), step.query),
          body: this.#placed({ ...type, ...base, ...object }),
        }
      }
      case 'patch': {
        const headers = { 'content-type': contentTypes[step.type] }
        const patch =
          step.type === 'json' ? step.patch : this.#named(step.patch, versionOf(seen, step.version))
        return {
          method: 'PATCH',
          path: withQuery(path(step.subresource), step.query),
          body: this.#placed(patch),
          headers,
        }
      }
      case 'apply': {
        const query = [`fieldManager=${step.manager}`, step.force ? 'force=true' : '', step.query]
        const body = this.#placed({ ...type, ...this.#named(step.object, { name }) })
        const headers = { 'content-type': 'application/apply-patch+yaml' }
        const asked = query.filter((part) => part !== '' && !part.startsWith('fieldManager=f')).join('&')
        return { method: 'PATCH', path: withQuery(path(step.subresource), asked), body, headers }
      }
      case 'delete': {
        const { resourceVersion } = versionOf(seen, step.version)
        const preconditions = resourceVersion !== undefined && { preconditions: { resourceVersion } }
        const options = { apiVersion: 'v1', kind: 'DeleteOptions', ...step.options, ...preconditions }
        return { method: 'DELETE', path: path(''), body: options }
      }
      case 'get':
        return { method: 'GET', path: path(step.subresource), headers: { accept: step.accept } }
    }
  }

  #named(object: object, more: object, base: object = {}): object {
    const { metadata } = object as { metadata?: object }
    return { ...object, metadata: { ...base, ...metadata, ...more } }
  }

  #placed(body: object): unknown {
    return JSON.parse(JSON.stringify(body).replaceAll('NAMESPACE', this.#namespace))
  }

  #pathOf({ apiVersion, plural }: RandomKind): string {
    const root = apiVersion === 'v1' ? '/api/v1' : `/apis/${apiVersion}`
    return `${root}/namespaces/${this.#namespace}/${plural}`
  }

  #key({ kind, name }: At): string {
    return `${this.#pathOf(kindAt(kind))}/${name}`
  }
}

function newMemory(): Memory {
  return { objects: new Map(), continuation: undefined, listVersion: undefined }
}

function versionOf(seen: readonly SeenObject[], version: Version): { resourceVersion?: string } {
  const resourceVersion = {
    none: undefined,
    right: seen.at(-1)?.metadata.resourceVersion,
    old: seen[0]?.metadata.resourceVersion,
    wrong: 'abc',
  }[version]
  return resourceVersion === undefined ? {} : { resourceVersion }
}

function remember(
  memory: Memory,
  key: string,
  { method, path }: ApiRequest,
  { code, body }: ApiResponse,
): void {
  if (code >= 300 || typeof body !== 'object' || body === null) return
  if (method === 'DELETE') {
    for (const known of memory.objects.keys()) if (known.startsWith(key)) memory.objects.delete(known)
    return
  }
  if ('items' in body) {
    const { metadata } = body as unknown as { metadata: { continue?: string; resourceVersion: string } }
    if (!path.includes('resourceVersion=0')) memory.listVersion = metadata.resourceVersion
    const token = metadata.continue ?? ''
    if (method === 'GET' && token !== '') memory.continuation = { path: path.split('?')[0] ?? '', token }
    return
  }
  if (!('metadata' in body) || !('kind' in body) || path.includes('dryRun=All')) return
  if (['Status', 'Table', 'PartialObjectMetadata', 'Scale'].includes(String(body.kind))) return
  const seen = memory.objects.get(key) ?? []
  memory.objects.set(key, [...seen, body as unknown as SeenObject])
}

function withQuery(path: string, query: string): string {
  return query === '' ? path : `${path}?${query}`
}
