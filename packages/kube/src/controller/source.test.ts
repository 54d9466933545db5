import { expect, it } from 'vitest'
import { keyOf } from '../objects/objects.ts'
import { type Change, enqueueFrom, handleChanges, type MapFunc, type NamedObject } from './source.ts'

interface Child extends NamedObject {
  readonly owner?: string
}

const child = (name: string, owner?: string): Child => ({
  metadata: { namespace: 'ns', name },
  ...(owner === undefined ? {} : { owner }),
})
const ownKey: MapFunc<Child> = ({ metadata }) => keyOf(metadata)
const ownerKey: MapFunc<Child> = ({ owner }) => owner

it('A source gives the keys of what is there, then of what changes', () => {
  const { keys, change } = listen({ there: [child('a'), child('b')], keysOf: ownKey })
  expect(keys.splice(0)).toEqual(['ns/a', 'ns/b'])
  change({ type: 'added', object: child('c') })
  change({ type: 'deleted', object: child('a') })
  expect(keys).toEqual(['ns/c', 'ns/a'])
})

it('A source enqueues the old and the new owner of an object that moves', () => {
  const { keys, change } = listen({ keysOf: ownerKey })
  change({ type: 'updated', previous: child('a', 'old'), object: child('a', 'new') })
  expect(keys).toEqual(['old', 'new'])
})

it('A source accepts no key, one key or many from the map function', () => {
  const { keys, change } = listen({ keysOf: ({ owner }) => owner?.split(',') })
  change({ type: 'added', object: child('a') })
  change({ type: 'added', object: child('a', 'x,y') })
  expect(keys).toEqual(['x', 'y'])
})

it('A source leaves out the changes that the predicate rejects; what exists at the start counts as added', () => {
  const options = { there: [child('a')], keysOf: ownKey }
  expect(listen({ ...options, predicate: ({ type }) => type === 'added' }).keys).toEqual(['ns/a'])
  const { keys, change } = listen({ ...options, predicate: ({ type }) => type === 'deleted' })
  change({ type: 'updated', previous: child('a'), object: child('a') })
  expect(keys).toEqual([])
  change({ type: 'deleted', object: child('a') })
  expect(keys).toEqual(['ns/a'])
})

it('A source names an object that cannot be mapped, and goes on', () => {
  const { keys, onMapError, change } = listen({
    keysOf: ({ owner }) => {
      if (owner === undefined) throw new Error('no owner')
      return owner
    },
  })
  change({ type: 'updated', previous: child('a'), object: child('a', 'new') })
  expect(onMapError).toEqual(['a: Error: no owner'])
  expect(keys).toEqual(['new'])
})

it('A source lets a change pass whose predicate throws', () => {
  const { keys, onMapError, change } = listen({
    keysOf: ownKey,
    predicate: () => {
      throw new Error('cannot say')
    },
  })
  change({ type: 'added', object: child('a') })
  expect(onMapError).toEqual(['a: Error: cannot say'])
  expect(keys).toEqual(['ns/a'])
})

it('A handler of changes gets what is there, then what changes, and enqueues nothing', () => {
  const listeners: ((change: Change<Child>) => void)[] = []
  const subscribe = (listener: (change: Change<Child>) => void) => {
    listeners.push(listener)
    return () => {}
  }
  const [heard, keys, failed]: [string[], string[], string[]] = [[], [], []]
  const source = { values: () => [child('a')], subscribe }
  handleChanges(source, ({ type, object }) => {
    heard.push(`${type} ${object.metadata.name}`)
    if (type === 'deleted') throw new Error('cannot handle it')
  }).subscribe({
    enqueue: (key) => keys.push(key),
    onMapError: ({ metadata }, error) => failed.push(`${metadata.name}: ${String(error)}`),
  })
  for (const listener of listeners) listener({ type: 'deleted', object: child('b') })
  expect(heard).toEqual(['added a', 'deleted b'])
  expect(failed).toEqual(['b: Error: cannot handle it'])
  expect(keys).toEqual([])
})

function listen({
  there = [],
  keysOf,
  predicate = () => true,
}: {
  there?: Child[]
  keysOf: MapFunc<Child>
  predicate?: (change: Change<Child>) => boolean
}) {
  const listeners: ((change: Change<Child>) => void)[] = []
  const source = {
    values: () => there,
    subscribe: (listener: (change: Change<Child>) => void) => {
      listeners.push(listener)
      return () => {}
    },
  }
  const keys: string[] = []
  const onMapError: string[] = []
  enqueueFrom(source, keysOf, { predicate }).subscribe({
    enqueue: (key) => keys.push(key),
    onMapError: ({ metadata }, error) => onMapError.push(`${metadata.name}: ${String(error)}`),
  })
  return {
    keys,
    onMapError,
    change: (change: Change<Child>) => listeners.forEach((listener) => listener(change)),
  }
}
