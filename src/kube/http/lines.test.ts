import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { LineSplitter } from './lines.ts'

const lineText = fc.string({ unit: 'grapheme', minLength: 1 }).filter((text) => !text.includes('\n'))

test('lines come out whole however the bytes were cut, even in the middle of a character', () => {
  fc.assert(
    fc.property(fc.array(lineText), fc.array(fc.nat(40), { minLength: 1 }), (lines, sizes) => {
      const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(''))
      const splitter = new LineSplitter()
      const seen: string[] = []
      for (let at = 0, turn = 0; at < bytes.length; turn++) {
        const size = (sizes[turn % sizes.length] ?? 0) + 1
        seen.push(...splitter.push(bytes.subarray(at, at + size)))
        at += size
      }
      expect(seen).toEqual(lines)
      expect(splitter.isMidLine).toBe(false)
    }),
  )
})

test('half a line is never handed out, and is known to be missing', () => {
  const splitter = new LineSplitter()
  expect(splitter.push(Buffer.from('{"a":1}\n{"b":'))).toEqual(['{"a":1}'])
  expect(splitter.isMidLine).toBe(true)
  expect(splitter.push(Buffer.from('2}\n'))).toEqual(['{"b":2}'])
  expect(splitter.isMidLine).toBe(false)
})

test('empty lines are left out', () => {
  expect(new LineSplitter().push(Buffer.from('\n\na\n\n'))).toEqual(['a'])
})
