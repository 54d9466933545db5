import { expect, it } from 'vitest'
import { decideCollection, knownState, type OwnerState } from './decide.ts'
import { type GraphNode, OwnershipGraph } from './graph.ts'

function anObject(uid: string, rest: Partial<GraphNode> = {}): GraphNode {
  return {
    kind: { apiVersion: 'v1', kind: 'ConfigMap' },
    namespace: 'default',
    name: uid,
    uid,
    owners: [],
    finalizers: [],
    isBeingDeleted: false,
    ...rest,
  }
}

const ownedBy = (uid: string, blockOwnerDeletion = false) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  name: uid,
  uid,
  blockOwnerDeletion,
})

const owners = (...states: OwnerState[]) =>
  states.map((state, index) => ({ reference: ownedBy(`o${index}`), state }))

it.each<[OwnerState[], object]>([
  [[], { action: 'nothing' }],
  [['solid'], { action: 'nothing' }],
  [['absent'], { action: 'delete', propagation: 'Background' }],
  [['absent', 'absent'], { action: 'delete', propagation: 'Background' }],
  [['solid', 'absent'], { action: 'dropOwners', uids: ['o1'] }],
  [['waiting', 'solid'], { action: 'dropOwners', uids: ['o0'] }],
  [['waiting'], { action: 'delete', propagation: 'Background' }],
])('An object whose owners are %o leads to %o', (states, expected) => {
  expect(decideCollection({ item: anObject('a'), dependents: [], owners: owners(...states) })).toEqual(
    expected,
  )
})

it('An object that has dependents of its own is deleted in the foreground when its owner waits', () => {
  const snapshot = { item: anObject('a'), dependents: [anObject('b')], owners: owners('waiting') }
  expect(decideCollection(snapshot)).toEqual({ action: 'delete', propagation: 'Foreground' })
})

it('A deletion in the foreground waits for the dependents that block it, and no others', () => {
  const item = anObject('a', { isBeingDeleted: true, finalizers: ['foregroundDeletion'] })
  const dependent = (blocking: boolean) => anObject('b', { owners: [ownedBy('a', blocking)] })
  expect(decideCollection({ item, dependents: [dependent(true)], owners: [] }).action).toBe('nothing')
  expect(decideCollection({ item, dependents: [dependent(false)], owners: [] }).action).toBe(
    'removeFinalizer',
  )
})

it('A deletion that orphans lets the dependents go first', () => {
  const item = anObject('a', { isBeingDeleted: true, finalizers: ['orphan'] })
  expect(decideCollection({ item, dependents: [], owners: [] }).action).toBe('orphanDependents')
})

it('The graph names the objects that a change affects: the object, its owners, its dependents', () => {
  const graph = new OwnershipGraph()
  graph.put(anObject('owner'))
  graph.put(anObject('child', { owners: [ownedBy('parent')] }))
  expect(graph.put(anObject('parent', { owners: [ownedBy('owner')] })).sort()).toEqual([
    'child',
    'owner',
    'parent',
  ])
  expect(graph.put(anObject('parent', { owners: [ownedBy('owner')] }))).toEqual([])
  expect(graph.remove('parent').sort()).toEqual(['child', 'owner'])
  expect(graph.dependentsOf('owner')).toEqual([])
})

it('The graph ignores an owner in another namespace', () => {
  expect(knownState(anObject('o', { namespace: 'other' }), anObject('a'))).toBe('absent')
  expect(knownState(anObject('o', { namespace: undefined }), anObject('a'))).toBe('solid')
  expect(knownState(undefined, anObject('a'))).toBeUndefined()
})
