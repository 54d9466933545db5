import { expect, test } from 'vitest'
import { ConfigMap } from '../objects/kinds.ts'
import { aConfigMap, clientOf, json } from '../testing/client-of-server.ts'
import type { ListOptions } from './api.ts'

test('A page is elided where only facts of its objects are kept', async () => {
  const spec = { tls: Array.from({ length: 60_000 }, () => ({})) }
  const items = ['facts', 'whole'].map((name) => ({ metadata: { name }, spec }))
  const { client } = await clientOf((_, response) => {
    json(response, 200, { metadata: { resourceVersion: '9' }, items })
  })
  const lengths = async (options: ListOptions) => {
    const list = await client.list(ConfigMap, options)
    return list.items.map((item) => (item as unknown as { spec: typeof spec }).spec.tls.length)
  }
  expect(await lengths({})).toEqual([60_000, 60_000])
  expect(await lengths({ isKeptWhole: () => false })).toEqual([50_000, 50_000])
  expect(await lengths({ isKeptWhole: ({ metadata }) => metadata.name === 'whole' })).toEqual([
    60_000, 60_000,
  ])
})

test('A list goes page by page, and starts over in one piece when the pages expire', async () => {
  const seen: string[] = []
  const { client } = await clientOf((request, response) => {
    const query = new URL(request.url ?? '', 'http://x').searchParams
    seen.push(`limit=${query.get('limit')} continue=${query.get('continue')}`)
    if (query.get('limit') === '0')
      json(response, 200, { metadata: { resourceVersion: '9' }, items: [aConfigMap] })
    else if (query.get('continue') === null) {
      json(response, 200, { metadata: { resourceVersion: '8', continue: 'more' }, items: [aConfigMap] })
    } else json(response, 410, { reason: 'Expired', message: 'The provided continue parameter is too old' })
  })
  const list = await client.list(ConfigMap, { pageSize: 1 })
  expect(seen).toEqual(['limit=1 continue=null', 'limit=1 continue=more', 'limit=0 continue=null'])
  expect(list.resourceVersion).toBe('9')
  expect(list.items).toEqual([{ apiVersion: 'v1', kind: 'ConfigMap', ...aConfigMap }])
})

test.each([
  ['and comes in pages the next time', 1, 'resolves'],
  ['and is given up where they expire again', 2, 'rejects'],
] as const)(
  'A list that expires and is too long in one piece is begun again %s',
  async (_, expiries, end) => {
    const seen: string[] = []
    const long = { ...aConfigMap, data: { bulk: 'x'.repeat(9 * 1024 * 1024) } }
    let expired = 0
    const { client } = await clientOf((request, response) => {
      const query = new URL(request.url ?? '', 'http://x').searchParams
      seen.push(`${query.get('limit')} ${query.get('continue')}`)
      if (query.get('limit') === '0')
        json(response, 200, { metadata: { resourceVersion: '9' }, items: [long] })
      else if (query.get('continue') === null)
        json(response, 200, { metadata: { resourceVersion: '8', continue: 'more' }, items: [aConfigMap] })
      else if (expired++ < expiries) json(response, 410, { reason: 'Expired', message: 'too old' })
      else json(response, 200, { metadata: { resourceVersion: '8' }, items: [aConfigMap] })
    })
    const list = client.list(ConfigMap, { pageSize: 1 })
    if (end === 'resolves') expect((await list).items).toHaveLength(2)
    else await expect(list).rejects.toThrow('too old')
    expect(seen).toEqual(['1 null', '1 more', '0 null', '1 null', '1 more'])
  },
)

test('A page of large objects is given up before it is read, and asked for in smaller pages', async () => {
  const bulk = 'x'.repeat(300_000)
  const objects = Array.from({ length: 30 }, (_, at) => ({
    metadata: { ...aConfigMap.metadata, name: `map-${at}` },
    data: { bulk },
  }))
  const limits: number[] = []
  const { client } = await clientOf((request, response) => {
    const query = new URL(request.url ?? '', 'http://x').searchParams
    const limit = Number(query.get('limit'))
    const start = Number(query.get('continue') ?? 0)
    limits.push(limit)
    const items = objects.slice(start, start + limit)
    const end = start + items.length
    const metadata = {
      resourceVersion: '8',
      ...(end < objects.length && { continue: String(end) }),
    }
    json(response, 200, { metadata, items })
  })
  const names: string[] = []
  let longest = 0
  for await (const { items } of client.pages(ConfigMap)) {
    names.push(...items.map(({ metadata }) => metadata.name))
    longest = Math.max(longest, items.length)
  }
  expect(names).toEqual(objects.map(({ metadata }) => metadata.name))
  expect(limits.slice(0, 3)).toEqual([100, 12, 3])
  expect(longest).toBe(12)
})
