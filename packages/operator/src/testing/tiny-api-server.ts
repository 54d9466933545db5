import { applyMergePatch, isSameJson, type MergePatch, timestamp } from '@portcullis/kube'
import { FieldAccount } from '@portcullis/kube/testing'
import { withDefaults } from './server-defaults.ts'

/** As far as anything here looks into an object of any kind. */
export interface AnyObject {
  apiVersion?: string
  kind?: string
  metadata: {
    namespace?: string
    name: string
    uid: string
    resourceVersion: string
    generation?: number
    creationTimestamp?: string
    deletionTimestamp?: string
    labels?: Record<string, string>
    annotations?: Record<string, string>
    finalizers?: string[]
    managedFields?: object[]
  }
  // oxlint-disable-next-line typescript/no-explicit-any
  spec?: any
  // oxlint-disable-next-line typescript/no-explicit-any
  status?: any
}

/**
 * Plain objects under a kind and a name, changed as an API server changes them: defaults are filled in, versions and
 * generations count up, it is kept account of who set which field, and finalizers hold up a deletion.
 */
export class TinyApiServer {
  readonly #objects = new Map<string, AnyObject>()
  readonly #accounts = new Map<string, FieldAccount>()
  #version = 100
  now: Date

  constructor(now: Date) {
    this.now = now
  }

  get(kind: string, name: string): AnyObject | undefined {
    return this.#objects.get(`${kind}/${name}`)
  }

  list(kind: string): AnyObject[] {
    return [...this.#objects.values()].filter((object) => object.kind === kind)
  }

  create(manager: string, object: object): AnyObject {
    const { metadata, ...rest } = plain(object) as AnyObject
    const number = ++this.#version
    const created = withDefaults({
      ...rest,
      metadata: {
        generation: 1,
        creationTimestamp: this.#time(),
        ...metadata,
        uid: `uid-${number}`,
        resourceVersion: String(number),
      },
    })
    if (this.get(created.kind ?? '', metadata.name) !== undefined)
      throw new Error(`${created.kind} ${metadata.name} already exists`)
    this.#accounts.set(created.metadata.uid, new FieldAccount())
    return this.#store(manager, {}, created)
  }

  patch(manager: string, seen: AnyObject, patch: MergePatch): AnyObject {
    const { kind = '', metadata } = seen
    const before = this.get(kind, metadata.name)
    if (before?.metadata.uid !== metadata.uid) throw new Error(`${kind} ${metadata.name} is another one now`)
    const after = withDefaults(applyMergePatch(before, plain(patch) as MergePatch))
    if (isSameJson(before, after)) throw new Error(`a write that changes nothing: ${JSON.stringify(patch)}`)
    if (!isSameJson(before.spec, after.spec)) {
      after.metadata = { ...after.metadata, generation: (before.metadata.generation ?? 0) + 1 }
    }
    after.metadata = { ...after.metadata, resourceVersion: String(++this.#version) }
    if (after.metadata.deletionTimestamp !== undefined && !after.metadata.finalizers?.length) {
      this.#objects.delete(`${kind}/${metadata.name}`)
      return after
    }
    return this.#store(manager, before, after)
  }

  delete({ kind = '', metadata }: AnyObject): void {
    const object = this.get(kind, metadata.name)
    if (object?.metadata.uid !== metadata.uid) return
    if (!object.metadata.finalizers?.length) this.#objects.delete(`${kind}/${metadata.name}`)
    else if (object.metadata.deletionTimestamp === undefined)
      this.patch('server', object, { metadata: { deletionTimestamp: this.#time() } })
  }

  #store(manager: string, before: object, after: AnyObject): AnyObject {
    const account = this.#accounts.get(after.metadata.uid)
    account?.book(manager, before, after, this.#time())
    const { kind, metadata } = after
    const stored = frozen({
      ...after,
      metadata: { ...metadata, managedFields: account?.managedFields ?? [] },
    })
    this.#objects.set(`${kind}/${metadata.name}`, stored)
    return stored
  }

  #time(): string {
    return timestamp(this.now)
  }
}

/** As it comes out at the other end of a connection: symbols and undefined are gone. */
function plain(object: object): unknown {
  return JSON.parse(JSON.stringify(object))
}

/** So that whoever changes a snapshot is found out at once. */
export function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !(value instanceof Date) && !Object.isFrozen(value)) {
    Object.values(value).forEach(frozen)
    Object.freeze(value)
  }
  return value
}
