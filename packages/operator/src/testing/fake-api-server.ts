import {
  asReceived,
  keyOf,
  type MergePatch,
  SimulatedApiServer,
  Storage,
  type StoredObject,
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

/**
 * The simulated API server as tests use it: objects by kind and name alone, with defaults filled in, and strict about
 * writes that a caller should not have made.
 */
export class FakeApiServer {
  /** Versions and uids of three digits are easier to read in a failure. */
  readonly #storage = new Storage(100)
  readonly #server = new SimulatedApiServer({
    storage: this.#storage,
    now: () => this.now,
    newUid: () => `uid-${this.#storage.revision + 1}`,
    defaults: (object) => withDefaults(object as AnyObject & StoredObject) as StoredObject,
  })
  now: Date

  constructor(now: Date) {
    this.now = now
  }

  get(kind: string, name: string): AnyObject | undefined {
    return this.list(kind).find(({ metadata }) => metadata.name === name)
  }

  list(kind: string): AnyObject[] {
    return this.#storage.list(kind).map(([, object]) => asTestsSeeIt(object))
  }

  create(manager: string, sent: object): AnyObject {
    const object = asReceived(sent) as StoredObject
    return asTestsSeeIt(this.#server.create(object.kind, object, { manager }))
  }

  patch(manager: string, { kind = '', metadata }: AnyObject, sent: MergePatch): AnyObject {
    const before = this.#storage.get(kind, keyOf(metadata))
    const { uid } = metadata
    const after = this.#server.patch(kind, keyOf(metadata), asReceived(sent), { manager, uid })
    if (after === undefined) throw new Error(`${kind} ${metadata.name} is another one now`)
    if (after === before) throw new Error(`a write that changes nothing: ${JSON.stringify(sent)}`)
    return asTestsSeeIt(after)
  }

  delete({ kind = '', metadata }: AnyObject): void {
    this.#server.delete(kind, keyOf(metadata), { uid: metadata.uid })
  }
}

function asTestsSeeIt(object: StoredObject): AnyObject {
  return frozen(object) as unknown as AnyObject
}

/** So that code that changes a snapshot fails at once. */
export function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !(value instanceof Date) && !Object.isFrozen(value)) {
    Object.values(value).forEach(frozen)
    Object.freeze(value)
  }
  return value
}
