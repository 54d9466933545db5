import { expect, test } from 'vitest'
import { provenanceAnnotation } from '../names.ts'
import { readProvenance, writeProvenance } from './provenance.ts'

test('The provenance is read as it was written', () => {
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
])('The provenance is not read from an annotation with the value %s', (text) => {
  expect(readProvenance({ [provenanceAnnotation]: text })).toBeUndefined()
})

test('The provenance is unknown without annotations', () => {
  expect(readProvenance(undefined)).toBeUndefined()
  expect(readProvenance({})).toBeUndefined()
})
