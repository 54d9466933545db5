import {
  asReceived,
  createdObject,
  deletedObject,
  isFinalized,
  type MergePatch,
  patchedObject,
} from '@portcullis/kube'
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

/** Plain objects under a kind and a name, changed as an API server changes them; defaults are filled in. */
export class FakeApiServer {
  readonly #objects = new Map<string, AnyObject>()
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

  create(manager: string, sent: object): AnyObject {
    const object = asReceived(sent) as AnyObject
    const { kind = '', metadata } = object
    if (this.get(kind, metadata.name) !== undefined)
      throw new Error(`${kind} ${metadata.name} already exists`)
    const writer = { manager, now: this.now }
    return this.#put(createdObject(object, `uid-${this.#version + 1}`, writer, withDefaults))
  }

  patch(manager: string, seen: AnyObject, sent: MergePatch): AnyObject {
    const { kind = '', metadata } = seen
    const before = this.get(kind, metadata.name)
    if (before?.metadata.uid !== metadata.uid) throw new Error(`${kind} ${metadata.name} is another one now`)
    const after = patchedObject(before, asReceived(sent), { manager, now: this.now }, withDefaults)
    if (after === before) throw new Error(`a write that changes nothing: ${JSON.stringify(sent)}`)
    if (!isFinalized(after)) return this.#put(after)
    this.#objects.delete(`${kind}/${metadata.name}`)
    return after
  }

  delete({ kind = '', metadata }: AnyObject): void {
    const object = this.get(kind, metadata.name)
    if (object?.metadata.uid !== metadata.uid) return
    const waiting = deletedObject(object, this.now)
    if (waiting === undefined) this.#objects.delete(`${kind}/${metadata.name}`)
    else if (waiting !== object) this.#put(waiting)
  }

  #put(object: AnyObject): AnyObject {
    const { kind, metadata } = object
    const stored = frozen({ ...object, metadata: { ...metadata, resourceVersion: String(++this.#version) } })
    this.#objects.set(`${kind}/${metadata.name}`, stored)
    return stored
  }
}

/** So that whoever changes a snapshot is found out at once. */
export function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !(value instanceof Date) && !Object.isFrozen(value)) {
    Object.values(value).forEach(frozen)
    Object.freeze(value)
  }
  return value
}
