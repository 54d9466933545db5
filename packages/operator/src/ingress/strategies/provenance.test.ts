import { expect, test } from 'vitest'
import { provenanceAnnotation } from '../names.ts'
import { readProvenance, writeProvenance } from './provenance.ts'

test('readProvenance reads what writeProvenance wrote', () => {
  const note = { scope: 'Internal', type: 'NLB', keptSourceRanges: true } as const
  expect(readProvenance(writeProvenance(note))).toEqual(note)
  expect(readProvenance(writeProvenance({ scope: 'External' }))).toEqual({ scope: 'External' })
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
])('readProvenance ignores an annotation with the value %s', (text) => {
  expect(readProvenance({ [provenanceAnnotation]: text })).toBeUndefined()
})

test('readProvenance returns nothing without annotations', () => {
  expect(readProvenance(undefined)).toBeUndefined()
  expect(readProvenance({})).toBeUndefined()
})
