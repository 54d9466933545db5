import { beforeEach, describe, expect, test } from 'vitest'
import { SimulatedApiServer } from './api-server.ts'
import { type Entry, Storage, type StoredObject } from './storage.ts'

const router = (spec: object = { replicas: 1 }): StoredObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { namespace: 'edge', name: 'router' },
  spec,
})

describe('The simulated API server', () => {
  let storage: Storage
  let server: SimulatedApiServer
  let now: Date

  beforeEach(() => {
    storage = new Storage()
    now = new Date('2030-01-01T00:00:00Z')
    let uids = 0
    server = new SimulatedApiServer({ storage, now: () => now, newUid: () => `uid-${++uids}` })
  })

  const create = () => server.create('deployments', router(), { manager: 'ours' })
  const stored = () => storage.get('deployments', 'edge/router')

  test('The simulated API server stores what is created under its namespace and name, with a uid, a version and an owner', () => {
    const created = create()
    expect(stored()).toBe(created)
    expect(created.metadata).toMatchObject({
      uid: 'uid-1',
      resourceVersion: '2',
      generation: 1,
      creationTimestamp: '2030-01-01T00:00:00Z',
      managedFields: [{ manager: 'ours' }],
    })
  })

  test('The simulated API server creates no second object of a name, and says so where the first is being deleted', () => {
    create()
    expect(create).toThrow('Deployment edge/router already exists.')
    server.patch('deployments', 'edge/router', { metadata: { finalizers: ['cloud'] } })
    server.delete('deployments', 'edge/router')
    expect(create).toThrow('Deployment edge/router already exists and is being deleted.')
    expect(stored()?.metadata.uid).toBe('uid-1')
  })

  test('The simulated API server counts a patch as a new version, unless it changes nothing', () => {
    const created = create()
    expect(server.patch('deployments', 'edge/router', { spec: { replicas: 1 } })).toBe(created)
    now = new Date('2030-01-01T00:00:05Z')
    const patched = server.patch(
      'deployments',
      'edge/router',
      { spec: { replicas: 2 } },
      { manager: 'kubectl' },
    )
    expect(patched).toMatchObject({
      metadata: { resourceVersion: '3', generation: 2 },
      spec: { replicas: 2 },
    })
    expect(patched?.metadata.managedFields).toContainEqual(
      expect.objectContaining({ manager: 'kubectl', time: '2030-01-01T00:00:05Z' }),
    )
    expect(stored()).toBe(patched)
  })

  test('The simulated API server leaves objects alone that have the name and another uid', () => {
    const created = create()
    const other = { uid: 'uid-of-yesterday' }
    expect(server.patch('deployments', 'edge/router', { spec: { replicas: 2 } }, other)).toBeUndefined()
    expect(server.delete('deployments', 'edge/router', other)).toBeUndefined()
    expect(stored()).toBe(created)
    expect(server.patch('deployments', 'edge/absent', {})).toBeUndefined()
  })

  test('The simulated API server keeps a deleted object until its last finalizer is taken away', () => {
    create()
    server.patch('deployments', 'edge/router', { metadata: { finalizers: ['cloud'] } })
    const waiting = server.delete('deployments', 'edge/router')
    expect(waiting?.metadata.deletionTimestamp).toBe('2030-01-01T00:00:00Z')
    expect(server.delete('deployments', 'edge/router')).toBe(waiting)
    expect(stored()).toBe(waiting)
    server.patch('deployments', 'edge/router', { metadata: { finalizers: [] } })
    expect(stored()).toBeUndefined()
  })

  test('The simulated API server removes an object without finalizers at once', () => {
    create()
    expect(server.delete('deployments', 'edge/router')).toBeUndefined()
    expect(stored()).toBeUndefined()
  })

  test('The simulated API server fills in defaults after each write', () => {
    const strategic = new SimulatedApiServer({
      storage,
      now: () => now,
      newUid: () => 'uid',
      defaults: (object) => ({ ...object, spec: { strategy: 'Recreate', ...(object['spec'] as object) } }),
    })
    const created = strategic.create('deployments', router(), {})
    expect(created['spec']).toEqual({ strategy: 'Recreate', replicas: 1 })
    expect(strategic.patch('deployments', 'edge/router', { spec: { strategy: null } })).toBe(created)
  })

  test('The simulated API server notifies subscribers of the storage of each write', () => {
    const entries: Entry[] = []
    storage.subscribe('deployments', (entry) => entries.push(entry))
    create()
    server.patch('deployments', 'edge/router', { spec: { replicas: 2 } })
    server.delete('deployments', 'edge/router')
    expect(entries.map(({ type }) => type)).toEqual(['ADDED', 'MODIFIED', 'DELETED'])
  })
})
