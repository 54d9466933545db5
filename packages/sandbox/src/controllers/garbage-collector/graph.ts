import type { Kind, Persisted } from '@portcullis/kube'
import type { OwnerReference } from 'kubernetes-types/meta/v1'

/** What the garbage collector needs to know of an object. */
export interface GraphNode {
  readonly kind: Kind
  readonly namespace: string | undefined
  readonly name: string
  readonly uid: string
  readonly owners: readonly OwnerReference[]
  readonly finalizers: readonly string[]
  readonly isBeingDeleted: boolean
}

/** The graph of owner references, by uid. */
export class OwnershipGraph {
  readonly #nodes = new Map<string, GraphNode>()
  readonly #dependents = new Map<string, Set<string>>()

  get(uid: string): GraphNode | undefined {
    return this.#nodes.get(uid)
  }

  dependentsOf(uid: string): GraphNode[] {
    return [...(this.#dependents.get(uid) ?? [])].flatMap((dependent) => this.#nodes.get(dependent) ?? [])
  }

  /** @returns the uids for which something may be to do now */
  put(node: GraphNode): string[] {
    const before = this.#nodes.get(node.uid)
    if (before !== undefined && isSame(before, node)) return []
    this.#unlink(before)
    this.#nodes.set(node.uid, node)
    for (const { uid } of node.owners) {
      this.#dependents.set(uid, (this.#dependents.get(uid) ?? new Set()).add(node.uid))
    }
    const owners = [...(before?.owners ?? []), ...node.owners].map(({ uid }) => uid)
    return [node.uid, ...owners, ...(this.#dependents.get(node.uid) ?? [])]
  }

  /** @returns the uids for which something may be to do now */
  remove(uid: string): string[] {
    const before = this.#nodes.get(uid)
    if (before === undefined) return []
    this.#unlink(before)
    this.#nodes.delete(uid)
    return [...before.owners.map((owner) => owner.uid), ...(this.#dependents.get(uid) ?? [])]
  }

  /** All objects of one kind, to find those that are gone when it is listed anew. */
  *ofKind({ apiVersion, kind }: Kind): Iterable<GraphNode> {
    for (const node of this.#nodes.values()) {
      if (node.kind.kind === kind && node.kind.apiVersion === apiVersion) yield node
    }
  }

  #unlink(node: GraphNode | undefined): void {
    for (const owner of node?.owners ?? []) {
      const dependents = this.#dependents.get(owner.uid)
      dependents?.delete(node?.uid ?? '')
      if (dependents?.size === 0) this.#dependents.delete(owner.uid)
    }
  }
}

export function nodeOf(kind: Kind, { metadata }: Persisted): GraphNode {
  return {
    kind,
    namespace: metadata.namespace,
    name: metadata.name,
    uid: metadata.uid,
    owners: metadata.ownerReferences ?? [],
    finalizers: metadata.finalizers ?? [],
    isBeingDeleted: metadata.deletionTimestamp !== undefined,
  }
}

function isSame(a: GraphNode, b: GraphNode): boolean {
  return (
    a.isBeingDeleted === b.isBeingDeleted &&
    JSON.stringify([a.owners, a.finalizers]) === JSON.stringify([b.owners, b.finalizers])
  )
}
