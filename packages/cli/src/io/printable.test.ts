import { expect, test } from 'vitest'
import { printableLines } from './printable.ts'

test('A text of several lines keeps its line breaks, and its control characters are escaped', () => {
  expect(printableLines('a\n\u001b[2Jb')).toBe('a\n\\u001b[2Jb')
})
