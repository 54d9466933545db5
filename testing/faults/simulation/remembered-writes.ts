import type { Storage } from '@portcullis/kube'
import type { AnyObject } from '@portcullis/schema'
import type { Request } from './api.ts'
import { ForgetfulMap } from './forgetful-map.ts'

/** An object that is about to be written, and all beside it that the outcome depends on. */
export interface WriteInput {
  readonly collection: string
  readonly key: string
  readonly old: AnyObject
  readonly revision: number
  readonly time: string
}

interface RememberedWrite {
  readonly status: number
  readonly body: string
  /** As it then is stored; undefined where it is gone. */
  readonly stored: AnyObject | undefined
}

/** Histories that have come so far in the same way share the very objects. */
const numbers = new WeakMap<AnyObject, number>()
let numbered = 0

function numberOf(object: AnyObject): number {
  const known = numbers.get(object)
  if (known !== undefined) return known
  numbers.set(object, ++numbered)
  return numbered
}

/** By the very object that was written, the time and the request. */
const remembered = new ForgetfulMap<string, RememberedWrite>(20_000)

/**
 * What became of writes, in this history or in others. They go the same way until something goes wrong, and often
 * afterwards: the same write to the same version at the same time need not be thought through again.
 */
export class RememberedWrites {
  readonly #storage: Storage

  constructor(storage: Storage) {
    this.#storage = storage
  }

  /** Does the write again, if it is remembered. */
  repeat(
    request: Request,
    input: WriteInput,
  ): { readonly status: number; readonly body: string } | undefined {
    const { collection, key, old } = input
    const outcome = remembered.get(requestKey(request, input))
    if (outcome === undefined) return undefined
    if (outcome.stored === undefined) this.#storage.remove(collection, key)
    else if (outcome.stored !== old) this.#storage.put(collection, key, outcome.stored)
    return outcome
  }

  /** Takes note of a write, unless it wrote anything else. */
  remember(
    request: Request,
    input: WriteInput,
    { status, body }: { readonly status: number; readonly body: string },
  ): void {
    const { old, collection, key, revision } = input
    const stored = this.#storage.get(collection, key)
    const writes = this.#storage.revision - revision
    if (writes > 1 || (writes === 1) !== (stored !== old)) return
    remembered.set(requestKey(request, input), { status, body, stored })
  }
}

function requestKey(
  { method, path, contentType, userAgent, body }: Request,
  { old, revision, time }: WriteInput,
): string {
  return [numberOf(old), revision, time, method, path, contentType, userAgent, body].join(' ')
}
