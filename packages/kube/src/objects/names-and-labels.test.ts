import { expect, test } from 'vitest'
import { isLabelKey, isLabelValue, isSubdomain } from './names-and-labels.ts'

test.each([
  ['shard', true],
  ['example.com/shard', true],
  ['Shard_1.x', true],
  ['n'.repeat(63), true],
  ['n'.repeat(64), false],
  ['a b', false],
  ['-a', false],
  ['a-', false],
  ['a', true],
  ['', false],
  ['a/', false],
  ['example.com/a/b', false],
  [`${'d.'.repeat(126)}d/a`, true],
  ['a/b/c', false],
  ['/a', false],
  ['Example.com/a', false],
  [`${'d.'.repeat(127)}d/a`, false],
  ['größe', false],
])('%j is a valid label key: %s', (text, is) => expect(isLabelKey(text)).toBe(is))

test.each([
  ['', true],
  ['blue', true],
  ['v'.repeat(63), true],
  ['v'.repeat(64), false],
  ['a,b', false],
  ['_a', false],
  ['a_', false],
  ['blue\n', false],
])('%j is a valid label value: %s', (text, is) => expect(isLabelValue(text)).toBe(is))

test.each([
  ['tls.example.com', true],
  ['a', true],
  ['1', true],
  ['a-1.b', true],
  [`${'d.'.repeat(126)}d`, true],
  [`${'d.'.repeat(126)}dd`, false],
  ['', false],
  ['-a', false],
  ['a-', false],
  ['a-.b', false],
  ['a.-b', false],
  ['Tls', false],
  ['a..b', false],
  ['a/b', false],
  ['x'.repeat(254), false],
])('%j is a valid object name: %s', (text, is) => expect(isSubdomain(text)).toBe(is))
