import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Change } from '../controller/source.ts'
import { silentLogger } from '../log.ts'
import { createMetrics } from '../metrics.ts'
import type { KubeObject, Persisted } from '../objects/objects.ts'
import { Cache, type Cached } from './cache.ts'

interface Boat extends KubeObject {
  harbours: string[]
}

function aBoat(
  name: string,
  version: number,
  { uid = `${name}-1`, harbours = [] as string[] } = {},
): Persisted<Boat> {
  return { metadata: { name, namespace: 'sea', uid, resourceVersion: String(version) }, harbours }
}

function aStore() {
  const indexes = { harbour: (boat: Cached<Boat>) => boat.harbours }
  const store = new Cache<Boat, 'harbour'>({
    name: 'Boat',
    indexes,
    log: silentLogger,
    metrics: createMetrics('test'),
  })
  const changes: string[] = []
  store.subscribe(({ type, object }) => changes.push(`${type} ${object.metadata.name}`))
  return { store, changes }
}

test('A list yields the differences from before, deletions included', () => {
  const { store, changes } = aStore()
  store.replace([aBoat('a', 1), aBoat('b', 2), aBoat('c', 3)])
  changes.length = 0
  store.replace([aBoat('b', 2), aBoat('c', 7), aBoat('d', 8)])
  expect(changes).toEqual(['deleted a', 'updated c', 'added d'])
})

test('An object that was deleted and created again between two lists yields both changes', () => {
  const { store, changes } = aStore()
  store.replace([aBoat('a', 1, { uid: 'old' })])
  changes.length = 0
  store.replace([aBoat('a', 5, { uid: 'new' })])
  expect(changes).toEqual(['deleted a', 'added a'])
})

test('A resourceVersion that is known already yields no change', () => {
  const { store, changes } = aStore()
  store.apply(aBoat('a', 1))
  store.apply(aBoat('a', 1))
  expect(changes).toEqual(['added a'])
})

test('The cache has synced once the first list has arrived, even an empty one', async () => {
  const { store } = aStore()
  const synced = store.synced()
  expect(store.hasSynced).toBe(false)
  store.replace([])
  await synced
  expect(store.hasSynced).toBe(true)
})

test('Waiting for the first list ends with the signal', async () => {
  const { store } = aStore()
  await expect(store.synced(AbortSignal.abort(new Error('told to stop')))).rejects.toThrow('told to stop')
})

test('A listener that throws keeps no other listener from being called', () => {
  const { store, changes } = aStore()
  const received: Change<Cached<Boat>>[] = []
  store.subscribe(() => {
    throw new Error('a bug')
  })
  store.subscribe((change) => received.push(change))
  store.apply(aBoat('a', 1))
  expect(changes).toEqual(['added a'])
  expect(received).toHaveLength(1)
})

test('Whatever is applied, deleted and listed, the cache, its indexes and its changes agree with a plain map', () => {
  const boat = fc.record({
    name: fc.constantFrom('a', 'b', 'c', 'd'),
    uid: fc.constantFrom('1', '2'),
    harbours: fc.uniqueArray(fc.constantFrom('north', 'south', 'east')),
  })
  const step = fc.oneof(
    fc.record({ type: fc.constant('apply' as const), boats: fc.array(boat, { minLength: 1, maxLength: 1 }) }),
    fc.record({
      type: fc.constant('delete' as const),
      boats: fc.array(boat, { minLength: 1, maxLength: 1 }),
    }),
    fc.record({
      type: fc.constant('replace' as const),
      boats: fc.uniqueArray(boat, { selector: ({ name }) => name }),
    }),
  )
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const { store } = aStore()
      const model = new Map<string, Persisted<Boat>>()
      const heard = new Map<string, Cached<Boat>>()
      store.subscribe((change) => {
        const key = change.object.metadata.name
        if (change.type === 'deleted') expect(heard.delete(key)).toBe(true)
        else {
          expect(heard.has(key)).toBe(change.type === 'updated')
          heard.set(key, change.object)
        }
      })
      let version = 0
      for (const { type, boats } of steps) {
        const live = boats.map(({ name, uid, harbours }) => aBoat(name, ++version, { uid, harbours }))
        if (type === 'replace') {
          model.clear()
          for (const each of live) model.set(each.metadata.name, each)
          store.replace(live)
        }
        for (const each of type === 'replace' ? [] : live) {
          if (type === 'apply') {
            model.set(each.metadata.name, each)
            store.apply(each)
          } else {
            model.delete(each.metadata.name)
            store.delete(each)
          }
        }
        const byName = (one: Cached<Boat>, other: Cached<Boat>) =>
          one.metadata.name.localeCompare(other.metadata.name)
        const expected = [...model.values()].sort(byName)
        expect([...store.values()].sort(byName)).toEqual(expected)
        expect([...heard.values()].sort(byName)).toEqual(expected)
        for (const harbour of ['north', 'south', 'east']) {
          expect([...store.by('harbour', harbour)].sort(byName)).toEqual(
            expected.filter(({ harbours }) => harbours.includes(harbour)),
          )
        }
      }
    }),
  )
})

test('An index that throws costs neither the object nor the listeners', () => {
  const lines: object[] = []
  const log = { ...silentLogger, error: (fields: object) => void lines.push(fields) }
  const harbour = (boat: Cached<Boat>) => {
    if (boat.metadata.name === 'wreck') throw new Error('a bug')
    return boat.harbours
  }
  const store = new Cache<Boat, 'harbour'>({
    name: 'Boat',
    indexes: { harbour },
    log,
    metrics: createMetrics('test'),
  })
  const changes: string[] = []
  store.subscribe(({ type, object }) => changes.push(`${type} ${object.metadata.name}`))
  store.replace([aBoat('wreck', 1, { harbours: ['north'] }), aBoat('a', 2, { harbours: ['north'] })])
  expect(store.hasSynced).toBe(true)
  expect(changes).toEqual(['added wreck', 'added a'])
  expect([...store.by('harbour', 'north')].map(({ metadata }) => metadata.name)).toEqual(['a'])
  expect(lines).toEqual([expect.objectContaining({ index: 'harbour', object: 'sea/wreck' })])
})

test('What the cache returns can be iterated more than once', () => {
  const { store } = aStore()
  store.replace([aBoat('a', 1, { harbours: ['north'] })])
  for (const boats of [store.values(), store.by('harbour', 'north')]) {
    expect([...boats]).toHaveLength(1)
    expect([...boats]).toHaveLength(1)
  }
  expect([...store.by('harbour', 'south')]).toEqual([])
})
