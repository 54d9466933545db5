import { isObject, type Json, type JsonObject } from '../json-value.ts'
import { type FieldNode, type FieldSet, inOrder, isEmpty, noFields } from './field-set.ts'
import { parse, serialise } from './path-element.ts'

/** The form in which sets of fields are kept in `metadata.managedFields[].fieldsV1`, in the API server's own order. */
export function toFieldsV1(set: FieldSet): JsonObject {
  return written(set, false)
}

function written(set: FieldSet, isMember: boolean): JsonObject {
  const fields: JsonObject = isMember ? { '.': {} } : {}
  for (const { element, member, below } of inOrder(set)) {
    fields[serialise(element)] = below === undefined ? {} : written(below, member)
  }
  return fields
}

/** Throws a SyntaxError for what is no set of fields. */
export function fromFieldsV1(fields: unknown): FieldSet {
  return read(fields).below ?? noFields
}

/** A step without anything below it is a member, said or not. */
function read(fields: unknown): Pick<FieldNode, 'member' | 'below'> {
  if (fields === null) return { member: true, below: undefined }
  if (!isObject(fields)) throw new SyntaxError(`expect { or n, but found ${JSON.stringify(fields)}`)
  const nodes = new Map<string, FieldNode>()
  let member = false
  for (const [name, children] of Object.entries(fields)) {
    if (name === '.') member = true
    else readStep(nodes, name, children)
  }
  const below = { nodes }
  return isEmpty(below) ? { member: true, below: undefined } : { member, below }
}

function readStep(nodes: Map<string, FieldNode>, name: string, children: Json): void {
  const element = parse(name)
  if (element !== undefined) nodes.set(serialise(element), { element, ...read(children) })
}
