import type { Cached } from '@portcullis/kube'
import type { Namespace } from 'kubernetes-types/core/v1'
import type { Ingress } from 'kubernetes-types/networking/v1'
import { expect, it } from 'vitest'
import { labelsChanged, Selections } from './selections.ts'
import type { Shard } from './shard.ts'

type Labels = Record<string, string>

const trusted: Shard = { namespaceSelector: { matchLabels: { shard: 'trusted' } } }
const edge: Shard = { routeSelector: { matchLabels: { edge: 'yes' } } }

const anIngress = (labels?: Labels): Cached<Ingress> => ({
  metadata: { name: 'web', namespace: 'ns', uid: 'u', resourceVersion: '1', ...(labels && { labels }) },
})

const aNamespace = (labels?: Labels): Cached<Namespace> => ({
  metadata: { name: 'ns', uid: 'u', resourceVersion: '1', ...(labels && { labels }) },
})

/** Of the controller "default", in a cluster with this namespace, if any. */
function selectionsOf(shard: Shard | undefined, namespace?: Cached<Namespace>): Selections {
  const entry = { addresses: [], lostSince: undefined, ...(shard && { shard }) }
  return new Selections(
    { get: (controller) => (controller === 'default' ? entry : undefined) },
    { get: (name) => (name === 'ns' ? namespace : undefined) },
  )
}

it('The selection of an Ingress is unknown while its controller is', () => {
  const selections = selectionsOf(undefined)
  expect(selections.of(anIngress(), undefined)).toEqual({ is: 'unknown' })
  expect(selections.of(anIngress(), 'another')).toEqual({ is: 'unknown' })
  expect(selections.of(anIngress(), 'default')).toEqual({ is: 'selected' })
})

it.each([
  ['with the label', { edge: 'yes' }, { is: 'selected' }],
  ['with another value', { edge: 'no' }, { is: 'excluded', by: 'routeSelector' }],
  ['without labels', undefined, { is: 'excluded', by: 'routeSelector' }],
])('A routeSelector selects by the labels of the Ingress: one %s', (_, labels, selection) => {
  expect(selectionsOf(edge).of(anIngress(labels), 'default')).toEqual(selection)
})

it.each([
  ['with the label', aNamespace({ shard: 'trusted' }), { is: 'selected' }],
  ['without labels', aNamespace(), { is: 'excluded', by: 'namespaceSelector' }],
  ['that nobody has seen', undefined, { is: 'unknown' }],
])('A namespaceSelector selects by the labels of the namespace: one %s', (_, namespace, selection) => {
  expect(selectionsOf(trusted, namespace).of(anIngress(), 'default')).toEqual(selection)
})

it('The explanation of an exclusion says what to label', () => {
  const selections = selectionsOf({ ...trusted, ...edge })
  const byNamespace = selections.explain(anIngress(), 'default', 'namespaceSelector')
  expect(byNamespace).toContain('(shard=trusted) that does not select the namespace "ns"')
  expect(byNamespace).toContain('Label the namespace')
  const byIngress = selections.explain(anIngress(), 'default', 'routeSelector')
  expect(byIngress).toContain('(edge=yes) that does not select the labels of this Ingress')
  expect(byIngress).toContain('Label the Ingress')
})

it('The explanation of an exclusion for too many labels says so, and not to add another', () => {
  const many = Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`label-${at}`, '']))
  const selections = selectionsOf({ ...trusted, ...edge }, aNamespace({ ...many, shard: 'trusted' }))
  const byNamespace = selections.explain(anIngress(), 'default', 'namespaceSelector')
  expect(byNamespace).toContain(
    '(shard=trusted), and the namespace has more labels than the operator compares (16 KiB,',
  )
  expect(byNamespace).toContain('Remove labels from the namespace')
  const byIngress = selections.explain(anIngress({ ...many, edge: 'yes' }), 'default', 'routeSelector')
  expect(byIngress).toContain(
    '(edge=yes), and the Ingress has more labels than the operator compares (4 KiB,',
  )
  expect(byIngress).toContain('Remove labels from the Ingress')
  for (const note of [byNamespace, byIngress]) expect(note).not.toContain('routers do not serve')
})

it('To ask for a selection twice gives the same answer', () => {
  const selections = selectionsOf(trusted)
  for (let times = 0; times < 2; times++)
    expect(selections.of(anIngress(), 'default')).toEqual({ is: 'unknown' })
})

it('A Namespace that is created or deleted may select other Ingresses', () => {
  expect(labelsChanged({ type: 'added', object: aNamespace() })).toBe(true)
  expect(labelsChanged({ type: 'deleted', object: aNamespace() })).toBe(true)
})

it.each([
  ['another value', { shard: 'a' }, { shard: 'b' }, true],
  ['the first label', undefined, { shard: 'a' }, true],
  ['the last label gone', { shard: 'a' }, undefined, true],
  ['the same labels', { shard: 'a' }, { shard: 'a' }, false],
  ['no labels instead of empty ones', {}, undefined, false],
  ['empty labels instead of none', undefined, {}, false],
])(
  'A Namespace that is updated may select other Ingresses by its labels alone: %s',
  (_, before, after, matters) => {
    const change = { type: 'updated', previous: aNamespace(before), object: aNamespace(after) } as const
    expect(labelsChanged(change)).toBe(matters)
  },
)
