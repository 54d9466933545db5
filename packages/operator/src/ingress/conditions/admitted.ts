import type { Refusal } from '../admission.ts'
import { domainHeld } from '../domains.ts'
import { type Statement, statement } from './condition-draft.ts'

/** @param refusals why the controller cannot be published as it is; none when it can */
export function admitted(refusals: readonly Refusal[]): Statement {
  if (refusals.length === 0) return statement('Admitted', 'True', 'Valid', 'The IngressController is valid.')
  const reason = refusals.every((refusal) => refusal.reason === domainHeld) ? domainHeld : 'Invalid'
  return statement('Admitted', 'False', reason, refusals.map(({ message }) => message).join(' '))
}
