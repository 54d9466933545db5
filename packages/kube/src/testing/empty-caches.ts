import { Cache } from '../informer/cache.ts'
import { openCaches, type WatchedKind, type WatchedKinds } from '../informer/watched-kind.ts'
import { silentLogger } from '../log.ts'
import { createMetrics } from '../metrics.ts'

type EmptyCaches<Table extends WatchedKinds> = {
  readonly [Name in keyof Table]: Table[Name] extends WatchedKind<infer T, infer I> ? Cache<T, I> : never
}

/** The caches of a table, for a test to fill; what it puts into them is not projected. */
export function emptyCaches<Table extends WatchedKinds>(table: Table): EmptyCaches<Table> {
  const metrics = createMetrics('test')
  return openCaches(
    table,
    ({ kind, indexes }) => new Cache({ name: kind.kind, indexes, log: silentLogger, metrics }),
  ) as EmptyCaches<Table>
}
