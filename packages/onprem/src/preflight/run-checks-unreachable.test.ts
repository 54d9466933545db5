import { expect, test } from 'vitest'
import type { AttemptResult } from '../probe/attempt.ts'
import { attemptsOf, by, closed, found, seen, target } from '../testing/observations.ts'
import type { Observations } from './observations.ts'
import { runChecks } from './run-checks.ts'

const api = [by('192.0.2.21', 'api'), closed]
const [attempt] = attemptsOf('api', [closed])
const byName =
  attempt === undefined ? [] : [{ service: 'api', name: 'api.edge.example.com', attempt } as const]
const dials = [{ from: '192.0.2.21', service: 'api', attempts: attemptsOf('api', [closed]) }] as const

test('When our own connections by address fail, names and nodes are not blamed', () => {
  expect(found(seen({ api }, { byName, dials }))).toEqual(['front-end-unsteady in reach api'])
})

test('When our own connections by address succeed, names and nodes are blamed', () => {
  expect(found(seen({}, { byName, dials }))).toEqual(['by-name-fails in by name', 'hairpin-fails in hairpin'])
})

const far = '192.0.2.22'
const timedOut: AttemptResult = { kind: 'no-connection', code: 'ETIMEDOUT' }
const nodeAt = (address: string, isFar: boolean) => ({
  address,
  saysWho: false,
  fingerprints: { 'machine-config': address, https: address, ...(!isFar && { api: address }) },
  unseen: isFar ? [{ service: 'api' as const, port: 6443, outcome: timedOut }] : [],
  receivedProbes: [],
})
const showing = (address: string): AttemptResult => ({
  kind: 'answered',
  status: 200,
  certificate: { fingerprint: address, subject: address },
})
const serving = (addresses: readonly string[]) =>
  addresses.map((address) => ({ node: `node-${address}`, address }))
const live = (api: readonly AttemptResult[], isFar = true): Observations =>
  seen(
    {
      api,
      'machine-config': target.controlPlane.map(showing),
      https: target.routers.map(showing),
      http: [{ kind: 'answered', status: 503 }],
    },
    {
      behind: 'nodes',
      members: [...target.controlPlane, ...target.routers].map((each) => nodeAt(each, isFar && each === far)),
      cluster: {
        controlPlane: serving(target.controlPlane),
        routers: serving(target.routers),
        listedControlPlane: [],
        listedRouters: [],
        routerHealth: [],
      },
    },
  )
const reason = `node ${far}:6443 could not be reached directly from here (no answer in time)`

test.each([
  ['alone', [showing(far), showing(far)]],
  ['beside others', [showing('192.0.2.21'), showing(far)]],
])('With a node that cannot be reached directly, an unknown certificate, %s, proves nothing', (_, api) => {
  const observations = live(api)
  expect(found(observations)).toEqual([])
  const skippedFor = runChecks(observations).filter(({ note }) => note === reason)
  expect(skippedFor.map(({ check, status }) => `${check} ${status}`)).toEqual([
    'reach api skipped',
    'tls api skipped',
    'persistence api skipped',
    'bootstrap skipped',
  ])
})

test('A node that cannot be reached directly is not reported as missing for its silence', () => {
  expect(found(live([showing('192.0.2.21'), showing('192.0.2.21')]))).toEqual([])
})

test('With a node that cannot be reached directly, failed connections are reported all the same', () => {
  expect(found(live([showing(far), closed]))).toEqual(['front-end-unsteady in reach api'])
})

test('With a node that cannot be reached directly, an unknown machine is reported where all nodes are known', () => {
  expect(found(live([showing('192.0.2.21'), showing(far), showing('192.0.2.99')], false))).toEqual([
    'bootstrap-in-pool in bootstrap',
  ])
})
