import {
  type Clock,
  type Kind,
  type KubeApi,
  type KubeObject,
  type Logger,
  type Metrics,
  type Persisted,
  type Random,
  Watch,
} from '@portcullis/kube'
import type { FindKinds, ServedKind } from '../served-kinds.ts'
import { nodeOf, type OwnershipGraph } from './graph.ts'

export interface KindMonitorsOptions {
  readonly client: Pick<KubeApi, 'pages' | 'watchOnce'>
  readonly findKinds: FindKinds
  /** How often to look for kinds that have come or gone; a change of a CustomResourceDefinition is noticed at once. */
  readonly rediscoverMs: number
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
  readonly metrics: Metrics
}

/** How long a new definition takes until it is served, about. */
const definitionSettlesMs = 300

/** Watches every kind that can be deleted, kinds that come later included, and keeps the graph up to date. */
export class KindMonitors {
  readonly #options: KindMonitorsOptions
  readonly #graph: OwnershipGraph
  readonly #wake: (uids: readonly string[]) => void
  readonly #watching = new Map<string, AbortController>()
  #cancelTimer = () => {}
  #stopped = false

  constructor(options: KindMonitorsOptions, graph: OwnershipGraph, wake: (uids: readonly string[]) => void) {
    this.#options = options
    this.#graph = graph
    this.#wake = wake
  }

  start(): void {
    void this.#discover()
  }

  stop(): void {
    this.#stopped = true
    this.#cancelTimer()
    for (const watch of this.#watching.values()) watch.abort(new Error('the garbage collector has stopped'))
    this.#watching.clear()
  }

  async #discover(): Promise<void> {
    const { findKinds, log, rediscoverMs } = this.#options
    try {
      const kinds = await findKinds()
      if (!this.#stopped) this.#follow(kinds.filter(isCollected))
    } catch (err) {
      log.debug({ err }, 'The kinds of the cluster could not be listed')
    }
    this.#discoverAfter(rediscoverMs)
  }

  #discoverAfter(milliseconds: number): void {
    this.#cancelTimer()
    if (this.#stopped) return
    this.#cancelTimer = this.#options.clock.after(milliseconds, () => void this.#discover())
  }

  #follow(kinds: readonly ServedKind[]): void {
    const wanted = new Map(kinds.map((kind) => [idOf(kind), kind]))
    for (const [id, watch] of this.#watching) {
      if (wanted.has(id)) continue
      watch.abort(new Error('the kind is no longer served'))
      this.#watching.delete(id)
    }
    for (const [id, kind] of wanted) {
      if (!this.#watching.has(id)) this.#watching.set(id, this.#monitor(kind))
    }
  }

  #monitor({ apiVersion, kind: name }: ServedKind): AbortController {
    const { client, clock, random, log, metrics } = this.#options
    const kind: Kind = { apiVersion, kind: name }
    const stop = new AbortController()
    const isDefinition = name === 'CustomResourceDefinition'
    const changed = () => {
      if (isDefinition) this.#discoverAfter(definitionSettlesMs)
    }
    const sink = {
      replace: (objects: readonly Persisted[]) => {
        const present = new Set(objects.map(({ metadata }) => metadata.uid))
        for (const { uid } of this.#graph.ofKind(kind)) {
          if (!present.has(uid)) this.#wake(this.#graph.remove(uid))
        }
        for (const object of objects) this.#wake(this.#graph.put(nodeOf(kind, object)))
      },
      apply: (object: Persisted) => {
        this.#wake(this.#graph.put(nodeOf(kind, object)))
        changed()
      },
      delete: ({ metadata }: Persisted) => {
        this.#wake(this.#graph.remove(metadata.uid))
        changed()
      },
    }
    const watch = new Watch<KubeObject>({
      client,
      kind,
      sink,
      project: metadataOnly,
      clock,
      random,
      log,
      metrics,
    })
    void watch.run(stop.signal)
    return stop
  }
}

const idOf = ({ apiVersion, kind }: Kind) => `${apiVersion}/${kind}`

/** Events are many, and have no owners. */
function isCollected({ kind, verbs }: ServedKind): boolean {
  return kind !== 'Event' && ['list', 'watch', 'delete'].every((verb) => verbs.includes(verb))
}

function metadataOnly({ metadata }: Persisted): Persisted {
  const { managedFields: _, annotations: __, labels: ___, ...needed } = metadata
  return { metadata: needed }
}
