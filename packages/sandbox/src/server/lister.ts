import { CompactedError, type Storage } from '@portcullis/kube'
import type { AnyObject } from '@portcullis/schema'
import type { Resource } from '../resource.ts'
import { badRequest, expired, StatusError } from './api-status.ts'
import { asItIsNow, readContinueToken, writeContinueToken } from './continue-token.ts'
import type { ListOptions } from './list-options.ts'
import { collectionOf } from './storage-key.ts'

export interface ListPage {
  readonly objects: readonly AnyObject[]
  readonly metadata: { resourceVersion: string; continue?: string; remainingItemCount?: number }
}

const pageExpired =
  'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.'

/** A list, or a page of one: all pages show the collection as it was at the first. */
export function listPage(
  storage: Storage,
  resource: Resource,
  namespace: string | undefined,
  options: ListOptions,
): ListPage {
  const { revision, start } = whereToBegin(storage, options)
  const prefix = namespace === undefined ? '' : `${namespace}/`
  const entries = refusingExpired(options, start, () =>
    storage.list(collectionOf(resource), prefix, revision),
  )
  const rest = entries.filter(([key, object]) => key.slice(prefix.length) >= start && options.selects(object))
  // What comes from the cache, as anything does that need not be recent, comes whole; of Events there is none.
  const isCached = options.resourceVersion === 0 && resource.plural !== 'events'
  const page = options.limit > 0 && !isCached ? rest.slice(0, options.limit) : rest
  const objects = page.map(([, object]) => object)
  const last = page.at(-1)
  // There is another page where there is anything more, even if none of it is selected.
  const hasMore = page.length < rest.length || (isFull(page, options, isCached) && last !== entries.at(-1))
  if (last === undefined || !hasMore) {
    return { objects, metadata: { resourceVersion: String(revision) } }
  }
  const token = writeContinueToken({ revision, start: `${last[0].slice(prefix.length)}\0` })
  return {
    objects,
    metadata: {
      resourceVersion: String(revision),
      continue: token,
      // How many are left cannot be known cheaply where only some are selected, so the real server does not say.
      ...(!options.isSelective && { remainingItemCount: rest.length - page.length }),
    },
  }
}

function isFull(page: readonly unknown[], { limit, isSingle }: ListOptions, isCached: boolean): boolean {
  return limit > 0 && !isCached && !isSingle && page.length === limit
}

function whereToBegin(storage: Storage, options: ListOptions): { revision: number; start: string } {
  const { continueToken, resourceVersion = 0, resourceVersionMatch } = options
  if (continueToken !== undefined) {
    if (resourceVersion > 0)
      throw badRequest('specifying resource version is not allowed when using continue')
    const { revision, start } = readContinueToken(continueToken)
    return { revision: revision === asItIsNow ? storage.revision : revision, start }
  }
  refuseFuture(storage, resourceVersion)
  // A limit together with a resourceVersion always meant exactly that version.
  const isPageAt = resourceVersionMatch === undefined && options.limit > 0 && resourceVersion > 0
  const isExact = resourceVersionMatch === 'Exact' || isPageAt
  return { revision: isExact ? resourceVersion : storage.revision, start: '' }
}

/** The real server waits three seconds for such a version to come, and then gives up. */
export function refuseFuture(storage: Storage, resourceVersion: number): void {
  if (resourceVersion <= storage.revision) return
  const message = `Timeout: Too large resource version: ${resourceVersion}, current: ${storage.revision}`
  throw new StatusError(504, 'Timeout', message, {
    causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
    retryAfterSeconds: 1,
  })
}

function refusingExpired<R>({ continueToken }: ListOptions, start: string, list: () => R): R {
  try {
    return list()
  } catch (error) {
    if (!(error instanceof CompactedError)) throw error
    if (continueToken === undefined) throw expired('The resourceVersion for the provided list is too old.')
    throw expired(pageExpired, writeContinueToken({ revision: asItIsNow, start }))
  }
}
