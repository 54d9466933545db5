import * as fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import { LineSplitter, LineTooLongError } from './lines.ts'

const lineText = fc.string({ unit: 'grapheme', minLength: 1 }).filter((text) => !text.includes('\n'))

test('Lines come out whole however the bytes were cut, even in the middle of a character', () => {
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

test('Half a line is never returned, and the splitter knows that it is incomplete', () => {
  const splitter = new LineSplitter()
  expect(splitter.push(Buffer.from('{"a":1}\n{"b":'))).toEqual(['{"a":1}'])
  expect(splitter.isMidLine).toBe(true)
  expect(splitter.push(Buffer.from('2}\n'))).toEqual(['{"b":2}'])
  expect(splitter.isMidLine).toBe(false)
})

test('Empty lines are left out', () => {
  expect(new LineSplitter().push(Buffer.from('\n\na\n\n'))).toEqual(['a'])
})

test('A line without end is not buffered for ever', () => {
  const splitter = new LineSplitter(10)
  expect(splitter.push(Buffer.from('0123456789\n01234'))).toEqual(['0123456789'])
  expect(splitter.push(Buffer.from('56789'))).toEqual([])
  expect(() => splitter.push(Buffer.from('x'))).toThrow('a line is longer than')
})

test('The error of a line that is too long says how much would have been buffered', () => {
  const { name, message } = new LineTooLongError(3 * 1024)
  expect([name, message]).toEqual(['LineTooLongError', 'a line is longer than 3 KiB'])
})

test('One byte after a newline is the middle of a line, and no byte is not', () => {
  const splitter = new LineSplitter()
  splitter.push(Buffer.from('a\n'))
  expect(splitter.isMidLine).toBe(false)
  splitter.push(Buffer.from('b'))
  expect(splitter.isMidLine).toBe(true)
})

test('Memory is allocated for partial lines only, reused, and given back after a far shorter line', () => {
  const bytes = Buffer.alloc(70_000, 'b')
  const splitter = new LineSplitter()
  /** How much memory is newly taken for lines that come in these pieces. */
  const takenFor = (...pieces: readonly Buffer[]): number[] => {
    const allocate = vi.spyOn(Buffer, 'allocUnsafeSlow')
    try {
      const lines = pieces.flatMap((piece) => splitter.push(piece))
      expect(lines.join('\n')).toBe(Buffer.concat(pieces).toString().trim())
      return allocate.mock.calls.map(([size]) => size)
    } finally {
      allocate.mockRestore()
    }
  }
  /** For a line that comes as one byte, the rest and its end. */
  const takenForPieces = (length: number): number[] =>
    takenFor(bytes.subarray(0, 1), bytes.subarray(1, length), Buffer.from('\n'))
  expect(takenFor(Buffer.from('whole\n'))).toEqual([])
  expect(takenForPieces(1)).toEqual([65_536])
  expect(takenForPieces(65_536)).toEqual([])
  expect(takenForPieces(65_537)).toEqual([131_072])
  expect(takenForPieces(32_768)).toEqual([])
  expect(takenForPieces(32_767)).toEqual([])
  expect(takenForPieces(1)).toEqual([65_536])
})
