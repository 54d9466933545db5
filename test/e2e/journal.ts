import type { Client } from '../../src/kube/client.ts'
import { isObject } from '../../src/kube/merge-patch.ts'
import type { Kind, KubeObject, Live, ObjectRef } from '../../src/kube/objects.ts'
import type { Patch, WriteOptions } from '../../src/kube/verbs.ts'

type Verb = 'get' | 'list' | 'watch' | 'create' | 'replace' | 'patch' | 'delete'

/** One request, and how it went. */
export interface Entry {
  readonly verb: Verb
  /** `Service`, or `IngressController/status`. */
  readonly what: string
  readonly name: string | undefined
  /** What was sent to be written. */
  readonly sent?: object
  /** The object as it was then. */
  readonly answer?: Live
}

/** All that somebody asks of the API server through a client. */
export class Journal {
  readonly #entries: Entry[] = []
  #page = 0

  /** Notes from now on what the client asks for. */
  attachTo(client: Client): void {
    const { get, pages, create, replace, patch, watchOnce } = client
    const remove = client.delete
    const note = (entry: Entry) => void this.#entries.push(entry)
    Object.assign(client, {
      get(kind: Kind, ref: ObjectRef, ...rest: []) {
        note({ verb: 'get', what: kind.kind, name: ref.name })
        return get.call(client, kind, ref, ...rest)
      },
      pages(kind: Kind, ...rest: []) {
        note({ verb: 'list', what: kind.kind, name: undefined })
        return pages.call(client, kind, ...rest)
      },
      watchOnce(kind: Kind, options: Parameters<typeof watchOnce>[1]) {
        note({ verb: 'watch', what: kind.kind, name: undefined })
        return watchOnce.call(client, kind, options)
      },
      async create(kind: Kind, object: KubeObject, options?: WriteOptions) {
        const answer = await create.call(client, kind, object, options)
        note({ verb: 'create', what: kind.kind, name: answer.metadata.name, sent: object, answer })
        return answer
      },
      async replace(kind: Kind, object: KubeObject, options?: WriteOptions) {
        const answer = await replace.call(client, kind, object, options)
        note({
          verb: 'replace',
          what: whatOf(kind, options),
          name: answer.metadata.name,
          sent: object,
          answer,
        })
        return answer
      },
      async patch(kind: Kind, ref: ObjectRef, sent: Patch, options?: WriteOptions) {
        const answer = await patch.call(client, kind, ref, sent, options)
        note({ verb: 'patch', what: whatOf(kind, options), name: ref.name, sent: sent.body, answer })
        return answer
      },
      async delete(kind: Kind, ref: ObjectRef, ...rest: []) {
        note({ verb: 'delete', what: kind.kind, name: ref.name })
        return remove.call(client, kind, ref, ...rest)
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

  /** Writes after which the object was there as it had been before. */
  get idleWrites(): string[] {
    return this.#entries
      .filter(({ verb, sent, answer }) => {
        const metadata = isObject(sent) && isObject(sent['metadata']) ? sent['metadata'] : {}
        return verb === 'patch' && metadata['resourceVersion'] === answer?.metadata.resourceVersion
      })
      .filter(({ answer }) => answer?.metadata.deletionTimestamp === undefined)
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

function whatOf({ kind }: Kind, options?: WriteOptions): string {
  return options?.subresource === undefined ? kind : `${kind}/${options.subresource}`
}
