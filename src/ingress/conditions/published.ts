import type { Address } from '../../addresses/address.ts'
import { publishedCondition } from '../published-address.ts'
import { type Statement, statement } from './statement.ts'

/** Where the controller is reached: the message is the address itself, for the column of `kubectl get`. */
export function published(addresses: readonly Address[]): Statement {
  const names = [...new Set(addresses.map(({ ip, hostname }) => ip ?? hostname))].sort()
  return names.length > 0
    ? statement(publishedCondition, 'True', 'AddressKnown', names.join(','))
    : statement(publishedCondition, 'False', 'NoAddress', '<none>')
}
