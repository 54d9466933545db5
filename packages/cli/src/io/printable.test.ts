import { expect, test } from 'vitest'
import { printableLines } from './printable.ts'

test('text of several lines keeps them', () => {
  expect(printableLines('a\n\u001b[2Jb')).toBe('a\n\\u001b[2Jb')
})
