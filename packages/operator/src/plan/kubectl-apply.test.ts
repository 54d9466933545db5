import { expect, test } from 'vitest'
import { applied } from './kubectl-apply.ts'

const ref = { namespace: 'n', name: 'edge' }
const remembering = (before: object) => ({
  'kubectl.kubernetes.io/last-applied-configuration': JSON.stringify(before),
})

test('An apply creates an object that does not exist as it is in the file', () => {
  const file = { metadata: ref, spec: { replicas: 2 } }
  expect(applied(undefined, file)).toBe(file)
})

test('An apply sets the fields of the file and keeps all others', () => {
  const live = { metadata: { ...ref, labels: { a: '1' } }, spec: { replicas: 2, domain: 'a.example' } }
  const file = { metadata: { ...ref, labels: { b: '2' } }, spec: { replicas: 3 } }
  expect(applied(live, file)).toEqual({
    metadata: { ...ref, labels: { a: '1', b: '2' }, annotations: {} },
    spec: { replicas: 3, domain: 'a.example' },
  })
})

test('An apply removes fields that were in the previous file and are not in this one', () => {
  const spec = { replicas: 2, strategy: { type: 'x', scope: 'y' } }
  const memory = remembering({ spec, metadata: { labels: { a: '1' }, annotations: { x: '1' } } })
  const annotations = { ...memory, x: '1', y: '2' }
  const live = { metadata: { ...ref, labels: { a: '1', c: '3' }, annotations }, spec }
  const file = { metadata: ref, spec: { strategy: { type: 'x' } } }
  expect(applied(live, file)).toEqual({
    metadata: { ...ref, annotations: { ...memory, y: '2' } },
    spec: { strategy: { type: 'x' } },
  })
})

test('An apply ignores a last-applied annotation that is not readable', () => {
  const annotations = { 'kubectl.kubernetes.io/last-applied-configuration': '{' }
  const live = { metadata: { ...ref, annotations }, spec: { replicas: 2 } }
  expect(applied(live, { metadata: ref, spec: {} }).spec).toEqual({ replicas: 2 })
})
