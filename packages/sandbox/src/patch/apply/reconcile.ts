import {
  type FieldNode,
  type FieldSet,
  FieldSetBuilder,
  isEmpty,
  recursiveDifference,
  union,
} from './field-set.ts'
import type { Path } from './path-element.ts'
import { type FieldType, shapeOf } from './typed-schema.ts'

/**
 * A set that was written when the schema divided a list or map, and now it does not: who owned any part of
 * it owns the whole.
 */
export function reconciled(set: FieldSet, type: FieldType): FieldSet {
  const wholes = new FieldSetBuilder()
  visit(set, type, [], { isWhole: false, wholes })
  const added = wholes.finished()
  return isEmpty(added) ? set : union(recursiveDifference(set, added), added)
}

interface Visit {
  /** Whether the set has this very place, and nothing below it. */
  readonly isWhole: boolean
  readonly wholes: FieldSetBuilder
}

function visit(set: FieldSet | undefined, type: FieldType, path: Path, { isWhole, wholes }: Visit): void {
  const shape = shapeOf(type)
  if (shape.kind === 'scalar') return
  if (shape.kind === 'list') {
    if (!isWhole && shape.list.relationship === 'atomic') return wholes.insert(path)
    for (const node of set?.nodes.values() ?? []) visitNode(node, shape.list.items(), path, wholes)
    return
  }
  if (shape.map.isDeduced) return
  if (!isWhole && shape.map.atomic) {
    if (set !== undefined) wholes.insert(path)
    return
  }
  for (const node of set?.nodes.values() ?? []) {
    const name = node.element.kind === 'field' ? node.element.name : undefined
    const child = (name === undefined ? undefined : shape.map.field(name)) ?? shape.map.others()
    if (child !== undefined) visitNode(node, child, path, wholes)
  }
}

function visitNode(node: FieldNode, type: FieldType, path: Path, wholes: FieldSetBuilder): void {
  const isWhole = node.member && node.below === undefined
  visit(node.below, type, [...path, node.element], { isWhole, wholes })
}
