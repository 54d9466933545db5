import { expect, test } from 'vitest'
import { nearest } from './nearest.ts'

const known = ['domain', 'platform', 'routerImage', 'operatorNamespace', 'operandNamespace']

test.each([
  ['domian', 'domain'],
  ['plattform', 'platform'],
  ['routerimage', 'routerImage'],
  ['operaterNamespace', 'operatorNamespace'],
])('%s is taken for %s', (written, meant) => expect(nearest(written, known)).toBe(meant))

test('what is like nothing is taken for nothing', () => expect(nearest('colour', known)).toBeUndefined())
