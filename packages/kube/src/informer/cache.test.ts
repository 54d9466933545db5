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

function aCache() {
  const indexes = { harbour: (boat: Cached<Boat>) => boat.harbours }
  const cache = new Cache<Boat, 'harbour'>({
    name: 'Boat',
    indexes,
    log: silentLogger,
    metrics: createMetrics('test'),
  })
  const changes: string[] = []
  cache.subscribe(({ type, object }) => changes.push(`${type} ${object.metadata.name}`))
  return { cache, changes }
}

test('A list yields the differences from before, deletions included', () => {
  const { cache, changes } = aCache()
  cache.replace([aBoat('a', 1), aBoat('b', 2), aBoat('c', 3)])
  changes.length = 0
  cache.replace([aBoat('b', 2), aBoat('c', 7), aBoat('d', 8)])
  expect(changes).toEqual(['deleted a', 'updated c', 'added d'])
})

test('An object that was deleted and created again between two lists yields both changes', () => {
  const { cache, changes } = aCache()
  cache.replace([aBoat('a', 1, { uid: 'old' })])
  changes.length = 0
  cache.replace([aBoat('a', 5, { uid: 'new' })])
  expect(changes).toEqual(['deleted a', 'added a'])
})

test('A resourceVersion that is known already yields no change', () => {
  const { cache, changes } = aCache()
  cache.apply(aBoat('a', 1))
  cache.apply(aBoat('a', 1))
  expect(changes).toEqual(['added a'])
})

test('An object that has no resourceVersion, as in a file, is kept all the same', () => {
  const { cache, changes } = aCache()
  const { uid, name, namespace } = aBoat('a', 1).metadata
  const metadata = { uid, name, namespace } as Persisted<Boat>['metadata']
  cache.replace([{ metadata, harbours: [] }])
  expect(cache.get('sea/a')).toBeDefined()
  expect(changes).toEqual(['added a'])
})

test('The cache has synced once the first list has arrived, even an empty one', async () => {
  const { cache } = aCache()
  const synced = cache.synced()
  expect(cache.hasSynced).toBe(false)
  cache.replace([])
  await synced
  expect(cache.hasSynced).toBe(true)
})

test('Waiting for the first list ends with the signal', async () => {
  const { cache } = aCache()
  await expect(cache.synced(AbortSignal.abort(new Error('told to stop')))).rejects.toThrow('told to stop')
})

test('A listener that throws keeps no other listener from being called', () => {
  const { cache, changes } = aCache()
  const received: Change<Cached<Boat>>[] = []
  cache.subscribe(() => {
    throw new Error('a bug')
  })
  cache.subscribe((change) => received.push(change))
  cache.apply(aBoat('a', 1))
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
      const { cache } = aCache()
      const model = new Map<string, Persisted<Boat>>()
      const heard = new Map<string, Cached<Boat>>()
      cache.subscribe((change) => {
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
          cache.replace(live)
        }
        for (const each of type === 'replace' ? [] : live) {
          if (type === 'apply') {
            model.set(each.metadata.name, each)
            cache.apply(each)
          } else {
            model.delete(each.metadata.name)
            cache.delete(each)
          }
        }
        const byName = (one: Cached<Boat>, other: Cached<Boat>) =>
          one.metadata.name.localeCompare(other.metadata.name)
        const expected = [...model.values()].sort(byName)
        expect([...cache.values()].sort(byName)).toEqual(expected)
        expect([...heard.values()].sort(byName)).toEqual(expected)
        for (const harbour of ['north', 'south', 'east']) {
          expect([...cache.by('harbour', harbour)].sort(byName)).toEqual(
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
  const cache = new Cache<Boat, 'harbour'>({
    name: 'Boat',
    indexes: { harbour },
    log,
    metrics: createMetrics('test'),
  })
  const changes: string[] = []
  cache.subscribe(({ type, object }) => changes.push(`${type} ${object.metadata.name}`))
  cache.replace([aBoat('wreck', 1, { harbours: ['north'] }), aBoat('a', 2, { harbours: ['north'] })])
  expect(cache.hasSynced).toBe(true)
  expect(changes).toEqual(['added wreck', 'added a'])
  expect([...cache.by('harbour', 'north')].map(({ metadata }) => metadata.name)).toEqual(['a'])
  expect(lines).toEqual([expect.objectContaining({ index: 'harbour', object: 'sea/wreck' })])
})

test('What the cache returns can be iterated more than once', () => {
  const { cache } = aCache()
  cache.replace([aBoat('a', 1, { harbours: ['north'] })])
  for (const boats of [cache.values(), cache.by('harbour', 'north')]) {
    expect([...boats]).toHaveLength(1)
    expect([...boats]).toHaveLength(1)
  }
  expect([...cache.by('harbour', 'south')]).toEqual([])
})
