import { expect, it } from 'vitest'
import { onlyLabels } from './namespace-facts.ts'

const metadata = { name: 'ns', uid: 'u', resourceVersion: '1' }

it('of a Namespace is kept by which it is found and selected, and nothing else', () => {
  const labels = { shard: 'trusted' }
  const whole = { metadata: { ...metadata, labels, annotations: { note: 'long' } }, spec: { finalizers: [] } }
  expect(onlyLabels(whole)).toEqual({ metadata: { ...metadata, labels } })
})

it.each([
  ['no labels', metadata],
  ['empty labels', { ...metadata, labels: {} }],
])('a Namespace with %s takes no room for them', (_, given) => {
  expect(Object.keys(onlyLabels({ metadata: given }).metadata)).toEqual(Object.keys(metadata))
})
