import { expect, test } from 'vitest'
import { silentLogger } from '../log.ts'
import type { KubeObject, Persisted } from '../objects/objects.ts'
import { Projection, type ProjectionOptions } from './projection.ts'

const anObject = (resourceVersion: string, uid = 'u'): Persisted => ({
  kind: 'ConfigMap',
  metadata: { namespace: 'default', name: 'web', uid, resourceVersion },
})
const unreadable = () => {
  throw new Error('no data')
}

/** A projection, with what it counted and what it logged. */
function projected(project: ProjectionOptions<KubeObject>['project']) {
  const counted: unknown[] = []
  const logged: { fields: object; message: string }[] = []
  const metrics = { unreadableObjects: { inc: (labels: unknown) => counted.push(labels) } }
  const projection = new Projection<KubeObject>({
    kind: { apiVersion: 'v1', kind: 'ConfigMap' },
    project,
    log: { ...silentLogger, error: (fields, message) => logged.push({ fields, message }) },
    metrics: metrics as unknown as ProjectionOptions<KubeObject>['metrics'],
  })
  return { projection, counted, logged }
}

test('An object is kept as it is without a projection, and else as the projection returns it', () => {
  const [object, less] = [anObject('1'), anObject('1')]
  expect(projected(undefined).projection.of(object)).toBe(object)
  expect(projected(() => less).projection.of(object)).toBe(less)
})

test('An object whose projection throws is left out, logged and counted', () => {
  const { projection, counted, logged } = projected(unreadable)
  expect(projection.of(anObject('1'))).toBeUndefined()
  expect(counted).toEqual([{ kind: 'ConfigMap' }])
  expect(logged).toEqual([
    {
      fields: { err: new Error('no data'), object: 'default/web', uid: 'u', resourceVersion: '1' },
      message: 'ConfigMap default/web cannot be understood: it is left out until it is changed',
    },
  ])
})

test('An object whose projection throws is logged and counted once per version', () => {
  const { projection, counted, logged } = projected(unreadable)
  for (const object of [anObject('1'), anObject('1'), anObject('2'), anObject('1', 'v'), anObject('2')])
    expect(projection.of(object)).toBeUndefined()
  expect(logged.map(({ fields }) => fields)).toMatchObject([
    { uid: 'u', resourceVersion: '1' },
    { uid: 'u', resourceVersion: '2' },
    { uid: 'v', resourceVersion: '1' },
  ])
  expect(counted).toHaveLength(3)
})

test('The last thousand versions are remembered as logged', () => {
  const { projection, logged } = projected(unreadable)
  const newlyLogged = (version: number) => {
    const before = logged.length
    projection.of(anObject(String(version)))
    return logged.length > before
  }
  for (let version = 1; version <= 1000; version++) newlyLogged(version)
  expect(newlyLogged(1)).toBe(false)
  expect(newlyLogged(1001)).toBe(true)
  expect(newlyLogged(2)).toBe(false)
  expect(newlyLogged(1)).toBe(true)
  expect(newlyLogged(3)).toBe(false)
  expect(newlyLogged(2)).toBe(true)
})
