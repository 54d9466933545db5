import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { goQuote } from './go-quote.ts'
import { fromValue, JsonSyntaxError, parseJson, toValue } from './json-text.ts'

test('The parser reads what JSON.parse reads', () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      expect(toValue(parseJson(text))).toEqual(JSON.parse(text))
    }),
  )
})

test('A parsed string does not keep the whole text in memory', () => {
  setFlagsFromString('--expose-gc')
  const collectGarbage = runInNewContext('gc') as () => void
  const heapMb = () => {
    collectGarbage()
    return process.memoryUsage().heapUsed / 1e6
  }
  const before = heapMb()
  const kept = Array.from({ length: 20 }, (_, at) => {
    const [name] = toValue(parseJson(`["the name of object ${at}", "${'x'.repeat(1e6)}"]`)) as [string]
    return name
  })
  expect(heapMb() - before).toBeLessThan(10)
  expect(kept.at(-1)).toBe('the name of object 19')
})

test('The parser refuses what JSON.parse refuses', () => {
  const text = fc.string({ unit: fc.constantFrom(...Array.from('{}[],:"\\ntrue1.e-0 ')) })
  fc.assert(
    fc.property(text, (text) => {
      let valid = true
      try {
        JSON.parse(text)
      } catch {
        valid = false
      }
      if (valid) expect(toValue(parseJson(text))).toEqual(JSON.parse(text))
      else expect(() => parseJson(text)).toThrow(JsonSyntaxError)
    }),
    { numRuns: 1000 },
  )
})

test('The parser keeps duplicate keys and the digits of numbers', () => {
  expect(parseJson('{"a":1.0,"a":2}')).toEqual({
    kind: 'object',
    entries: [
      ['a', { kind: 'number', literal: '1.0' }],
      ['a', { kind: 'number', literal: '2' }],
    ],
  })
})

test('parse(stringify(x)) equals x', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(toValue(fromValue(value))).toEqual(JSON.parse(JSON.stringify(value)))
    }),
  )
})

test.each([
  ['a"b\n', '"a\\"b\\n"'],
  ['\u0001é', '"\\x01é"'],
])('%j is quoted as in Go', (text, quoted) => {
  expect(goQuote(text)).toBe(quoted)
})
