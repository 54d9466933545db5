import { expect, it } from 'vitest'
import { onlyLabels } from './namespace-facts.ts'
import { compileShard, keptLabels } from './shard.ts'

const trusted = { namespaceSelector: { matchLabels: { shard: 'trusted' } } }
const edge = { routeSelector: { matchExpressions: [{ key: 'edge', operator: 'Exists' }] } }
const noLook = () => {
  throw new Error('nobody needs the namespace')
}

it('a controller without selectors serves every Ingress, and nobody looks', () => {
  expect(compileShard()).toBeUndefined()
  expect(compileShard({ namespaceSelector: {}, routeSelector: { matchLabels: {} } })).toBeUndefined()
})

it('the namespace’s labels count for the namespaceSelector, and the Ingress’ for the routeSelector', () => {
  const selects = compileShard({ ...trusted, ...edge })
  expect(selects?.({ edge: '' }, () => ({ shard: 'trusted' }))).toEqual({ is: 'selected' })
  expect(selects?.({ edge: '' }, () => ({ edge: '' }))).toEqual({ is: 'excluded', by: 'namespaceSelector' })
  expect(selects?.({ shard: 'trusted' }, noLook)).toEqual({ is: 'excluded', by: 'routeSelector' })
  expect(compileShard(edge)?.({ edge: '' }, noLook)).toEqual({ is: 'selected' })
})

it('nothing is known as long as the namespace is not', () => {
  expect(compileShard(trusted)?.({}, () => undefined)).toEqual({ is: 'unknown' })
  expect(compileShard(trusted)?.({}, () => ({}))).toEqual({ is: 'excluded', by: 'namespaceSelector' })
})

it('an Ingress with more labels than anybody has is kept small, and no routeSelector selects it', () => {
  const many = Object.fromEntries(Array.from({ length: 5000 }, (_, at) => [`label-${at}`, 'x'.repeat(63)]))
  const kept = keptLabels({ ...many, edge: '' })
  expect(JSON.stringify(kept).length).toBeLessThan(100)
  const everyButOne = { routeSelector: { matchExpressions: [{ key: 'x', operator: 'DoesNotExist' }] } }
  for (const shard of [edge, everyButOne])
    expect(compileShard(shard)?.(kept ?? {}, noLook)).toEqual({ is: 'excluded', by: 'routeSelector' })
  const fewButLong = Object.fromEntries(
    Array.from({ length: 190 }, (_, at) => [`${at}${'x'.repeat(250)}/${'y'.repeat(63)}`, 'z'.repeat(63)]),
  )
  expect(JSON.stringify(keptLabels(fewButLong)).length).toBeLessThan(100)
  expect(keptLabels({ edge: '' })).toEqual({ edge: '' })
  expect(keptLabels()).toBeUndefined()
})

it('a namespace with more labels than anybody has is kept small, and no namespaceSelector selects it', () => {
  const labels = Object.fromEntries(Array.from({ length: 3500 }, (_, at) => [`l${at}`, '']))
  const namespace = { metadata: { name: 'ns', uid: 'u', resourceVersion: '1', labels } }
  const kept = onlyLabels(namespace).metadata.labels
  expect(JSON.stringify(kept).length).toBeLessThan(100)
  const everyButOne = { namespaceSelector: { matchExpressions: [{ key: 'x', operator: 'DoesNotExist' }] } }
  for (const shard of [trusted, everyButOne])
    expect(compileShard(shard)?.({}, () => kept)).toEqual({ is: 'excluded', by: 'namespaceSelector' })
})

it('as many labels as node feature discovery gives are kept', () => {
  const labels = Object.fromEntries(
    Array.from({ length: 400 }, (_, at) => [`feature.node.kubernetes.io/cpu-cpuid.FEATURE${at}`, 'true']),
  )
  expect(keptLabels(labels)).toEqual(labels)
})
