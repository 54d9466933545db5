import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { cutToBytes } from './cut-to-bytes.ts'

it('The cut leaves text that fits alone', () => {
  expect(cutToBytes('Grüße', 7)).toBe('Grüße')
})

it('The cut is between characters, and shows', () => {
  expect(cutToBytes('Grüße', 6)).toBe('Gr…')
  expect(cutToBytes('🚦🚦🚦', 11)).toBe('🚦🚦…')
  expect(cutToBytes('🚦🚦🚦', 10)).toBe('🚦…')
  expect(cutToBytes('abcdef', 5)).toBe('ab…')
  expect(cutToBytes('abcdef', 3)).toBe('…')
})

it('The cut text never exceeds the limit and never breaks a character', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 3, max: 30 }), (text, limit) => {
      const cut = cutToBytes(text, limit)
      expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(limit)
      expect(text.startsWith(cut.replace(/…$/, '')) || text === cut).toBe(true)
    }),
  )
})
