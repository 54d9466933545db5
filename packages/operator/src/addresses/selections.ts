import {
  type Cached,
  type CacheReader,
  type Change,
  isSameJson,
  type Labels,
  sanitizeUntrusted,
  selectorText,
} from '@portcullis/kube'
import type { Namespace } from 'kubernetes-types/core/v1'
import type { Ingress } from 'kubernetes-types/networking/v1'
import type { AddressBook } from './address-book.ts'
import { compileShard, hasTooManyLabels, labelBoundOf, type Selection, type Shard } from './shard.ts'

/** Which Ingresses the routers of each controller serve, by the labels that Ingresses and namespaces have now. */
export class Selections {
  readonly #book: Pick<AddressBook, 'get'>
  readonly #namespaces: Pick<CacheReader<Namespace, never>, 'get'>
  readonly #compiled = new WeakMap<Shard, ReturnType<typeof compileShard>>()
  /** Namespaces whose labels somebody needed and nobody knew. */
  readonly #awaited = new Set<string>()

  constructor(book: Pick<AddressBook, 'get'>, namespaces: Pick<CacheReader<Namespace, never>, 'get'>) {
    this.#book = book
    this.#namespaces = namespaces
  }

  /** Nothing is known before the controller is: nobody is told an address, whoever gave it, that no router serves. */
  of({ metadata }: Cached<Ingress>, controller: string | undefined): Selection {
    const entry = controller === undefined ? undefined : this.#book.get(controller)
    if (entry === undefined) return { is: 'unknown' }
    const shard = entry.shard && this.#compile(entry.shard)
    if (shard === undefined) return { is: 'selected' }
    return shard(metadata.labels ?? {}, () => this.#labelsOf(metadata.namespace))
  }

  /** Why an Ingress gets no address, for those who wonder. */
  explain({ metadata }: Cached<Ingress>, controller: string, by: keyof Shard): string {
    const selector = selectorText(this.#book.get(controller)?.shard?.[by]) ?? ''
    const [what, toLabel, labels = {}, of] =
      by === 'namespaceSelector'
        ? ([
            `the namespace "${metadata.namespace}"`,
            'namespace',
            this.#labelsOf(metadata.namespace),
            'Namespace',
          ] as const)
        : (['the labels of this Ingress', 'Ingress', metadata.labels, 'Ingress'] as const)
    const has = `IngressController "${controller}" has a ${by} (${sanitizeUntrusted(selector)})`
    if (hasTooManyLabels(of, labels))
      return (
        `${has}, and the ${toLabel} has more labels than the operator compares (${labelBoundOf(of)}): ` +
        `it counts as not selected, and this Ingress gets no address. Remove labels from the ${toLabel}, or choose another class`
      )
    return (
      `${has} that does not select ${what}: ` +
      `its routers do not serve this Ingress, and it gets no address. Label the ${toLabel}, or choose another class`
    )
  }

  /**
   * Whether a change of a Namespace may select other Ingresses: other labels, or the first that anybody sees. When it goes,
   * Ingresses that the cache still has of it are asked for its labels again, so that one of the same name is awaited: it may
   * have other labels, and its Ingresses may have been seen first.
   */
  mayChangeBy(change: Change<Cached<Namespace>>): boolean {
    const { object } = change
    if (change.type === 'added') return this.#awaited.delete(object.metadata.name)
    if (change.type === 'deleted') return true
    return !isSameJson(object.metadata.labels ?? {}, change.previous.metadata.labels ?? {})
  }

  #compile(shard: Shard): ReturnType<typeof compileShard> {
    if (!this.#compiled.has(shard)) this.#compiled.set(shard, compileShard(shard))
    return this.#compiled.get(shard)
  }

  #labelsOf(namespace = ''): Labels | undefined {
    const found = this.#namespaces.get(namespace)
    if (found === undefined) this.#awaited.add(namespace)
    return found && (found.metadata.labels ?? {})
  }
}
