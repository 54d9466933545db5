import { expect, test } from 'vitest'
import { ConfigMap, Ingress, PodDisruptionBudget } from '../objects/kinds.ts'
import { type KubeObject, kind } from '../objects/objects.ts'
import { aConfigMap, clientOf, closing, json, web } from '../testing/client-of-server.ts'
import { startHttpServer } from '../testing/http-server.ts'
import { ApiError } from './errors.ts'

const Octopus = kind<KubeObject>('sea.example.com/v1', 'Octopus')

test('A path that is no longer served is discovered anew', async () => {
  let discoveries = 0
  const { client } = await clientOf((request, response) => {
    if (request.url === '/apis/sea.example.com/v1') {
      discoveries += 1
      json(response, 200, {
        resources: [{ name: `plural${discoveries}`, kind: 'Octopus', namespaced: true }],
      })
    } else if (request.url?.includes('plural2')) json(response, 200, aConfigMap)
    else response.writeHead(404).end('404 page not found')
  })
  await expect(client.get(Octopus, web)).rejects.toBeInstanceOf(ApiError)
  await expect(client.get(Octopus, web)).resolves.toMatchObject(aConfigMap)
})

test('A built-in kind costs no discovery, and the error says when the server does not serve it', async () => {
  const seen: string[] = []
  const { client } = await clientOf((request, response) => {
    seen.push(request.url ?? '')
    if (request.url?.startsWith('/apis/policy/v1')) response.writeHead(404).end('404 page not found')
    else json(response, 200, aConfigMap)
  })
  await client.get(Ingress, web)
  expect(seen.splice(0)).toEqual(['/apis/networking.k8s.io/v1/namespaces/default/ingresses/web'])
  await expect(client.get(PodDisruptionBudget, web)).rejects.toThrow(
    'The API server does not serve PodDisruptionBudget of policy/v1',
  )
})

test('The client finds a scope or a subresource that the definition has gained', async () => {
  let served: object[] = [{ name: 'octopi', kind: 'Octopus', namespaced: false }]
  const { client } = await clientOf((request, response) => {
    json(response, 200, request.url === '/apis/sea.example.com/v1' ? { resources: served } : aConfigMap)
  })
  await client.get(Octopus, { name: 'web' })
  served = [{ name: 'octopi', kind: 'Octopus', namespaced: true }]
  await client.get(Octopus, web)
  const getStatus = () => client.get(Octopus, web, { subresource: 'status' })
  await expect(getStatus()).rejects.toThrow('Octopus has no subresource "status" (it has: none)')
  served.push({ name: 'octopi/status', kind: 'Octopus', namespaced: true })
  await expect(getStatus()).resolves.toMatchObject(aConfigMap)
})

test('A call keeps its deadline and its signal while the kind is being discovered', async () => {
  const server = await startHttpServer(() => {})
  closing.push(() => server.close())
  const { client } = await clientOf(() => {}, { access: { server: server.url } })
  await expect(client.get(ConfigMap, web, { timeoutMs: 50 })).rejects.toThrow(
    /Cannot get ConfigMap default\/web: no answer within \d+ ms from http/,
  )
  const signal = AbortSignal.timeout(50)
  await expect(client.list(ConfigMap, { signal })).rejects.toMatchObject({ name: 'TimeoutError' })
  await expect(client.create(ConfigMap, aConfigMap, { signal })).rejects.toMatchObject({
    name: 'TimeoutError',
  })
  const watching = client.watchOnce(ConfigMap, { resourceVersion: '1', timeoutSeconds: 60, signal })
  await expect(watching).rejects.toMatchObject({ name: 'TimeoutError' })
})
