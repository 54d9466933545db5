import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { CompactedError, type Entry, Storage, type StoredObject } from './storage.ts'

const anObject = (name: string, data = ''): StoredObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name },
  data,
})
const namesIn = (entries: readonly (readonly [string, StoredObject])[]) => entries.map(([key]) => key)

test('Every write of any object gets the next version', () => {
  const storage = new Storage()
  const first = storage.put('configmaps', 'a', anObject('a'))
  const second = storage.put('secrets', 'b', anObject('b'))
  const deleted = storage.remove('configmaps', 'a')
  const versions = [first, second, deleted].map((object) => Number(object?.metadata.resourceVersion))
  expect(versions).toEqual([2, 3, 4])
  expect(storage.revision).toBe(4)
})

test('A list is in the order of the keys, and of one prefix only', () => {
  const storage = new Storage()
  for (const key of ['b/z', 'a/y', 'b/a', 'ab/x']) storage.put('configmaps', key, anObject(key))
  expect(namesIn(storage.list('configmaps'))).toEqual(['a/y', 'ab/x', 'b/a', 'b/z'])
  expect(namesIn(storage.list('configmaps', 'a/'))).toEqual(['a/y'])
})

test('Changes since a version are listed in order, of one collection only', () => {
  const storage = new Storage()
  storage.put('configmaps', 'a', anObject('a'))
  const { revision } = storage
  storage.put('configmaps', 'a', anObject('a', 'new'))
  storage.put('secrets', 's', anObject('s'))
  storage.remove('configmaps', 'a')
  expect(storage.since('configmaps', revision).map(({ type }) => type)).toEqual(['MODIFIED', 'DELETED'])
})

test('A compacted version is refused', () => {
  const storage = new Storage()
  storage.put('configmaps', 'a', anObject('a'))
  const { revision } = storage
  storage.put('configmaps', 'b', anObject('b'))
  storage.compact()
  expect(() => storage.since('configmaps', revision)).toThrow(CompactedError)
  expect(() => storage.list('configmaps', '', revision)).toThrow(CompactedError)
  expect(storage.since('configmaps', storage.revision)).toEqual([])
})

test('A list at any version that is kept is what the list was then; listeners get every change', () => {
  const step = fc.record({ key: fc.constantFrom('a', 'b', 'c'), deletes: fc.boolean() })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      const storage = new Storage()
      const heard: Entry[] = []
      storage.subscribe('configmaps', (entry) => heard.push(entry))
      const lists = new Map<number, unknown>([[storage.revision, []]])
      for (const { key, deletes } of steps) {
        if (deletes) storage.remove('configmaps', key)
        else storage.put('configmaps', key, anObject(key))
        lists.set(storage.revision, storage.list('configmaps'))
      }
      for (const [revision, list] of lists) expect(storage.list('configmaps', '', revision)).toEqual(list)
      expect(heard).toEqual(storage.since('configmaps', 1))
    }),
  )
})

test('A fork has the same objects at the same version, and each continues on its own', () => {
  const storage = new Storage()
  storage.put('configmaps', 'a', anObject('a', 'before'))
  const fork = storage.fork()
  expect(fork.list('configmaps')).toEqual(storage.list('configmaps'))
  expect(() => fork.since('configmaps', 1)).toThrow(CompactedError)
  fork.put('configmaps', 'b', anObject('b'))
  storage.remove('configmaps', 'a')
  expect(namesIn(fork.list('configmaps'))).toEqual(['a', 'b'])
  expect(namesIn(storage.list('configmaps'))).toEqual([])
  expect([fork.revision, storage.revision]).toEqual([3, 3])
})

test('An object that is loaded keeps its version, is no write, and comes before the first one', () => {
  const storage = new Storage(100)
  const heard: Entry[] = []
  storage.subscribe('configmaps', (entry) => heard.push(entry))
  const elsewhere = { ...anObject('a'), metadata: { name: 'a', resourceVersion: '7' } }
  storage.load('configmaps', 'a', elsewhere)
  expect(storage.get('configmaps', 'a')).toBe(elsewhere)
  expect([storage.revision, heard]).toEqual([100, []])
  expect(storage.put('configmaps', 'a', anObject('a', 'new')).metadata.resourceVersion).toBe('101')
  expect(heard).toMatchObject([{ type: 'MODIFIED', previous: elsewhere }])
})
