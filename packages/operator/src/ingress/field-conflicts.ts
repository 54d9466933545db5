import {
  countWrite,
  hasExpired,
  isContested,
  isSameJson,
  type Key,
  keyOf,
  otherManagersOf,
} from '@portcullis/kube'
import { type ContestedField, fieldsWritten, valueAt } from './contested-fields.ts'
import type { Action } from './decision.ts'
import { fieldManager } from './names.ts'
import type { Snapshot } from './snapshot.ts'

interface WrittenField extends ContestedField {
  readonly value: unknown
}

interface WrittenFields {
  /** Of the spec that the writes follow: a change of the spec is applied at once. */
  readonly generation: number | undefined
  readonly fields: Map<string, WrittenField>
}

/** Counts how often another client changed fields of operands after they were written. */
export class FieldConflicts {
  readonly #controllers = new Map<Key, WrittenFields>()

  /** The fields of a controller's operands that another client keeps changing. */
  of(key: Key, controller: Snapshot['controller'], now: Date): ContestedField[] {
    const known = this.#controllers.get(key)
    if (known === undefined || known.generation !== controller.metadata.generation) return []
    return [...known.fields.values()].filter((field) => isContested(field) && !hasExpired(field, now))
  }

  wrote(key: Key, controller: Snapshot['controller'], action: Action, now: Date): void {
    const { generation } = controller.metadata
    let known = this.#controllers.get(key)
    if (known === undefined || known.generation !== generation) known = { generation, fields: new Map() }
    this.#controllers.set(key, known)
    for (const path of fieldsWritten(action)) note(known.fields, path, action, now)
  }

  forget(key: Key): void {
    this.#controllers.delete(key)
  }

  forgetAll(): void {
    this.#controllers.clear()
  }
}

function note(fields: Map<string, WrittenField>, path: readonly string[], action: Action, now: Date): void {
  const { kind, object } = action
  const id = JSON.stringify([kind.kind, keyOf(object.metadata), ...path])
  const value = action.do === 'update' ? valueAt(path, action.patch) : undefined
  const [owner] = otherManagersOf(path, fieldManager, object)
  const before = fields.get(id)
  // A new value of ours is no reaction to the other manager, unless that one had set the field.
  const isAnswer = before !== undefined && (owner !== undefined || isSameJson(value, before.value))
  const { namespace, name } = object.metadata
  fields.set(id, {
    ...countWrite(isAnswer ? before : undefined, now),
    kind,
    ref: { ...(namespace !== undefined && { namespace }), name },
    path,
    value,
    isRemoved: valueAt(path, action.object) === undefined,
    manager: owner,
  })
}
