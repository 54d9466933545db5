import { expect, test } from 'vitest'
import { printable } from './escape-control-chars.ts'

test.each([
  ['colours', 'a\u001b[31mred', String.raw`a\u001b[31mred`],
  ['the title of the window', '\u001b]0;gone\u0007', String.raw`\u001b]0;gone\u0007`],
  ['the eight-bit form of an escape', 'a\u009b2Jb', String.raw`a\u009b2Jb`],
  ['a return to the beginning of the line', 'yes\rno', String.raw`yes\u000dno`],
  ['another direction of writing', 'a\u202eb', String.raw`a\u202eb`],
  ['the separator of lines', 'a\u2028b', String.raw`a\u2028b`],
  ['the separator of paragraphs', 'a\u2029b', String.raw`a\u2029b`],
  ['a single control character', '\u0000', String.raw`\u0000`],
  ['a line of its own', 'a\nb', String.raw`a\nb`],
])('%s is shown as text, and does not reach the terminal', (_, text, shown) => {
  expect(printable(text)).toBe(shown)
})

test('Letters of all alphabets stay as they are', () => {
  expect(printable('grüß dich, 世界, →')).toBe('grüß dich, 世界, →')
})

test('Invisible characters are shown, except the joiners that scripts and emoji need', () => {
  expect(printable('a\u200bb\u{e0041}c')).toBe(String.raw`a\u200bb\udb40\udc41c`)
  expect(printable('👩\u200d💻')).toBe('👩\u200d💻')
})
