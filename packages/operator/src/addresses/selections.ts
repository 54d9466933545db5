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

  constructor(book: Pick<AddressBook, 'get'>, namespaces: Pick<CacheReader<Namespace, never>, 'get'>) {
    this.#book = book
    this.#namespaces = namespaces
  }

  /** Unknown before the controller is known: no Ingress is given an address, wherever it comes from, that no router serves. */
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

  #compile(shard: Shard): ReturnType<typeof compileShard> {
    if (!this.#compiled.has(shard)) this.#compiled.set(shard, compileShard(shard))
    return this.#compiled.get(shard)
  }

  #labelsOf(namespace = ''): Labels | undefined {
    const found = this.#namespaces.get(namespace)
    return found && (found.metadata.labels ?? {})
  }
}

/** Whether a change of a Namespace may select other Ingresses: it has other labels, or its labels become known or unknown. */
export function labelsChanged(change: Change<Cached<Namespace>>): boolean {
  if (change.type !== 'updated') return true
  return !isSameJson(change.object.metadata.labels ?? {}, change.previous.metadata.labels ?? {})
}
