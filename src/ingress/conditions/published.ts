import { publishedCondition } from '../published-address.ts'
import { type Statement, statement } from './statement.ts'

/** Where the controller is reached: the message is the address itself, for the column of `kubectl get`. */
export function published(addresses: readonly string[]): Statement {
  return addresses.length > 0
    ? statement(publishedCondition, 'True', 'AddressKnown', addresses.join(','))
    : statement(publishedCondition, 'False', 'NoAddress', '<none>')
}
