import type { Address } from '../../addresses/address.ts'
import { addressText, publishedCondition } from '../published-address.ts'
import { type ConditionDraft, conditionDraft } from './condition-draft.ts'

/** Where the controller is reached: the message is the address itself, for the column of `kubectl get`. */
export function published(addresses: readonly Address[]): ConditionDraft {
  const text = addressText(addresses)
  return text !== ''
    ? conditionDraft(publishedCondition, 'True', 'AddressKnown', text)
    : conditionDraft(publishedCondition, 'False', 'NoAddress', '<none>')
}
