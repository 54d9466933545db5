import { type Statement, statement } from './statement.ts'

/** @param refusals why the controller cannot be published as it is; none when it can */
export function admitted(refusals: readonly string[]): Statement {
  return refusals.length === 0
    ? statement('Admitted', 'True', 'Valid', 'The IngressController can be published as it is.')
    : statement('Admitted', 'False', 'Invalid', refusals.join(' '))
}
