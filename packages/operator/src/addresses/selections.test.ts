import type { Cached } from '@portcullis/kube'
import type { Namespace } from 'kubernetes-types/core/v1'
import type { Ingress } from 'kubernetes-types/networking/v1'
import { expect, it } from 'vitest'
import { Selections } from './selections.ts'
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

it('nothing is known of an Ingress whose controller is not known', () => {
  const selections = selectionsOf(undefined)
  expect(selections.of(anIngress(), undefined)).toEqual({ is: 'unknown' })
  expect(selections.of(anIngress(), 'another')).toEqual({ is: 'unknown' })
  expect(selections.of(anIngress(), 'default')).toEqual({ is: 'selected' })
})

it.each([
  ['with the label', { edge: 'yes' }, { is: 'selected' }],
  ['with another value', { edge: 'no' }, { is: 'excluded', by: 'routeSelector' }],
  ['without labels', undefined, { is: 'excluded', by: 'routeSelector' }],
])('a routeSelector selects by the labels of the Ingress: one %s', (_, labels, selection) => {
  expect(selectionsOf(edge).of(anIngress(labels), 'default')).toEqual(selection)
})

it.each([
  ['with the label', aNamespace({ shard: 'trusted' }), { is: 'selected' }],
  ['without labels', aNamespace(), { is: 'excluded', by: 'namespaceSelector' }],
  ['that nobody has seen', undefined, { is: 'unknown' }],
])('a namespaceSelector selects by the labels of the namespace: one %s', (_, namespace, selection) => {
  expect(selectionsOf(trusted, namespace).of(anIngress(), 'default')).toEqual(selection)
})

it('whoever is not selected learns what to label', () => {
  const selections = selectionsOf({ ...trusted, ...edge })
  const byNamespace = selections.explain(anIngress(), 'default', 'namespaceSelector')
  expect(byNamespace).toContain('(shard=trusted) that does not select the namespace "ns"')
  expect(byNamespace).toContain('Label the namespace')
  const byIngress = selections.explain(anIngress(), 'default', 'routeSelector')
  expect(byIngress).toContain('(edge=yes) that does not select the labels of this Ingress')
  expect(byIngress).toContain('Label the Ingress')
})

it('whoever has more labels than are looked at learns that, and not to add another', () => {
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

it('a Namespace that comes matters once, and only if somebody asked for its labels in vain', () => {
  const added = { type: 'added', object: aNamespace() } as const
  const inVain = selectionsOf(trusted)
  expect(inVain.mayChangeBy(added)).toBe(false)
  inVain.of(anIngress(), 'default')
  expect(inVain.mayChangeBy(added)).toBe(true)
  expect(inVain.mayChangeBy(added)).toBe(false)
  const known = selectionsOf(trusted, aNamespace())
  known.of(anIngress(), 'default')
  expect(known.mayChangeBy(added)).toBe(false)
})

it('a Namespace that goes always matters', () => {
  expect(selectionsOf(trusted).mayChangeBy({ type: 'deleted', object: aNamespace() })).toBe(true)
})

it.each([
  ['another value', { shard: 'a' }, { shard: 'b' }, true],
  ['the first label', undefined, { shard: 'a' }, true],
  ['the last label gone', { shard: 'a' }, undefined, true],
  ['the same labels', { shard: 'a' }, { shard: 'a' }, false],
  ['no labels instead of empty ones', {}, undefined, false],
  ['empty labels instead of none', undefined, {}, false],
])('a Namespace that changes matters by its labels alone: %s', (_, before, after, matters) => {
  const change = { type: 'updated', previous: aNamespace(before), object: aNamespace(after) } as const
  expect(selectionsOf(trusted).mayChangeBy(change)).toBe(matters)
})
