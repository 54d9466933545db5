import { expect, test } from 'vitest'
import { ConfigMap, Namespace } from '../objects/kinds.ts'
import { aConfigMap, aGuard, clientOf, closing, json, web } from '../testing/client-of-server.ts'
import { startHttpServer } from '../testing/http-server.ts'
import type { WriteGuard } from './api.ts'
import { WriteRefusedError } from './errors.ts'

test('A guarded write is sent to a server behind a path too', async () => {
  const urls: (string | undefined)[] = []
  const server = await startHttpServer((request, response) => {
    urls.push(request.url)
    json(response, 200, {
      resources: [{ name: 'namespaces', kind: 'Namespace', namespaced: false }],
      metadata: {},
    })
  })
  closing.push(() => server.close())
  const { client } = await clientOf(() => {}, { access: { server: new URL('/k8s/c-1', server.url) } })
  await client.guardedBy(aGuard()).patch(Namespace, { name: 'x' }, { type: 'merge', body: {} })
  expect(urls.at(-1)).toBe('/k8s/c-1/api/v1/namespaces/x?timeout=4000ms')
})

test('A guarded write has a timeout as long as its permission lasts; a read has none', async () => {
  const seen: (string | undefined)[] = []
  const { client } = await clientOf((request, response) => {
    seen.push(request.url)
    json(response, 200, aConfigMap)
  })
  const guarded = client.guardedBy(aGuard())
  await guarded.get(ConfigMap, web)
  await guarded.patch(ConfigMap, web, { type: 'merge', body: {} }, { fieldManager: 'me' })
  await guarded.delete(ConfigMap, web)
  expect(seen).toEqual([
    '/api/v1/namespaces/default/configmaps/web',
    '/api/v1/namespaces/default/configmaps/web?fieldManager=me&timeout=4000ms',
    '/api/v1/namespaces/default/configmaps/web?timeout=4000ms',
  ])
})

test('No write is sent without permission, even if it is withdrawn at the very last moment', async () => {
  const { client } = await clientOf(() => expect.unreachable('nothing may be sent'))
  const guard = aGuard()
  let asked = 0
  const withdrawnInBetween: WriteGuard = {
    signal: guard.signal,
    check: () => {
      asked += 1
      if (asked === 2) throw new WriteRefusedError('no longer allowed')
      return guard.check()
    },
  }
  await expect(client.guardedBy(withdrawnInBetween).create(ConfigMap, aConfigMap)).rejects.toThrow(
    WriteRefusedError,
  )
  expect(asked).toBe(2)
  guard.withdraw()
  await expect(client.guardedBy(guard).create(ConfigMap, aConfigMap)).rejects.toThrow('no longer allowed')
})

test('A write in flight is cut off when the permission is withdrawn', async () => {
  const { client } = await clientOf(() => setTimeout(() => guard.withdraw(), 5))
  const guard = aGuard()
  await expect(client.guardedBy(guard).create(ConfigMap, aConfigMap)).rejects.toThrow('no longer allowed')
})
