import type { Refusal } from '../admission.ts'
import { domainHeld } from '../domains.ts'
import { type ConditionDraft, conditionDraft } from './condition-draft.ts'

/** @param refusals why the controller cannot be published as it is; none when it can */
export function admitted(refusals: readonly Refusal[]): ConditionDraft {
  if (refusals.length === 0)
    return conditionDraft('Admitted', 'True', 'Valid', 'The IngressController is valid.')
  const reason = refusals.every((refusal) => refusal.reason === domainHeld) ? domainHeld : 'Invalid'
  return conditionDraft('Admitted', 'False', reason, refusals.map(({ message }) => message).join(' '))
}
