import { isLabelKey } from '@portcullis/kube'
import { expect, it } from 'vitest'
import { onlyLabels } from './namespace-facts.ts'
import { compileShard, hasTooManyLabels, keptLabels, labelBoundOf } from './shard.ts'

const trusted = { namespaceSelector: { matchLabels: { shard: 'trusted' } } }
const edge = { routeSelector: { matchExpressions: [{ key: 'edge', operator: 'Exists' }] } }
const noLook = () => {
  throw new Error('nobody needs the namespace')
}

it('A controller without selectors serves every Ingress, and compares no labels', () => {
  expect(compileShard()).toBeUndefined()
  expect(compileShard({ namespaceSelector: {}, routeSelector: { matchLabels: {} } })).toBeUndefined()
})

it('The namespaceSelector compares the namespace’s labels, and the routeSelector the Ingress’', () => {
  const selects = compileShard({ ...trusted, ...edge })
  expect(selects?.({ edge: '' }, () => ({ shard: 'trusted' }))).toEqual({ is: 'selected' })
  expect(selects?.({ edge: '' }, () => ({ edge: '' }))).toEqual({ is: 'excluded', by: 'namespaceSelector' })
  expect(selects?.({ shard: 'trusted' }, noLook)).toEqual({ is: 'excluded', by: 'routeSelector' })
  expect(compileShard(edge)?.({ edge: '' }, noLook)).toEqual({ is: 'selected' })
})

it('The selection of an Ingress is unknown as long as its namespace is', () => {
  expect(compileShard(trusted)?.({}, () => undefined)).toEqual({ is: 'unknown' })
  expect(compileShard(trusted)?.({}, () => ({}))).toEqual({ is: 'excluded', by: 'namespaceSelector' })
})

it('An Ingress with more labels than anybody has is kept small, and no routeSelector selects it', () => {
  const many = Object.fromEntries(Array.from({ length: 5000 }, (_, at) => [`label-${at}`, 'x'.repeat(63)]))
  const kept = keptLabels('Ingress', { ...many, edge: '' })
  expect(JSON.stringify(kept).length).toBeLessThan(100)
  const everyButOne = { routeSelector: { matchExpressions: [{ key: 'x', operator: 'DoesNotExist' }] } }
  for (const shard of [edge, everyButOne])
    expect(compileShard(shard)?.(kept ?? {}, noLook)).toEqual({ is: 'excluded', by: 'routeSelector' })
  const fewButLong = Object.fromEntries(
    Array.from({ length: 9 }, (_, at) => [`${at}${'x'.repeat(250)}/${'y'.repeat(63)}`, 'z'.repeat(63)]),
  )
  expect(JSON.stringify(keptLabels('Ingress', fewButLong)).length).toBeLessThan(100)
  expect(keptLabels('Ingress', { edge: '' })).toEqual({ edge: '' })
  expect(keptLabels('Ingress')).toBeUndefined()
})

it('A namespace with more labels than anybody has is kept small, and no namespaceSelector selects it', () => {
  const labels = Object.fromEntries(Array.from({ length: 3500 }, (_, at) => [`l${at}`, '']))
  const namespace = { metadata: { name: 'ns', uid: 'u', resourceVersion: '1', labels } }
  const kept = onlyLabels(namespace).metadata.labels
  expect(JSON.stringify(kept).length).toBeLessThan(100)
  const everyButOne = { namespaceSelector: { matchExpressions: [{ key: 'x', operator: 'DoesNotExist' }] } }
  for (const shard of [trusted, everyButOne])
    expect(compileShard(shard)?.({}, () => kept)).toEqual({ is: 'excluded', by: 'namespaceSelector' })
})

const keyAt = (at: number) => String(at).padStart(124, 'k')
/** Each of 256 bytes: its text is as long as what it takes beside that. */
const labelsOf256Bytes = (count: number): Record<string, string> =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [keyAt(at), 'text']))

it.each([
  ['Ingress', '4 KiB', labelsOf256Bytes(16)],
  ['Namespace', '16 KiB', labelsOf256Bytes(64)],
  ['Node', '128 KiB', labelsOf256Bytes(512)],
] as const)(
  'The labels of the kind %s are kept up to %s, at 128 bytes for each beside its text, and not a byte more',
  (kind, bound, most) => {
    expect(labelBoundOf(kind)).toBe(`${bound}, at 128 bytes for each beside its text`)
    expect(keptLabels(kind, most)).toEqual(most)
    expect(Object.keys(keptLabels(kind, { ...most, [keyAt(0)]: 'texts' }) ?? {})).toEqual([''])
    expect(keptLabels(kind)).toBeUndefined()
  },
)

it('870 short labels, which take far more than their text, are too many of an Ingress and not of a Node', () => {
  const short = Object.fromEntries(Array.from({ length: 870 }, (_, at) => [`${at}`, '']))
  expect(keptLabels('Ingress', short)).not.toEqual(short)
  expect(keptLabels('Node', short)).toEqual(short)
})

it('A command, which sees all labels, selects as the operator does, which keeps a limited number', () => {
  const most = { ...labelsOf256Bytes(15), edge: 'x'.repeat(124) }
  const more = { ...most, edge: 'x'.repeat(125) }
  expect(hasTooManyLabels('Ingress', most)).toBe(false)
  expect(compileShard(edge)?.(most, noLook)).toEqual({ is: 'selected' })
  for (const labels of [more, keptLabels('Ingress', more) ?? {}]) {
    expect(hasTooManyLabels('Ingress', labels)).toBe(true)
    expect(compileShard(edge)?.(labels, noLook)).toEqual({ is: 'excluded', by: 'routeSelector' })
  }
})

it('The mark of too many labels cannot be set as a label', () => {
  const many = Object.fromEntries(Array.from({ length: 5000 }, (_, at) => [`label-${at}`, '']))
  expect(Object.keys(keptLabels('Ingress', many) ?? {}).filter(isLabelKey)).toEqual([])
})

it('As many labels as node feature discovery gives a Node are kept', () => {
  const labels = Object.fromEntries(
    Array.from({ length: 400 }, (_, at) => [`feature.node.kubernetes.io/cpu-cpuid.FEATURE${at}`, 'true']),
  )
  expect(keptLabels('Node', labels)).toEqual(labels)
})
