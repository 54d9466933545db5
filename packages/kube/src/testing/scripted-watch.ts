import type { KubeApi, ObjectList, WatchEvent, WatchOnceOptions } from '../client/api.ts'
import { ApiError } from '../client/errors.ts'
import { Watch, type WatchOptions } from '../informer/watch.ts'
import { silentLogger } from '../log.ts'
import { createMetrics } from '../metrics.ts'
import { ConfigMap } from '../objects/kinds.ts'
import type { KubeObject, Persisted } from '../objects/objects.ts'
import { VirtualClock } from './virtual-clock.ts'

export type Event = WatchEvent<KubeObject>
/** What one watch request does: gives these events one by one, and then ends, fails, or hangs. */
export type Script = (Event | Error | 'hang')[]
type List = ObjectList<KubeObject> | Error

export function anObject(name: string, version: number): Persisted {
  return { metadata: { name, namespace: 'default', uid: name, resourceVersion: String(version) } }
}

export const added = (name: string, version: number): Event => ({
  type: 'ADDED',
  object: anObject(name, version),
})
export const deleted = (name: string, version: number): Event => ({
  type: 'DELETED',
  object: anObject(name, version),
})
export const bookmark = (version: number): Event => ({ type: 'BOOKMARK', object: anObject('', version) })
export const listOf = (version: number, ...names: string[]): List => ({
  resourceVersion: String(version),
  items: names.map((name) => anObject(name, version)),
})
export const endOfList = (version: number): Event => {
  const { metadata } = anObject('', version)
  const annotations = { 'k8s.io/initial-events-end': 'true' }
  return { type: 'BOOKMARK', object: { metadata: { ...metadata, annotations } } }
}
/** As a server says it that does not stream lists. */
export const notStreamed = () =>
  new ApiError('watch ConfigMap', 422, { reason: 'Invalid', message: 'sendInitialEvents is forbidden' })
export const gone = () =>
  new ApiError('watch ConfigMap', 410, { reason: 'Expired', message: 'too old resource version' })

/** How the server sends lists: as the beginning of a watch, or in pages, and then it refuses the other. */
export type Way = 'streamed' | 'in pages'

interface Play {
  readonly lists: List[]
  readonly watches: Script[]
  readonly way?: Way
  readonly options?: Partial<WatchOptions<KubeObject>>
}

/** Runs a watch against lists and watch requests that are scripted; when the scripts end, everything hangs. */
export function play({ lists, watches, way = 'streamed', options }: Play) {
  const clock = new VirtualClock()
  const changes: string[] = []
  const asked: string[] = []
  const times: number[] = []
  const stop = new AbortController()

  const ask = (what: string) => {
    asked.push(what)
    times.push(clock.monotonic())
  }
  async function* run(script: Script, signal: AbortSignal): AsyncGenerator<WatchEvent<never>[]> {
    for (const step of script) {
      if (step === 'hang') await hang(signal)
      else if (step instanceof Error) throw step
      else yield [step as WatchEvent<never>]
    }
    await new Promise<void>((resolve) => clock.after(5000, resolve)) // An orderly end comes after a while.
  }
  const client: Pick<KubeApi, 'pages' | 'watchOnce'> = {
    async *pages() {
      ask('list')
      const list = lists.shift()
      if (list === undefined) await hang(stop.signal)
      if (list instanceof Error) throw list
      yield list as ObjectList<never>
    },
    async watchOnce(_, { resourceVersion, signal }: WatchOnceOptions) {
      if (resourceVersion !== undefined) {
        ask(`watch from ${resourceVersion}`)
        const script = watches.shift() ?? ['hang' as const]
        if (script[0] instanceof Error) throw script[0]
        return run(script, signal)
      }
      if (way === 'in pages') throw notStreamed()
      ask('list')
      const list = lists.shift() ?? (await hang(signal))
      if (list instanceof Error) throw list
      return (async function* () {
        for (const object of list.items) yield [{ type: 'ADDED', object } as WatchEvent<never>]
        yield [endOfList(Number(list.resourceVersion)) as WatchEvent<never>]
        ask(`watch from ${list.resourceVersion}`)
        yield* run(watches.shift() ?? ['hang'], signal)
      })()
    },
  }
  const watch = new Watch<KubeObject>({
    client,
    kind: ConfigMap,
    sink: {
      replace: (objects) => changes.push(`list ${objects.map(({ metadata }) => metadata.name).join()}`),
      apply: ({ metadata }) => changes.push(`apply ${metadata.name}`),
      delete: ({ metadata }) => changes.push(`delete ${metadata.name}`),
    },
    clock,
    random: () => 0,
    log: silentLogger,
    metrics: createMetrics('test'),
    ...options,
  })
  const running = watch.run(stop.signal)
  const end = async () => {
    stop.abort(new Error('the test is over'))
    await clock.advance(0)
    await running
  }
  return { watch, clock, changes, asked, times, end }
}

export function hang(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error))
  })
}
