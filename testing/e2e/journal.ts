import {
  type Client,
  isObject,
  type Kind,
  type KubeObject,
  type ObjectRef,
  type Persisted,
} from '@portcullis/kube'
import type {
  KubeApi,
  Patch,
  WatchOnceOptions,
  WriteGuard,
  WriteOptions,
} from '@portcullis/kube/internal/client/api.ts'

type Verb = 'get' | 'list' | 'watch' | 'create' | 'replace' | 'patch' | 'delete'

/** One request, and how it went. */
export interface Entry {
  readonly verb: Verb
  /** `Service`, or `IngressController/status`. */
  readonly what: string
  readonly name: string | undefined
  /** What was sent to be written. */
  readonly sent?: object
  /** The object as it was then; absent when the request failed. */
  readonly answer?: Persisted
}

/** All requests of a client to the API server. */
export class Journal {
  readonly #entries: Entry[] = []
  #page = 0

  /** Notes from now on what the client asks for. */
  attachTo(client: Client): void {
    const asked: KubeApi = {
      get: client.get.bind(client),
      list: client.list.bind(client),
      pages: client.pages.bind(client),
      create: client.create.bind(client),
      replace: client.replace.bind(client),
      patch: client.patch.bind(client),
      patchMetadataOnly: client.patchMetadataOnly.bind(client),
      delete: client.delete.bind(client),
      watchOnce: client.watchOnce.bind(client),
    }
    const note = (entry: Entry) => void this.#entries.push(entry)
    /** Notes a write whether it succeeds or not. */
    const noting = async (entry: Entry, request: () => Promise<Persisted>) => {
      let answer: Persisted | undefined
      try {
        answer = await request()
        return answer
      } finally {
        note(answer === undefined ? entry : { ...entry, answer })
      }
    }
    const guardedBy = client.guardedBy.bind(client)
    const patch = (kind: Kind, ref: ObjectRef, patch: Patch, options?: WriteOptions) => {
      const entry: Entry = { verb: 'patch', what: labelOf(kind, options), name: ref.name, sent: patch.body }
      return noting(entry, () => asked.patch(kind, ref, patch, options))
    }
    Object.assign(client, {
      guardedBy: (guard: WriteGuard) => {
        const guarded = guardedBy(guard)
        this.attachTo(guarded)
        return guarded
      },
      get(kind: Kind, ref: ObjectRef, ...rest: []) {
        note({ verb: 'get', what: kind.kind, name: ref.name })
        return asked.get(kind, ref, ...rest)
      },
      list(kind: Kind, ...rest: []) {
        note({ verb: 'list', what: kind.kind, name: undefined })
        return asked.list(kind, ...rest)
      },
      pages(kind: Kind, ...rest: []) {
        note({ verb: 'list', what: kind.kind, name: undefined })
        return asked.pages(kind, ...rest)
      },
      watchOnce(kind: Kind, options: WatchOnceOptions) {
        // Without a version it begins with a list.
        const verb = options.resourceVersion === undefined ? 'list' : 'watch'
        note({ verb, what: kind.kind, name: undefined })
        return asked.watchOnce(kind, options)
      },
      create(kind: Kind, sent: KubeObject, options?: WriteOptions) {
        const entry: Entry = { verb: 'create', what: kind.kind, name: sent.metadata?.name, sent }
        return noting(entry, () => asked.create(kind, sent, options))
      },
      replace(kind: Kind, sent: KubeObject, options?: WriteOptions) {
        const entry: Entry = {
          verb: 'replace',
          what: labelOf(kind, options),
          name: sent.metadata?.name,
          sent,
        }
        return noting(entry, () => asked.replace(kind, sent, options))
      },
      patch,
      // The answer is wanted here, to see whether it changed anything.
      patchMetadataOnly: patch,
      delete(kind: Kind, ref: ObjectRef, ...rest: []) {
        note({ verb: 'delete', what: kind.kind, name: ref.name })
        return asked.delete(kind, ref, ...rest)
      },
    })
  }

  get length(): number {
    return this.#entries.length
  }

  /** Lets `entries`, `lines` and `count` begin anew. */
  turnPage(): void {
    this.#page = this.#entries.length
  }

  /** What was asked for on this page. */
  get entries(): readonly Entry[] {
    return this.#entries.slice(this.#page)
  }

  /** `patch Service`, `patch IngressController/status`, …; Events, which are a courtesy, and watches left out. */
  get lines(): string[] {
    return this.entries
      .filter(({ verb, what }) => verb !== 'watch' && what !== 'Event')
      .map(({ verb, what }) => `${verb} ${what}`)
  }

  /** How often something was asked for: `patch Service`. */
  count(line: string): number {
    return this.lines.filter((each) => each === line).length
  }

  /**
   * Reads, but for the two that are wanted: the last look at the controller before a deletion to which it consents, and
   * at what is left of it before it is let go.
   */
  get needlessReads(): string[] {
    const letsGo = this.entries.map(
      ({ verb, what, sent }) =>
        verb === 'patch' && what === 'IngressController' && JSON.stringify(sent).includes('"finalizers"'),
    )
    return this.entries
      .filter(
        ({ verb, what }, at) => verb === 'get' && what !== 'IngressController' && !letsGo.includes(true, at),
      )
      .map(({ verb, what, name }) => `${verb} ${what} ${name}`)
  }

  /** Writes after which the object was there as it had been before. */
  get idleWrites(): string[] {
    return this.#entries
      .filter(({ verb, sent, answer }) => {
        const metadata = isObject(sent) && isObject(sent['metadata']) ? sent['metadata'] : {}
        return verb === 'patch' && answer?.metadata.resourceVersion === metadata['resourceVersion']
      })
      .filter(({ answer }) => answer !== undefined && answer.metadata.deletionTimestamp === undefined)
      .map(({ what, name, sent }) => `patch ${what} ${name}: ${JSON.stringify(sent)}`)
  }

  /** What was sent and, since the server fills in defaults in our name, what was there just after a creation. */
  writtenTo(uid: string): object[] {
    return this.#entries
      .filter(({ answer }) => answer?.metadata.uid === uid)
      .flatMap(({ verb, sent, answer }) => (verb === 'create' ? [sent, answer] : [sent]))
      .filter((body) => body !== undefined)
  }
}

function labelOf({ kind }: Kind, options?: WriteOptions): string {
  return options?.subresource === undefined ? kind : `${kind}/${options.subresource}`
}
