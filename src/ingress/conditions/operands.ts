import { foreignWords } from '../../kube/foreign-words.ts'
import { type KubeObject, keyOf } from '../../kube/objects.ts'
import type { Stored } from '../../kube/store.ts'
import { ownerLabel } from '../names.ts'
import type { Snapshot } from '../snapshot.ts'
import { type Statement, statement } from './statement.ts'

/** Whether everything that belongs to a controller could be made: nothing of others in the way, nothing refused. */
export function operandsManaged(
  foreign: readonly Stored<KubeObject>[],
  { problems, controller }: Snapshot,
): Statement {
  const type = 'OperandsManaged'
  if (foreign.length > 0) {
    const names = foreign.map(({ kind, metadata }) => `${kind} ${keyOf(metadata)}`)
    return statement(
      type,
      'False',
      'ConflictingObjects',
      `${names.join(', ')}: not ours, since the label ${ownerLabel}=${controller.metadata.name} is not there, and therefore left alone. Rename or delete what is in the way, or label it to hand it over.`,
    )
  }
  if (problems.length > 0)
    return statement(type, 'False', 'WriteFailed', problems.map(foreignWords).join(' '))
  return statement(
    type,
    'True',
    'AsExpected',
    'Everything that belongs to the IngressController is in place.',
  )
}
