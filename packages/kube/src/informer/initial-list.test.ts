import { expect, test } from 'vitest'
import { silentLogger } from '../log.ts'
import { createMetrics } from '../metrics.ts'
import type { KubeObject, Persisted } from '../objects/objects.ts'
import { InitialList } from './initial-list.ts'
import { Projection } from './projection.ts'

const anObject = (name: string, resourceVersion = '1', uid = name): Persisted => ({
  metadata: { namespace: 'default', name, uid, resourceVersion },
})

/** What the projection makes of objects: an object of which it kept something; one at version 13 is unreadable. */
const project = (object: Persisted): Persisted => {
  if (object.metadata.resourceVersion === '13') throw new Error('unreadable')
  return { ...object, kind: 'projected' }
}

function listing(held?: readonly Persisted[]) {
  const projection = new Projection<KubeObject>({
    kind: { apiVersion: 'v1', kind: 'ConfigMap' },
    project,
    log: silentLogger,
    metrics: createMetrics('test'),
  })
  const get = (key: string) => held?.find(({ metadata }) => `default/${metadata.name}` === key)
  const sink = { replace() {}, apply() {}, delete() {} }
  return new InitialList(projection, held === undefined ? sink : { ...sink, get })
}

test('An initial list holds the last version of each object, projected', () => {
  const list = listing()
  expect(list.size).toBe(0)
  for (const object of [anObject('a'), anObject('b'), anObject('a', '2')]) list.apply(object)
  expect(list.size).toBe(2)
  expect(list.objects).toEqual([project(anObject('a', '2')), project(anObject('b'))])
})

test('An object that was deleted during the list, or became unreadable, is no longer in it', () => {
  const list = listing()
  for (const name of ['a', 'b', 'c']) list.apply(anObject(name))
  list.delete(anObject('a', '2'))
  list.apply(anObject('b', '13'))
  expect(list.objects).toEqual([project(anObject('c'))])
})

test('A version that the cache already has is not held twice; another version or another object of that name is', () => {
  const held = ['a', 'b', 'c'].map((name) => project(anObject(name, '7')))
  const list = listing(held)
  const came = [anObject('a', '7'), anObject('b', '8'), anObject('c', '7', 'another'), anObject('d', '7')]
  for (const object of came) list.apply(object)
  const [a, b, c, d] = list.objects
  expect(a).toBe(held[0])
  expect([b, c, d]).toEqual(came.slice(1).map(project))
})
