import { beforeAll, expect, test } from 'vitest'
import { testedServer } from '../api-server.ts'
import { ApiVerbs, expecting, unique } from '../api-verbs.ts'
import { installCrds } from './installed.ts'

const kube = new ApiVerbs(testedServer())
let namespace = ''
let path = ''

beforeAll(async () => {
  await installCrds(kube)
  namespace = await kube.namespace()
  path = `/apis/operator.openshift.io/v1/namespaces/${namespace}/ingresscontrollers`
})

const type = { apiVersion: 'operator.openshift.io/v1', kind: 'IngressController' }

/** Objects of JavaScript have these by birth; Go's know nothing of that. */
const keys = '{"__proto__":{"x":1},"constructor":{"prototype":{"x":1}},"toString":"s","hasOwnProperty":"h"}'
const withKeys = <T extends object>(more: T) => ({ ...(JSON.parse(keys) as object), ...more })

test('Fields named like members of every JavaScript object come back, through rules and patches', async () => {
  const strategy = { endpointPublishingStrategy: { type: 'Private' } }
  const metadata = { name: unique('c'), annotations: { constructor: 'a', toString: 'b' } }
  const made = await expecting(201, kube.create(path, { ...type, metadata, spec: withKeys(strategy) }))
  expect(JSON.stringify(made.spec['__proto__'])).toBe('{"x":1}')
  const patch = JSON.parse('{"spec":{"__proto__":{"y":2},"constructor":null}}') as object
  await expecting(200, kube.patch('merge', `${path}/${metadata.name}`, patch))
  const { spec, metadata: kept } = await expecting(200, kube.get(`${path}/${metadata.name}`))
  const { endpointPublishingStrategy: _, ...rest } = spec
  expect(new Map(Object.entries(rest))).toEqual(
    new Map<string, unknown>([
      ['__proto__', { x: 1, y: 2 }],
      ['hasOwnProperty', 'h'],
      ['toString', 's'],
    ]),
  )
  expect(kept['annotations']).toEqual({ constructor: 'a', toString: 'b' })
})

test('An Event keeps times that only Go can write', async () => {
  const events = `/api/v1/namespaces/${namespace}/events`
  const event = {
    metadata: { name: unique('e') },
    involvedObject: { kind: 'Service', namespace, name: 'x' },
    lastTimestamp: '9999-12-31T23:59:59-23:00',
    firstTimestamp: '0000-01-01T00:00:00+23:00',
  }
  expect(await expecting(201, kube.create(events, event))).toMatchObject({
    lastTimestamp: '10000-01-01T22:59:59Z',
    firstTimestamp: '-0001-12-31T01:00:00Z',
  })
})
