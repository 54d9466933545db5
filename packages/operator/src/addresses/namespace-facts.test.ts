import { expect, it } from 'vitest'
import { onlyLabels } from './namespace-facts.ts'

const metadata = { name: 'ns', uid: 'u', resourceVersion: '1' }

it('The cache keeps of a Namespace what it is found and selected by, and nothing else', () => {
  const labels = { shard: 'trusted' }
  const whole = { metadata: { ...metadata, labels, annotations: { note: 'long' } }, spec: { finalizers: [] } }
  expect(onlyLabels(whole)).toEqual({ metadata: { ...metadata, labels } })
})

it.each([
  ['no labels', metadata],
  ['empty labels', { ...metadata, labels: {} }],
])('A Namespace with %s takes no memory for them', (_, given) => {
  expect(Object.keys(onlyLabels({ metadata: given }).metadata)).toEqual(Object.keys(metadata))
})
