import type { Address } from '../../addresses/address.ts'
import { addressText, publishedCondition } from '../published-address.ts'
import { type Statement, statement } from './condition-draft.ts'

/** Where the controller is reached: the message is the address itself, for the column of `kubectl get`. */
export function published(addresses: readonly Address[]): Statement {
  const text = addressText(addresses)
  return text !== ''
    ? statement(publishedCondition, 'True', 'AddressKnown', text)
    : statement(publishedCondition, 'False', 'NoAddress', '<none>')
}
