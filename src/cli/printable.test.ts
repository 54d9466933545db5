import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { paint } from './colours.ts'
import { inForm } from './output.ts'
import { printable, printableLines } from './printable.ts'

test.each([
  ['colours', 'a\u001b[31mred', String.raw`a\u001b[31mred`],
  ['the title of the window', '\u001b]0;gone\u0007', String.raw`\u001b]0;gone\u0007`],
  ['the eight-bit form of an escape', 'a\u009b2Jb', String.raw`a\u009b2Jb`],
  ['a return to the beginning of the line', 'yes\rno', String.raw`yes\u000dno`],
  ['another direction of writing', 'a\u202eb', String.raw`a\u202eb`],
  ['a line of its own', 'a\nb', String.raw`a\nb`],
])('%s is shown, not obeyed', (_, text, shown) => {
  expect(printable(text)).toBe(shown)
})

test('letters of all alphabets stay as they are', () => {
  expect(printable('grüß dich, 世界, →')).toBe('grüß dich, 世界, →')
})

test('text of several lines keeps them', () => {
  expect(printableLines('a\n\u001b[2Jb')).toBe('a\n\\u001b[2Jb')
})

test('forms for programs give no orders either, and say the same', () => {
  const data = { text: 'a\u001b[31m\u009b2J\u007fb', plain: 'grüß' }
  const printed = { table: () => '', data, names: ['x\u001b'] }
  for (const form of ['json', 'yaml', 'name'] as const) {
    const text = inForm(form, printed, paint(false))
    for (const order of ['\u001b', '\u007f', '\u009b']) expect(text).not.toContain(order)
  }
  expect(JSON.parse(inForm('json', printed, paint(false)))).toEqual(data)
  expect(parse(inForm('yaml', printed, paint(false)))).toEqual(data)
})
