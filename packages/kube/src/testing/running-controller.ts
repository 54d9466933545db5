import { onTestFinished } from 'vitest'
import type { Backoff } from '../backoff.ts'
import { Controller, type Reconcile, type RequeueAfter } from '../controller/controller.ts'
import {
  type Change,
  enqueueFrom,
  type MapFunc,
  type NamedObject,
  type Source,
} from '../controller/source.ts'
import type { Logger } from '../log.ts'
import { createMetrics } from '../metrics.ts'
import { type Key, keyOf, refOf } from '../objects/objects.ts'
import { settle, VirtualClock } from './virtual-clock.ts'

/** No jitter and powers of two: times can be compared for equality. */
const backoff: Backoff = { baseMs: 64, maxMs: 1024, jitter: 0 }

interface TestObject extends NamedObject {
  readonly owner?: string
}

interface TestContext {
  readonly signal: AbortSignal
  readonly extra: string
}

interface Scenario {
  readonly clock?: VirtualClock
  readonly there?: readonly Key[]
  readonly keysOf?: MapFunc<TestObject>
  /** `held`: each reconcile lasts until the test says `finish` or `fail`. */
  readonly reconcile?: Reconcile<TestContext> | 'held'
  readonly workers?: number
  readonly stopped?: boolean
}

/** A controller that runs, and all that a test wants to see of it. */
export async function running(scenario: Scenario) {
  const { there = [], keysOf = ({ metadata }) => keyOf(metadata), stopped = false } = scenario
  const { reconcile = async () => {}, workers = 4, clock = new VirtualClock() } = scenario
  const metrics = createMetrics('test')
  const { log, lines } = recordingLogger()
  const source = new TestSource()
  for (const key of there) source.put(key)

  const started: Key[] = []
  const held = heldReconcile()
  const controller = new Controller<TestContext>({
    name: 'test',
    kind: 'Widget',
    reconcile: (key, context) => {
      started.push(key)
      return reconcile === 'held' ? held.reconcile(key) : reconcile(key, context)
    },
    sources: [enqueueFrom(source, keysOf)],
    workers,
    backoff,
    clock,
    random: () => 0,
    log,
    metrics,
  })

  const stop = new AbortController()
  const term = new AbortController()
  onTestFinished(() => term.abort())
  if (stopped) stop.abort()
  const runAgain = (signal = new AbortController().signal) =>
    controller.run({ stop: signal, context: { signal: term.signal, extra: 'given' } })
  const run = runAgain(stop.signal)
  await settle()
  return Object.assign(held, { clock, metrics, lines, source, started, stop, term, run, runAgain })
}

/** Reconciles that end when the test ends them. */
function heldReconcile() {
  const inHand = new Map<Key, { resolve: (next?: RequeueAfter) => void; reject: (error: Error) => void }>()
  const held = {
    inHand,
    mostInHand: 0,
    twiceInHand: [] as Key[],
    reconcile: (key: Key) =>
      new Promise<RequeueAfter | void>((resolve, reject) => {
        if (inHand.has(key)) held.twiceInHand.push(key)
        inHand.set(key, { resolve, reject })
        held.mostInHand = Math.max(held.mostInHand, inHand.size)
      }),
    finish: async (key: Key, next?: RequeueAfter) => {
      const reconcile = inHand.get(key)
      inHand.delete(key)
      reconcile?.resolve(next)
      await settle()
    },
    fail: async (key: Key, error: Error) => {
      const reconcile = inHand.get(key)
      inHand.delete(key)
      reconcile?.reject(error)
      await settle()
    },
  }
  return held
}

class TestSource implements Source<TestObject> {
  readonly #objects = new Map<Key, TestObject>()
  readonly #listeners = new Set<(change: Change<TestObject>) => void>()

  get listeners(): number {
    return this.#listeners.size
  }

  values(): Iterable<TestObject> {
    return this.#objects.values()
  }

  subscribe(listener: (change: Change<TestObject>) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  put(key: Key, fields: Pick<TestObject, 'owner'> = {}): void {
    const object = { kind: 'Widget', metadata: refOf(key), ...fields }
    const previous = this.#objects.get(key)
    this.#objects.set(key, object)
    this.#notify(previous === undefined ? { type: 'added', object } : { type: 'updated', object, previous })
  }

  remove(key: Key): void {
    const object = this.#objects.get(key)
    if (object === undefined) return
    this.#objects.delete(key)
    this.#notify({ type: 'deleted', object })
  }

  #notify(change: Change<TestObject>): void {
    for (const listener of this.#listeners) listener(change)
  }
}

function recordingLogger() {
  const lines: { level: string; message: string; fields: Record<string, unknown> }[] = []
  const logger = (bound: object): Logger => {
    const write = (level: string) => (fields: object, message: string) => {
      lines.push({ level, message, fields: { ...bound, ...fields } })
    }
    return {
      debug: write('debug'),
      info: write('info'),
      warn: write('warn'),
      error: write('error'),
      child: (fields) => logger({ ...bound, ...fields }),
    }
  }
  return { log: logger({}), lines }
}
