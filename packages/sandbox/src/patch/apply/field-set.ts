import { compareElements, type Path, type PathElement, serialise } from './path-element.ts'

/**
 * A set of fields of an object, as a tree. That a path is in the set says nothing of the paths above or below it.
 * Sets are values: every operation gives a new one, made of parts of the old ones.
 */
export interface FieldSet {
  readonly nodes: ReadonlyMap<string, FieldNode>
}

/** A step that is a member of the set, or leads to members, or both. */
export interface FieldNode {
  readonly element: PathElement
  readonly member: boolean
  /** Never empty. */
  readonly below: FieldSet | undefined
}

export const noFields: FieldSet = { nodes: new Map() }

export function isEmpty(set: FieldSet): boolean {
  return set.nodes.size === 0
}

export function fieldSet(paths: Iterable<Path>): FieldSet {
  const builder = new FieldSetBuilder()
  for (const path of paths) builder.insert(path)
  return builder.finished()
}

/** Gathers paths into a set. */
export class FieldSetBuilder {
  readonly #root: MutableNode = { element: undefined, member: false, below: new Map() }

  /** The empty path is the object itself, which has no owner. */
  insert(path: Path): void {
    let node = this.#root
    for (const element of path) {
      const name = serialise(element)
      let next = node.below.get(name)
      if (next === undefined) {
        next = { element, member: false, below: new Map() }
        node.below.set(name, next)
      }
      node = next
    }
    node.member = true
  }

  finished(): FieldSet {
    return frozen(this.#root.below) ?? noFields
  }
}

interface MutableNode {
  readonly element: PathElement | undefined
  member: boolean
  readonly below: Map<string, MutableNode>
}

function frozen(below: ReadonlyMap<string, MutableNode>): FieldSet | undefined {
  if (below.size === 0) return undefined
  const nodes = new Map<string, FieldNode>()
  for (const [name, { element, member, below: next }] of below) {
    if (element !== undefined) nodes.set(name, { element, member, below: frozen(next) })
  }
  return { nodes }
}

export function has(set: FieldSet, path: Path): boolean {
  let node: FieldNode | undefined
  let level: FieldSet | undefined = set
  for (const element of path) {
    node = level?.nodes.get(serialise(element))
    level = node?.below
  }
  return node?.member ?? false
}

export function union(a: FieldSet, b: FieldSet): FieldSet {
  if (isEmpty(a)) return b
  const nodes = new Map(a.nodes)
  for (const [name, node] of b.nodes) {
    const other = nodes.get(name)
    nodes.set(name, other === undefined ? node : bothOf(other, node))
  }
  return { nodes }
}

function bothOf(a: FieldNode, b: FieldNode): FieldNode {
  const below =
    a.below === undefined || b.below === undefined ? (a.below ?? b.below) : union(a.below, b.below)
  return { element: a.element, member: a.member || b.member, below }
}

export function intersection(a: FieldSet, b: FieldSet): FieldSet {
  return selected(a, (node, name) => {
    const other = b.nodes.get(name)
    if (other === undefined) return undefined
    const below =
      node.below === undefined || other.below === undefined
        ? undefined
        : intersection(node.below, other.below)
    return { ...node, member: node.member && other.member, below }
  })
}

/** Without the members of another set; what lies below a member of the other stays. */
export function difference(a: FieldSet, b: FieldSet): FieldSet {
  return selected(a, (node, name) => {
    const other = b.nodes.get(name)
    if (other === undefined) return node
    const below =
      node.below === undefined || other.below === undefined ? node.below : difference(node.below, other.below)
    return { ...node, member: node.member && !other.member, below }
  })
}

/** Without the members of another set and everything below them. */
export function recursiveDifference(a: FieldSet, b: FieldSet): FieldSet {
  return selected(a, (node, name) => {
    const other = b.nodes.get(name)
    if (other === undefined) return node
    if (other.member) return undefined
    const below =
      node.below === undefined || other.below === undefined
        ? node.below
        : recursiveDifference(node.below, other.below)
    return { ...node, below }
  })
}

function selected(set: FieldSet, select: (node: FieldNode, name: string) => FieldNode | undefined): FieldSet {
  const nodes = new Map<string, FieldNode>()
  for (const [name, node] of set.nodes) {
    const kept = select(node, name)
    if (kept === undefined) continue
    const below = kept.below === undefined || isEmpty(kept.below) ? undefined : kept.below
    if (kept.member || below !== undefined) nodes.set(name, { ...kept, below })
  }
  return { nodes }
}

export function equalSets(a: FieldSet, b: FieldSet): boolean {
  if (a.nodes.size !== b.nodes.size) return false
  for (const [name, node] of a.nodes) {
    const other = b.nodes.get(name)
    if (other === undefined || other.member !== node.member) return false
    if (!equalSets(node.below ?? noFields, other.below ?? noFields)) return false
  }
  return true
}

export function inOrder(set: FieldSet): FieldNode[] {
  return [...set.nodes.values()].sort((a, b) => compareElements(a.element, b.element))
}

/** In order: first the members of a level, then what lies below each. */
export function* pathsOf(set: FieldSet, above: Path = []): Generator<Path> {
  const nodes = inOrder(set)
  for (const { element, member } of nodes) if (member) yield [...above, element]
  for (const { element, below } of nodes) if (below !== undefined) yield* pathsOf(below, [...above, element])
}
