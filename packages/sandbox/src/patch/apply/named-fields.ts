import type { FieldNode, FieldSet } from './field-set.ts'
import { type FieldType, typeOfField } from './typed-schema.ts'

/** With every field that the schema names and that leads to a member, which counts as owned through it. */
export function withNamedFields(set: FieldSet, type: FieldType | undefined): FieldSet {
  const nodes = new Map<string, FieldNode>()
  for (const [name, node] of set.nodes) {
    const { element, below } = node
    const isNamed =
      element.kind === 'field' && below !== undefined && type?.map?.field(element.name) !== undefined
    nodes.set(name, {
      element,
      member: node.member || isNamed,
      below: below === undefined ? undefined : withNamedFields(below, typeBelow(node, type)),
    })
  }
  return { nodes }
}

function typeBelow({ element }: FieldNode, type: FieldType | undefined): FieldType | undefined {
  if (element.kind === 'field')
    return type?.map === undefined ? undefined : typeOfField(type.map, element.name)
  return element.kind === 'key' ? type?.list?.items() : undefined
}
