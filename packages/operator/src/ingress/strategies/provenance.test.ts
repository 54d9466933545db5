import { expect, test } from 'vitest'
import { madeAsAnnotation } from '../names.ts'
import { readMadeAs, writeMadeAs } from './provenance.ts'

test('what was noted can be read', () => {
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
])('a note that reads %s is none', (text) => {
  expect(readMadeAs({ [madeAsAnnotation]: text })).toBeUndefined()
})

test('no annotations, no note', () => {
  expect(readMadeAs(undefined)).toBeUndefined()
  expect(readMadeAs({})).toBeUndefined()
})
