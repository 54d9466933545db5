import type { Clock } from '@portcullis/kube'
import { CompactedError, type Entry, type Storage } from '@portcullis/kube'
import type { AnyObject } from '@portcullis/schema'
import type { Resource } from '../resource.ts'
import { expired, StatusError } from './api-status.ts'
import type { ListOptions } from './list-options.ts'
import { refuseFuture } from './lister.ts'
import { collectionOf } from './storage-key.ts'

export interface WatchLine {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR'
  readonly object: object
}

export interface WatchSource {
  readonly storage: Storage
  readonly resource: Resource
  readonly namespace: string | undefined
  readonly options: ListOptions
  readonly clock: Clock
  /** The form in which objects are sent, made of them as they are kept or as they are read. */
  readonly represent: (object: AnyObject, form: { isFirst: boolean; isAsKept: boolean }) => object
  readonly send: (line: WatchLine) => void
}

/** As often as the real server says where it is. */
const bookmarkEveryMs = 60_000

/**
 * Sends what happens to a collection, from a version on, until the returned function is called. An object that
 * begins to match the selectors is added, one that no longer does is deleted, whatever really happened to it.
 */
export function startWatch(source: WatchSource): () => void {
  const { storage, resource, namespace, options, clock, represent, send } = source
  const collection = collectionOf(resource)
  const prefix = namespace === undefined ? '' : `${namespace}/`
  let isFirst = true
  let isLive = false
  const sendObject = (type: WatchLine['type'], object: AnyObject, isAsKept = false) => {
    send({ type, object: represent(object, { isFirst, isAsKept }) })
    isFirst = false
  }
  const onEntry = (entry: Entry) => {
    if (!entry.key.startsWith(prefix)) return
    const change = changeSeen(entry, options.selects)
    if (change === undefined) return
    // The real server sends all who are watching the same copy, as it is kept, of anything but what they lose sight of.
    const isLost = change.type === 'DELETED' && entry.type !== 'DELETED'
    sendObject(change.type, change.object, isLive && !isLost)
  }
  const sendBookmark = (annotations?: Record<string, string>) => {
    const resourceVersion = String(storage.revision)
    const { group, version, kind } = resource
    const apiVersion = group === '' ? version : `${group}/${version}`
    const metadata = { resourceVersion, ...(annotations && { annotations }) }
    send({ type: 'BOOKMARK', object: { kind, apiVersion, metadata } })
  }

  const { resourceVersion = 0, sendsInitialEvents, allowsBookmarks } = options
  try {
    if (sendsInitialEvents ?? resourceVersion === 0) {
      refuseFuture(storage, resourceVersion)
      for (const [, object] of storage.list(collection, prefix))
        if (options.selects(object)) sendObject('ADDED', object)
      if (allowsBookmarks) sendBookmark({ 'k8s.io/initial-events-end': 'true' })
    } else if (resourceVersion > 0) storage.since(collection, resourceVersion).forEach(onEntry)
  } catch (error) {
    send({ type: 'ERROR', object: statusOf(error, resourceVersion) })
    return () => {}
  }
  isLive = true
  const unsubscribe = storage.subscribe(collection, onEntry)
  const stopBookmarks = allowsBookmarks ? every(clock, bookmarkEveryMs, () => sendBookmark()) : () => {}
  return () => {
    unsubscribe()
    stopBookmarks()
  }
}

/** Of a watch that cannot begin at this version; the real server says so in the stream. */
function statusOf(error: unknown, resourceVersion: number): object {
  if (error instanceof StatusError) return error.status
  if (!(error instanceof CompactedError)) throw error
  return expired(`too old resource version: ${resourceVersion} (${error.oldest})`).status
}

/** What a watcher with these selectors sees of a write, if anything. */
function changeSeen({ type, object, previous }: Entry, selects: (object: AnyObject) => boolean) {
  const wasSeen = previous !== undefined && selects(previous)
  const isSeen = type !== 'DELETED' && selects(object)
  if (wasSeen && isSeen) return { type: 'MODIFIED' as const, object }
  if (isSeen) return { type: 'ADDED' as const, object }
  if (!wasSeen) return undefined
  // As it was when it was last seen, at the version of the change.
  const { resourceVersion = '' } = object.metadata
  return {
    type: 'DELETED' as const,
    object: { ...previous, metadata: { ...previous.metadata, resourceVersion } },
  }
}

function every(clock: Clock, milliseconds: number, task: () => void): () => void {
  let cancel = () => {}
  const schedule = () => {
    cancel = clock.after(milliseconds, () => {
      task()
      schedule()
    })
  }
  schedule()
  return () => cancel()
}
