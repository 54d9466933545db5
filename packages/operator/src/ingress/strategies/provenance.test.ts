import { expect, test } from 'vitest'
import { madeAsAnnotation } from '../names.ts'
import { readMadeAs, writeMadeAs } from './provenance.ts'

test('readMadeAs reads what writeMadeAs wrote', () => {
  const note = { scope: 'Internal', type: 'NLB', keptSourceRanges: true } as const
  expect(readMadeAs(writeMadeAs(note))).toEqual(note)
  expect(readMadeAs(writeMadeAs({ scope: 'External' }))).toEqual({ scope: 'External' })
})

test.each([
  '',
  'null',
  '5',
  '"Internal"',
  '[]',
  '{',
  '{"scope":"internal"}',
  '{"type":"NLB"}',
  '{"scope":"Internal","type":"NLB; rm"}',
  '{"scope":"Internal","type":"; NLB"}',
])('readMadeAs ignores an annotation with the value %s', (text) => {
  expect(readMadeAs({ [madeAsAnnotation]: text })).toBeUndefined()
})

test('readMadeAs returns nothing without annotations', () => {
  expect(readMadeAs(undefined)).toBeUndefined()
  expect(readMadeAs({})).toBeUndefined()
})
