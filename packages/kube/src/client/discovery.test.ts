import type { APIResourceList } from 'kubernetes-types/meta/v1'
import { expect, test } from 'vitest'
import * as builtInKinds from '../objects/kinds.ts'
import { Ingress, Node } from '../objects/kinds.ts'
import { kind } from '../objects/objects.ts'
import { builtInResources } from './built-in-resources.ts'
import { Discovery, KindNotServedError, pathOf } from './discovery.ts'
import { ApiError } from './errors.ts'

const Octopus = kind('sea.example.com/v1', 'Octopus')

const served: APIResourceList = {
  groupVersion: 'sea.example.com/v1',
  resources: [
    {
      name: 'octopi/scale',
      kind: 'Scale',
      group: 'autoscaling',
      version: 'v1',
      namespaced: true,
      singularName: '',
      verbs: [],
    },
    { name: 'octopi', kind: 'Octopus', namespaced: true, singularName: 'octopus', verbs: ['get'] },
    { name: 'octopi/status', kind: 'Octopus', namespaced: true, singularName: '', verbs: ['get'] },
  ],
}

test('Discovery takes the plural, the scope and the subresources of a kind from the server', async () => {
  const discovery = new Discovery(async () => served)
  const found = await discovery.find(Octopus)
  expect(found).toEqual({
    root: '/apis/sea.example.com/v1',
    plural: 'octopi',
    namespaced: true,
    subresources: ['scale', 'status'],
  })
  expect(discovery.known(Octopus)).toBe(found)
})

test('Built-in kinds are known without a request, until a path turns out to be wrong', async () => {
  const asked: string[] = []
  const discovery = new Discovery(async (path) => {
    asked.push(path)
    return { groupVersion: 'v1', resources: [] }
  })
  expect(discovery.known(Ingress)).toEqual({
    root: '/apis/networking.k8s.io/v1',
    plural: 'ingresses',
    namespaced: true,
    subresources: ['status'],
  })
  expect(discovery.known(Node)).toMatchObject({ root: '/api/v1', namespaced: false })
  discovery.forget(Node)
  expect(discovery.known(Node)).toBeUndefined()
  expect(new Discovery(async () => served).known(Node)).toBeDefined()
  await expect(discovery.find(Node)).rejects.toThrow(KindNotServedError)
  expect(asked).toEqual(['/api/v1'])
})

test('All built-in kinds that are used here are known in advance', () => {
  expect(new Set(builtInResources.map(([kind]) => kind))).toEqual(new Set(Object.values(builtInKinds)))
})

test('Concurrent lookups share one request', async () => {
  let requests = 0
  const discovery = new Discovery(async () => {
    requests += 1
    return served
  })
  await Promise.all([discovery.find(Octopus), discovery.find(Octopus), discovery.find(Octopus)])
  expect(requests).toBe(1)
})

test('Discovery asks again for a kind that is not served yet', async () => {
  const answers: APIResourceList[] = [{ ...served, resources: [] }, served]
  const discovery = new Discovery(async () => answers.shift() ?? served)
  await expect(discovery.find(Octopus)).rejects.toThrow(KindNotServedError)
  expect((await discovery.find(Octopus)).plural).toBe('octopi')
})

test('The error of a group that the server does not serve says what to do', async () => {
  const discovery = new Discovery(async (path) => {
    throw new ApiError(`find out which kinds are served at ${path}`, 404, { message: 'not found' })
  })
  await expect(discovery.find(Octopus)).rejects.toThrow(
    'The API server does not serve Octopus of sea.example.com/v1; check that its CustomResourceDefinition is installed',
  )
})

test('Paths are built from what was discovered, each part encoded', () => {
  const resource = { root: '/apis/sea.example.com/v1', plural: 'octopi' }
  expect(pathOf(resource, {})).toBe('/apis/sea.example.com/v1/octopi')
  expect(pathOf(resource, { namespace: 'deep', name: 'a b', subresource: 'status' })).toBe(
    '/apis/sea.example.com/v1/namespaces/deep/octopi/a%20b/status',
  )
})

test('A lookup that is aborted returns at once, and the request ends with the last of them', async () => {
  let cut = false
  const discovery = new Discovery((_, signal) => {
    signal.addEventListener('abort', () => (cut = true))
    return new Promise(() => {})
  })
  const [one, other] = [new AbortController(), new AbortController()]
  const waiting = [discovery.find(Octopus, one.signal), discovery.find(Octopus, other.signal)]
  one.abort(new Error('told to stop'))
  await expect(waiting[0]).rejects.toThrow('told to stop')
  expect(cut).toBe(false)
  other.abort(new Error('told to stop'))
  await expect(waiting[1]).rejects.toThrow('told to stop')
  expect(cut).toBe(true)
})
