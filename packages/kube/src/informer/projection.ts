import type { Logger } from '../log.ts'
import type { Metrics } from '../metrics.ts'
import { type Kind, type KubeObject, keyOf, type Persisted } from '../objects/objects.ts'

export interface ProjectionOptions<T extends KubeObject> {
  readonly kind: Kind<T>
  readonly project: ((object: Persisted<T>) => Persisted<T>) | undefined
  readonly log: Logger
  readonly metrics: Pick<Metrics, 'unreadableObjects'>
}

/** So many versions are kept as logged; beyond that they are logged again. */
const rememberedVersions = 1000

/**
 * What a watch keeps of each object. One whose projection throws affects no other: it is left out until
 * there is another version of it, logged once, and counted.
 */
export class Projection<T extends KubeObject> {
  readonly #options: ProjectionOptions<T>
  /** The versions that were logged, oldest first. */
  readonly #logged = new Set<string>()

  constructor(options: ProjectionOptions<T>) {
    this.#options = options
  }

  /** Undefined where it cannot be understood. */
  of(object: Persisted<T>): Persisted<T> | undefined {
    const { project } = this.#options
    if (project === undefined) return object
    try {
      return project(object)
    } catch (error) {
      this.#leaveOut(object, error)
      return undefined
    }
  }

  #leaveOut({ metadata }: Persisted<T>, err: unknown): void {
    const { kind, log, metrics } = this.#options
    const { uid, resourceVersion } = metadata
    const version = `${uid} ${resourceVersion}`
    if (this.#logged.has(version)) return
    metrics.unreadableObjects.inc({ kind: kind.kind })
    const [oldest] = this.#logged
    if (this.#logged.size >= rememberedVersions && oldest !== undefined) this.#logged.delete(oldest)
    this.#logged.add(version)
    log.error(
      { err, object: keyOf(metadata), uid, resourceVersion },
      `${kind.kind} ${keyOf(metadata)} cannot be understood: it is left out until it is changed`,
    )
  }
}
